"""Rows added before `compute`: rejected calls keep them, and never pair a score with another row."""

from pathlib import Path
from typing import Any

import datasets
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
        ({"predictions": [float("nan")], "references": ROWS[:1]}, "expected finite scores, got nan in row 6"),
        ({"predictions": [1.0], "references": [{"story": "a ."}]}, "'ratings': expected in every row"),
    ],
)
def test_rejected_arguments_keep_added_rows(benchmark: Any, given: dict[str, Any], message: str) -> None:
    whole = benchmark.compute(predictions=SCORES, references=ROWS, draws=100)
    benchmark.add_batch(predictions=SCORES, references=ROWS)
    with pytest.raises(ValueError, match=message):
        benchmark.compute(**{"draws": 100, **given})
    assert len(benchmark) == len(ROWS)
    assert benchmark.compute(draws=100) == whole


def test_scores_stay_until_their_rows_are_valid(benchmark: Any) -> None:
    whole = benchmark.compute(predictions=SCORES, references=ROWS, draws=100)
    benchmark.add_batch(predictions=SCORES)
    for rows in (ROWS[:-1], [*ROWS[:-1], {"story": "a ."}], []):
        with pytest.raises(ValueError, match=r"predictions: expected 5|'ratings'|at least one judged story"):
            benchmark.compute(references=rows, draws=100)
    assert benchmark.compute(references=ROWS, draws=100) == whole


def test_scores_stay_until_their_set_is_found(tmp_path: Path) -> None:
    module = evaluate.load(str(FOLDER), "autos_discrimination", cache_dir=str(tmp_path))
    rows = [
        {"story_id": f"{n}", "story": f"he ran {n} miles .", "aspect": "typo", "label": 1 - n % 2,
         "perturbed_from": f"{n - 1}"}
        for n in range(6)
    ]  # fmt: skip
    (tmp_path / "autos").mkdir()
    lines = ["---", "configs:"]
    for name, count in (("roc", 4), ("wp", 6)):
        datasets.Dataset.from_list(rows[:count]).to_parquet(str(tmp_path / "autos" / f"{name}.parquet"))
        lines += [f"- config_name: {name}", "  data_files:", "  - split: discrimination"]
        lines += [f"    path: {name}.parquet"]
    (tmp_path / "autos" / "README.md").write_text("\n".join([*lines, "---", ""]))
    module.add_batch(predictions=SCORES)
    given = {"dataset": str(tmp_path / "autos"), "draws": 100}
    with pytest.raises(ValueError, match="expected 4 scores, one per story of autos_discrimination roc"):
        module.compute(**given)
    assert module.compute(**given, subset="wp")["n"] == 6


@pytest.mark.parametrize(
    ("scores", "rows"), [([*SCORES[:5], float("nan")], ROWS), (SCORES, [*ROWS[:5], {"story": "a ."}])]
)
@pytest.mark.parametrize("given", [{}, {"others": {"x": [1.0]}}])
def test_invalid_added_rows_are_discarded(
    benchmark: Any, scores: list[float], rows: list[dict[str, Any]], given: dict[str, Any]
) -> None:
    """No later call could succeed with them."""
    benchmark.add_batch(predictions=scores, references=rows)
    with pytest.raises(ValueError, match=r"finite scores|'ratings'"):
        benchmark.compute(**given)
    assert len(benchmark) == 0
    assert benchmark.compute(predictions=SCORES, references=ROWS, draws=100)["n"] == 6


def test_scores_of_others_may_be_generators(benchmark: Any) -> None:
    given: dict[str, Any] = {"predictions": SCORES, "references": ROWS, "draws": 100}
    expected = benchmark.compute(**given, others={"x": SCORES[::-1]})
    assert benchmark.compute(**given, others={"x": (score for score in SCORES[::-1])}) == expected
