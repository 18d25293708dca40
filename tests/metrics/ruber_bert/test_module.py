"""RUBER-BERT loaded with evaluate: valid and invalid input."""

from pathlib import Path
from typing import Any

import evaluate
import pytest

from tests.tiny.ruber import write_ruber_checkpoint

ROOT = Path(__file__).resolve().parents[3]
MODULE = str(ROOT / "metrics" / "ruber_bert")
STORIES = ["She ate the cat.", "The dog slept."]
CONTEXTS = ["Ann ran home.", "He was not in the park."]


@pytest.fixture(scope="module")
def ruber(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return evaluate.load(MODULE, str(write_ruber_checkpoint(tmp_path_factory.mktemp("checkpoint"))))


def test_scores_without_references(ruber: Any) -> None:
    result = ruber.compute(predictions=STORIES, contexts=CONTEXTS)
    assert set(result) == {"score", "scores", "unreferenced", "warnings"}
    assert result["scores"] == result["unreferenced"]
    assert all(0 <= score <= 1 for score in result["scores"])
    assert result["score"] == pytest.approx(sum(result["scores"]) / 2)


def test_scores_with_references(ruber: Any) -> None:
    result = ruber.compute(predictions=STORIES, contexts=CONTEXTS, references=STORIES[::-1], dtype="float32")
    assert set(result) == {"score", "scores", "unreferenced", "referenced", "warnings"}
    parts = [
        (min(1, max(0, (r - 0.2) / 0.7)) + min(1, max(0, (u - 0.1) / 0.7))) / 2
        for r, u in zip(result["referenced"], result["unreferenced"], strict=True)
    ]
    assert result["scores"] == pytest.approx(parts)


def test_combined_module_receives_references(ruber: Any) -> None:
    rows = {"predictions": STORIES, "contexts": CONTEXTS, "references": STORIES[::-1]}
    combined = evaluate.combine([ruber])
    whole = combined.compute(**rows)
    assert "referenced" in whole
    combined.add_batch(**rows)
    assert combined.compute() == whole
    for story, context, reference in zip(*rows.values(), strict=True):
        combined.add(story, reference, contexts=context)
    assert combined.compute() == whole
    combined.add_batch(STORIES, contexts=CONTEXTS)
    assert combined.compute() == ruber.compute(predictions=STORIES, contexts=CONTEXTS)


def test_cosine_of_a_text_with_itself_is_at_most_1(ruber: Any) -> None:
    """Rounding puts about one in a hundred such cosines above 1."""
    words = ["she", "he", "ran", "ate", "dog", "cat", "home", "park", "slept", "walk"]
    stories = [f"{a} {b} the {c}." for a in words[:3] for b in words for c in words[3:]]
    result = ruber.compute(
        predictions=stories, contexts=["Ann ran."] * len(stories), references=stories, dtype="float32"
    )
    assert max(result["referenced"]) <= 1.0


def test_scores_do_not_depend_on_other_rows(ruber: Any) -> None:
    both = ruber.compute(predictions=STORIES, contexts=CONTEXTS, references=STORIES[::-1], dtype="float32")
    for row in (0, 1):
        alone = ruber.compute(
            predictions=[STORIES[row]],
            contexts=[CONTEXTS[row]],
            references=[STORIES[1 - row]],
            dtype="float32",
        )
        assert alone["scores"][0] == pytest.approx(both["scores"][row], abs=1e-6)


def test_signature(ruber: Any) -> None:
    fields = dict(part.split(":", 1) for part in ruber.signature().split("|")[1:])
    assert fields["max_length"] == "64"
    assert len(fields["checkpoint"].rpartition("@")[2]) == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": []}, "expected at least one story"),
        ({"predictions": STORIES}, "contexts: expected 2, one per prediction, got none"),
        (
            {"predictions": STORIES, "contexts": ["He ran."]},
            "contexts: expected 2, one per prediction, got 1",
        ),
        (
            {"predictions": STORIES, "contexts": ["He ran.", " "]},
            "contexts, row 1: expected a text, got a blank",
        ),
        ({"predictions": STORIES, "contexts": ["He ran.", "\x07"]}, "contexts, row 1: expected a text"),
        (
            {"predictions": STORIES, "contexts": CONTEXTS, "references": STORIES[:1]},
            "references: expected 2, one per prediction, got 1",
        ),
        (
            {"predictions": STORIES, "contexts": CONTEXTS, "references": ["She ate.", None]},
            "references, row 1: expected a list of strings, or a string, got None",
        ),
        (
            {"predictions": STORIES, "contexts": CONTEXTS, "references": ["She ate.", ["He left.", "\x07"]]},
            "references, row 1: expected a text with words",
        ),
        ({"predictions": STORIES, "contexts": CONTEXTS, "blend": "sum"}, "blend: expected one of"),
        (
            {"predictions": STORIES, "contexts": CONTEXTS, "normalization": "no"},
            "normalization: expected one of",
        ),
        (
            {"predictions": STORIES, "contexts": CONTEXTS, "batch_size": 0},
            "batch_size: expected a whole number",
        ),
    ],
)
def test_bad_input_is_reported_and_leaves_the_module_usable(
    ruber: Any, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ruber.compute(**arguments)
    assert len(ruber.compute(predictions=STORIES, contexts=CONTEXTS)["scores"]) == 2


def test_rnn_expects_short_stories() -> None:
    long = " ".join(["She ran home."] * 80)
    (warning,) = evaluate.load(MODULE, "rnn").compute(predictions=[long], contexts=["Ann was late."])[
        "warnings"
    ]
    assert "240 words" in str(warning)
