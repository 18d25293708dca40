"""Stories from manipulated plots: what is checked before a generator is trained for them."""

from pathlib import Path

import pytest

from openmeva.training.plot_guided.negatives import stage
from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.resources import MissingResourceError
from tests.tiny import plots as tiny_plots


def test_missing_conceptnet_is_reported_before_a_generator_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = resources.find_resource
    monkeypatch.setattr(
        resources, "find_resource", lambda name: None if name == "conceptnet" else found(name)
    )
    monkeypatch.setattr(stage, "ensure_generator", lambda *_: pytest.fail("trained"))
    config = tiny_plots.negatives_config(tmp_path / "none") | {"generator_config": "none.yaml"}
    with pytest.raises(MissingResourceError, match="conceptnet is not at"):
        stage.make_negatives(config, tmp_path, tmp_path, tmp_path)
    with pytest.raises(pytest.fail.Exception, match="trained"):
        stage.make_negatives(config | {"events": "comet:model"}, tmp_path, tmp_path, tmp_path)
