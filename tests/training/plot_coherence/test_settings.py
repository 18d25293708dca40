"""Settings without effect, or that would fail after hours of training, raise an error before it starts."""

import json
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from openmeva.training.classifier.prerequisites import weights_folder
from openmeva.training.common import backbone
from openmeva.training.common.adapters import check_start
from openmeva.training.common.config import parse, read_config
from openmeva.training.paths import CONFIGS, METRICS, resolve_path
from openmeva.training.plot_coherence import trainer
from openmeva.training.plot_coherence.config import PlotCoherenceConfig
from openmeva.training.plot_coherence.groups import main
from openmeva.training.plot_coherence.trainer import train
from openmeva.training.union.config import UnionConfig
from tests.tiny.models import tiny_model, write_encoder

KINDS: dict[str, type[Any]] = {"plot_coherence": PlotCoherenceConfig, "union": UnionConfig}
OWN = [file for metric in KINDS for file in sorted((CONFIGS / metric).glob("*.yaml"))]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": 2.0}, "temperature: expected 1 without seeds"),
        ({"start_share": 0.5, "seeds": [1, 2]}, "start_share: expected only with seeds and a start"),
        ({"start_share": 0.5, "start": "a"}, "start_share: expected only with seeds and a start"),
        ({"distillation_weight": 1.0}, "expected a teacher and a distillation_weight"),
        ({"teacher": {"weights": "a"}}, "expected a teacher and a distillation_weight"),
        ({"start": "a", "adapter": None}, "start: expected only with an adapter, got a"),
        ({"frozen_layers": 3, "adapter": None}, "frozen_layers: expected only with an adapter, got 3"),
        ({"seeds": [1, 2], "adapter": None}, "seeds: expected an adapter on an encoder to average"),
        ({"seeds": [1, 1]}, r"seeds: expected each once, got \[1, 1\]"),
        ({"frozen_layers": 99}, "frozen_layers: expected 6 or less, the layers of encoder, got 99"),
        ({"window": 4096}, "window: expected 512 or less, the positions of encoder, got 4096"),
        ({"training_sets": "rok"}, "rok: no such configuration"),
        (
            {"teacher": {"weights": "runs/none"}, "distillation_weight": 1.0},
            "teacher.weights: expected a trained model, or `config`",
        ),
    ],
)
def test_settings_without_effect_are_rejected(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    config = parse(PlotCoherenceConfig, {"name": "tiny", "seed": 1, **settings})
    with pytest.raises(ValueError, match=message):
        train(config, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path / "cache")


def test_start_is_not_checked_without_an_adapter() -> None:
    check_start(None, None)


def test_configuration_without_groups_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["--config", "roc", "--data", str(tmp_path), "--run", str(tmp_path)])
    assert error.value.code == 2
    assert "error: roc: expected `graded`, corpora whose" in capsys.readouterr().err


def test_adapter_rank_is_at_least_that_of_its_shipped_start() -> None:
    configs = [read_config(KINDS[file.parent.name], file) for file in OWN]
    started = [
        config for config in configs if config.start and resolve_path(config.start).is_relative_to(METRICS)
    ]
    assert started
    for config in started:
        tensors = load_file(resolve_path(config.start) / "adapter.safetensors")
        assert max(len(t) for n, t in tensors.items() if n.endswith(".lora_A")) <= config.adapter.rank


@pytest.mark.parametrize("file", OWN, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_stage_weights_are_saved_where_the_next_stage_reads_them(file: Path) -> None:
    kind = KINDS[file.parent.name]
    config = read_config(kind, file)
    teacher = config.teacher
    pairs = [(config.first, config.start), (teacher and teacher.config, teacher and teacher.weights)]
    for stage, folder in pairs:
        if stage:
            assert weights_folder(kind, read_config(kind, CONFIGS.parents[1] / stage)) == resolve_path(folder)
    shipped = METRICS / config.metric / "weights" / config.name
    if shipped.is_dir():
        assert weights_folder(kind, config) == shipped


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ({"base": "nobody/none"}, "no model 'nobody/none'"),
        ({"files": [{"path": "runs/none.parquet"}]}, r"none\.parquet: no such file.* configuration part "),
        ({"start": "runs/none"}, r"runs/none/adapter\.safetensors: missing"),
    ],
    ids=["encoder", "stories", "weights"],
)
@pytest.mark.parametrize("stage", ["itself", "first", "teacher", "first of the teacher"])
def test_missing_inputs_of_any_stage_are_reported_before_training(
    stage: str, missing: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_encoder(tmp_path / "encoder", tiny_model())
    monkeypatch.setattr(backbone, "ENCODER", tmp_path / "encoder")
    monkeypatch.setattr(trainer, "load_rows", lambda *_: pytest.fail("a stage was started"))

    def write_stage(name: str, **settings: Any) -> dict[str, str]:
        (tmp_path / f"{name}.yaml").write_text(json.dumps({"name": "part", **settings}))
        return {"config": str(tmp_path / f"{name}.yaml"), "weights": str(tmp_path / name)}

    def started_from(name: str, **settings: Any) -> dict[str, Any]:
        """Settings whose initial weights come from a stage with the given settings."""
        written = write_stage(name, **settings)
        return {
            "first": written["config"],
            "start": written["weights"],
            "base": settings.get("base", "encoder"),
        }

    if stage == "itself":
        settings = missing
    elif stage == "first":
        settings = started_from("one", **missing)
    else:
        teacher = missing if stage == "teacher" else started_from("two", **missing)
        settings = {
            **started_from("one"),
            "teacher": write_stage("large", **teacher),
            "distillation_weight": 1.0,
        }
    config = parse(PlotCoherenceConfig, {"name": "part", **settings})
    with pytest.raises(ValueError, match=message):
        train(config, tmp_path, tmp_path / "out", tmp_path / "run", tmp_path / "cache")
