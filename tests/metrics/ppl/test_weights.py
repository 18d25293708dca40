"""The shipped language models perform as their cards state."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest

from openmeva.metrics.core.checkpoint import weights_checksum
from tests.mini_stories import corrupted, sentences_of

ROOT = Path(__file__).resolve().parents[3]
WEIGHTS = ROOT / "metrics" / "ppl" / "weights"
CONFIGURATIONS = ("roc", "wp", "pll")
STORIES = 16


@pytest.fixture(scope="module")
def ppl() -> dict[str, Any]:
    return {name: evaluate.load(str(ROOT / "metrics" / "ppl"), name) for name in CONFIGURATIONS}


def stories_of(name: str) -> list[list[str]]:
    # `pll` masks each word, and the stories of `wp` are long
    return sentences_of("wp" if name == "wp" else "roc")[: STORIES if name == "roc" else 6]


def losses(metric: Any, texts: list[list[str]]) -> list[float]:
    contexts, rest = [s[0] for s in texts], [" ".join(s[1:]) for s in texts]
    result: list[float] = metric.compute(predictions=rest, contexts=contexts, dtype="float32")["nll"]
    return result


@cache
def unchanged_losses(metric: Any, name: str) -> list[float]:
    """Losses of the unchanged stories."""
    return losses(metric, stories_of(name))


@pytest.mark.parametrize(
    ("name", "how", "least"),
    [
        ("roc", "shuffled", 0.95),
        ("roc", "foreign", 0.6),
        ("wp", "shuffled", 0.9),
        ("pll", "shuffled", 0.95),
        ("pll", "foreign", 0.6),
    ],
)
def test_damaged_stories_are_less_likely(ppl: dict[str, Any], name: str, how: str, least: float) -> None:
    stories = stories_of(name)
    broken = losses(ppl[name], corrupted(stories, how))
    right = [a < b for a, b in zip(unchanged_losses(ppl[name], name), broken, strict=True)]
    assert sum(right) / len(right) >= least


def test_context_makes_its_story_more_likely(ppl: dict[str, Any]) -> None:
    stories = sentences_of("roc")[:STORIES]
    contexts, rest = [s[0] for s in stories], [" ".join(s[1:]) for s in stories]
    true = ppl["roc"].compute(predictions=rest, contexts=contexts)["nll"]
    other = ppl["roc"].compute(predictions=rest, contexts=contexts[1:] + contexts[:1])["nll"]
    assert np.mean(np.array(true) < np.array(other)) > 0.8


def test_corrected_scores_reward_repetition_less(ppl: dict[str, Any]) -> None:
    once = "She went to the shop and bought some bread."
    result = ppl["roc"].compute(predictions=[once, " ".join([once] * 4)], repeated_ngram=4)
    plain, corrected = result["log_scores"], result["corrected_log_scores"]
    assert plain[1] > plain[0], "repetition increases the likelihood"
    assert corrected[1] - corrected[0] < plain[1] - plain[0]


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_checkpoints_are_complete(name: str) -> None:
    folder = WEIGHTS / name
    config = json.loads((folder / "config.json").read_text())
    manifest = json.loads((folder / "manifest.json").read_text())
    encoder = ROOT / "metrics" / "weights" / "encoder" / "model.safetensors"
    assert config["ppl"]["encoder"]["sha256"] == weights_checksum(encoder)
    assert manifest["config"]["name"] == name
    card = (folder / "README.md").read_text()
    assert all(digest in card for digest in manifest["data"].values())
    if name != "pll":
        assert f"{manifest['validation']['perplexity_per_word']:.1f} per" in card


def test_weights_are_small() -> None:
    sizes = {name: (WEIGHTS / name / "adapter.safetensors").stat().st_size for name in CONFIGURATIONS}
    assert sum(sizes.values()) < 14e6
