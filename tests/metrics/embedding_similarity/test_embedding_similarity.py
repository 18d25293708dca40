"""The evaluate module with the shipped weights."""

from pathlib import Path

import evaluate
import pytest

ROOT = Path(__file__).parents[3]
# Table 14 of OpenMEVA, from the least to the most alike.
PAIRS = [
    ("I filled it with the sodas.", "I put music into the world and enjoy it."),
    ("He went several more miles out of his way.", "He has made kilometers more."),
    ("She screamed loudly to attract the attention of her audience.",
     "She yelled out loud for the attention of the public."),
    ("He hired an attorney.", "He employed a lawyer."),
    ("She watched a video of the play later.", "She later watched a video of the play."),
]  # fmt: skip


@pytest.fixture(scope="module")
def similarity() -> evaluate.EvaluationModule:
    return evaluate.load(str(ROOT / "metrics" / "embedding_similarity"))


def test_paraphrases_lie_above_the_threshold(similarity: evaluate.EvaluationModule) -> None:
    first, second = zip(*PAIRS, strict=True)
    found = similarity.compute(predictions=list(first), references=list(second))
    scores = found["mover_scores"]
    assert max(scores[:2]) < 0.1
    assert min(scores[2:]) >= 0.25
    assert scores[2:] == sorted(scores[2:])
    assert found["mover_score"] == pytest.approx(sum(scores) / 5)


def test_batches_and_style_do_not_matter(similarity: evaluate.EvaluationModule) -> None:
    first, second = zip(*PAIRS, strict=True)
    whole = similarity.compute(predictions=list(first), references=list(second), dtype="float32")
    ones = similarity.compute(predictions=list(first), references=list(second), dtype="float32", batch_size=1)
    assert whole["mover_scores"] == pytest.approx(ones["mover_scores"], abs=1e-5)
    same = similarity.compute(predictions=["He didn't go."], references=["he did n't go ."], dtype="float32")
    assert same["mover_score"] == pytest.approx(1.0, abs=1e-5)


def test_bad_rows_are_refused(similarity: evaluate.EvaluationModule) -> None:
    with pytest.raises(ValueError, match="with words"):
        similarity.compute(predictions=["   "], references=["He ran."])
    with pytest.raises(ValueError, match="batch_size"):
        similarity.compute(predictions=["He ran."], references=["He ran."], batch_size=0)
    assert similarity.compute(predictions=["He ran."], references=["He ran."])[
        "mover_score"
    ] == pytest.approx(1.0)
