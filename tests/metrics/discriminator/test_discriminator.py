"""The discriminator loaded with evaluate. Code shared with plot coherence is tested there."""

from pathlib import Path
from typing import Any

import evaluate
import pytest

from tests.tiny.classifier import write_classifier

ROOT = Path(__file__).resolve().parents[3]
STORIES = ["Ann ran home. She ate.", "The dog slept."]


@pytest.fixture(scope="module")
def metric(tmp_path_factory: pytest.TempPathFactory) -> Any:
    checkpoint = write_classifier(tmp_path_factory.mktemp("checkpoint"), "discriminator")
    return evaluate.load(str(ROOT / "metrics" / "discriminator"), str(checkpoint))


def test_compute_and_explain(metric: Any) -> None:
    result = metric.compute(predictions=STORIES, dtype="float32", explain=True)
    assert all(0 <= score <= 1 for score in result["scores"])
    assert result["scores"][0] != result["scores"][1]
    assert result["score"] == pytest.approx(sum(result["scores"]) / 2)
    assert [len(one["sentences"]) for one in result["explanations"]] == [2, 1]
    backwards = metric.compute(predictions=STORIES[::-1], dtype="float32", batch_size=1)["scores"]
    assert backwards[::-1] == pytest.approx(result["scores"], abs=1e-6)


def test_context_is_joined_or_ignored(metric: Any) -> None:
    def score(story: str, **options: Any) -> float:
        return metric.compute(predictions=[story], dtype="float32", **options)["score"]

    joined = score("She ate.", contexts=["Ann ran home."], context_is_part_of_story=True)
    assert joined == pytest.approx(score("Ann ran home. She ate."), abs=1e-6)
    apart = score("She ate.", contexts=["Ann ran home."], context_is_part_of_story=False)
    assert apart == pytest.approx(score("She ate."), abs=1e-6)


def test_bad_input_is_reported(metric: Any, bad_input: tuple[dict[str, Any], str]) -> None:
    arguments, message = bad_input
    with pytest.raises(ValueError, match=message):
        metric.compute(**arguments)
    assert metric.compute(predictions=["She ate."])["scores"]


def test_signature_names_the_context_rule(metric: Any) -> None:
    assert metric.signature(context_is_part_of_story=True).split("|")[3] == "context:first_sentence"
