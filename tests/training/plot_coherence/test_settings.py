"""Settings that would do nothing, or would end a training after hours, are refused before it begins."""

from pathlib import Path
from typing import Any

import pytest

from openmeva.training.common.adapters import check_start
from openmeva.training.common.config import parse
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_coherence.groups import main
from openmeva.training.plot_coherence.trainer import train


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 2.0}, "temperature: expected 1 where no mean of seeds is taken"),
        ({"start_share": 0.5, "seeds": [1, 2]}, "start_share: expected with seeds and a start"),
        ({"start_share": 0.5, "start": "a"}, "start_share: expected with seeds and a start"),
        ({"distillation_weight": 1.0}, "expected a teacher and a distillation_weight"),
        ({"teacher": {"weights": "a"}}, "expected a teacher and a distillation_weight"),
        ({"start": "a", "adapter": None}, "start: expected with an adapter, got a"),
        ({"frozen_layers": 3, "adapter": None}, "frozen_layers: expected with an adapter, got 3"),
    ],
)
def test_they_are_refused(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    config = parse(PlotCoherenceConfig, {"name": "tiny", "seed": 1, **settings})
    with pytest.raises(ValueError, match=message):
        train(config, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path / "cache")


def test_a_training_of_all_weights_begins_with_the_backbone() -> None:
    check_start(None, None)


def test_a_configuration_without_groups_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--config", "roc", "--data", str(tmp_path), "--run", str(tmp_path)])
    assert ended.value.code == 2
    assert "error: roc: expected `graded`, corpora whose" in capsys.readouterr().err
