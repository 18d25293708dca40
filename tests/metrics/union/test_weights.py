"""The shipped weights perform as their card states."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest
from numpy.typing import NDArray

from openmeva.metrics.core.checkpoint import weights_checksum
from tests.mini_stories import corrupted, sentences_of, with_foreign_sentences

ROOT = Path(__file__).resolve().parents[3]
WEIGHTS = ROOT / "metrics" / "union" / "weights"
CONFIGURATIONS = ("roc", "wp")
STORIES = {"roc": 30, "wp": 8}  # the stories of `wp` are long


@pytest.fixture(scope="module")
def union() -> dict[str, Any]:
    return {name: evaluate.load(str(ROOT / "metrics" / "union"), name) for name in CONFIGURATIONS}


@pytest.fixture(scope="module")
def unchanged_scores(union: dict[str, Any]) -> Callable[[str], NDArray[np.float64]]:
    """Scores of the unchanged stories of a kind."""
    return cache(lambda name: compute_scores(union[name], stories_of(name)))


def stories_of(name: str) -> list[list[str]]:
    return sentences_of(name)[: STORIES[name]]


def compute_scores(metric: Any, stories: list[list[str]]) -> NDArray[np.float64]:
    texts = [" ".join(sentences) for sentences in stories]
    return np.array(metric.compute(predictions=texts, dtype="float32")["scores"])


@pytest.mark.parametrize(
    ("name", "how", "least"),
    [
        ("roc", "repeated", 0.8),
        ("roc", "foreign", 0.8),
        ("roc", "reversed", 0.7),
        ("wp", "repeated", 0.6),  # it hardly detects the other corruptions in 250 words
    ],
)
def test_damaged_stories_score_lower(
    union: dict[str, Any],
    unchanged_scores: Callable[[str], NDArray[np.float64]],
    name: str,
    how: str,
    least: float,
) -> None:
    assert (
        unchanged_scores(name) > compute_scores(union[name], corrupted(stories_of(name), how))
    ).mean() >= least


def test_raw_and_tokenised_forms_score_the_same(union: dict[str, Any]) -> None:
    raw = [
        "Ann's bike didn't have a bell. She couldn't warn anyone. \"Watch out!\" she cried. Tom jumped aside.",
        "We'd planned a picnic. It rained, so we stayed in. My sister baked a cake. It wasn't bad at all.",
    ]
    tokenised = [
        "ann 's bike did n't have a bell . she could n't warn anyone . `` watch out ! '' she cried . tom jumped aside .",
        "we 'd planned a picnic . it rained , so we stayed in . my sister baked a cake . it was n't bad at all .",
    ]
    for name in CONFIGURATIONS:
        a = union[name].compute(predictions=raw, dtype="float32")["scores"]
        b = union[name].compute(predictions=tokenised, dtype="float32")["scores"]
        assert a == pytest.approx(b, abs=1e-5)


def test_default_configuration_is_roc(union: dict[str, Any]) -> None:
    story = ["Ann ran home. She ate."]
    bare = evaluate.load(str(ROOT / "metrics" / "union"))
    assert bare.signature() == union["roc"].signature()
    assert bare.compute(predictions=story) == union["roc"].compute(predictions=story)


def test_bfloat16_scores_are_close_to_float32(
    union: dict[str, Any], unchanged_scores: Callable[[str], NDArray[np.float64]]
) -> None:
    stories = [" ".join(s) for s in sentences_of("roc")[:12]]
    exact = unchanged_scores("roc")[:12]
    near = union["roc"].compute(predictions=stories, dtype="bfloat16")["scores"]
    assert float(np.abs(exact - np.array(near)).max()) < 0.05
    assert float(np.corrcoef(exact, near)[0, 1]) > 0.995


def test_foreign_sentence_has_the_largest_gain(union: dict[str, Any]) -> None:
    mixed, positions = with_foreign_sentences(sentences_of("roc")[:16])
    explanations = union["roc"].compute(predictions=mixed, explain=True)["explanations"]
    blamed = [int(np.argmax([s["gain"] for s in e["sentences"]])) for e in explanations]
    assert np.mean(np.array(blamed) == positions) > 0.3, "one in five by chance"


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_checkpoints_have_a_manifest_with_provenance(name: str) -> None:
    manifest = json.loads((WEIGHTS / name / "manifest.json").read_text(encoding="utf-8"))
    assert {"config", "data", "steps", "validation", "stories", "torch"} <= set(manifest)
    assert all(len(digest) == 64 for digest in manifest["data"].values())
    settings = json.loads((WEIGHTS / name / "config.json").read_text(encoding="utf-8"))["union"]
    encoder = WEIGHTS / name / settings["encoder"]["path"] / "model.safetensors"
    assert weights_checksum(encoder) == settings["encoder"]["sha256"]
    card = (WEIGHTS / name / "README.md").read_text(encoding="utf-8")
    assert f"{manifest['validation']['auc']:.3f}" in card


def test_card_and_manifest_name_the_same_lexicon() -> None:
    card = (WEIGHTS.parent / "README.md").read_text(encoding="utf-8")
    lexicons = {
        name: set(json.loads((WEIGHTS / name / "manifest.json").read_text(encoding="utf-8"))["lexicon"])
        for name in ("roc", "wp", "roc_base", "wp_base")
    }
    for name in ("roc", "roc_base"):
        (row,) = [line for line in card.splitlines() if line.startswith(f"| `{name}`")]
        assert ("keywords from WordNet" in row, "ConceptNet" in row) == (
            lexicons[name] == {"wordnet"},
            "conceptnet" in lexicons[name],
        )
    assert (lexicons["wp"], lexicons["wp_base"]) == (lexicons["roc"], lexicons["roc_base"]), (
        "the card describes the lexicons of both sizes together"
    )
