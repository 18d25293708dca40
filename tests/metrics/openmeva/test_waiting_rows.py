"""Rows added before `compute`: rejected calls keep them, and never pair a score with another row."""

from pathlib import Path
from typing import Any

import evaluate
import pytest

FOLDER = Path(__file__).resolve().parents[3] / "metrics" / "openmeva"
ROWS = [{"story": f"he ran {k} miles .", "ratings": [k, k + 1]} for k in range(6)]
SCORES = [0.1, 0.2, 0.3, 0.5, 0.4, 0.6]


@pytest.fixture
def benchmark() -> Any:
    return evaluate.load(str(FOLDER), "judgments")


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (
            {"predictions": [1.0, 2.0], "references": ROWS[:1]},
            "references: expected 2, one per prediction, got 1",
        ),
        ({"predictions": [1.0], "references": ROWS[:2]}, "references: expected 1, one per prediction, got 2"),
        ({"predictions": [1.0], "references": "a"}, "references: expected a list of rows, got str"),
        ({"predictions": [1.0]}, "references: expected with every batch or with none"),
    ],
)
def test_rejected_batch_keeps_earlier_batches(benchmark: Any, batch: dict[str, Any], message: str) -> None:
    whole = benchmark.compute(predictions=SCORES, references=ROWS, draws=100)
    benchmark.add_batch(predictions=SCORES, references=ROWS)
    with pytest.raises(ValueError, match=message):
        benchmark.add_batch(**batch)
    assert benchmark.compute(draws=100) == whole


def test_rows_are_added_with_every_score_or_after_all(benchmark: Any) -> None:
    whole = benchmark.compute(predictions=SCORES, references=ROWS, draws=100)
    benchmark.add_batch(predictions=SCORES[:4])
    with pytest.raises(ValueError, match="references: expected with every batch or with none"):
        benchmark.add(prediction=SCORES[4], reference=ROWS[4])
    assert benchmark.compute(predictions=SCORES[4:], references=ROWS, draws=100) == whole


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"draws": 50}, "draws: expected a whole number of at least 100, got 50"),
        ({"others": [1.0]}, "others: expected a dict of name to scores, got list"),
        ({"others": {"x": [1.0]}}, "others, 'x': "),
        ({"predictions": "a"}, "predictions: expected a list of scores, got str"),
        ({"predictions": [1.0]}, "references: expected 1, one per prediction, got 0"),
        ({"references": ROWS[:1]}, "references: expected 0, one per prediction, got 1"),
    ],
)
def test_rejected_arguments_keep_added_rows(benchmark: Any, given: dict[str, Any], message: str) -> None:
    whole = benchmark.compute(predictions=SCORES, references=ROWS, draws=100)
    benchmark.add_batch(predictions=SCORES, references=ROWS)
    with pytest.raises(ValueError, match=message):
        benchmark.compute(**{"draws": 100, **given})
    assert len(benchmark) == len(ROWS)
    assert benchmark.compute(draws=100) == whole
