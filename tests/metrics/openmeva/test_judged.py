"""Judged stories: what counts as missing, their scores, their scale, their raters."""

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions
from openmeva.metrics.openmeva.levels import within_prompts


@pytest.mark.parametrize("missing", [None, float("nan"), np.float32("nan"), pd.NaT, pd.NA])
@pytest.mark.parametrize("column", ["story_id", "prompt", "source_model", "raters", "error_types", "score"])
def test_pandas_missing_values_count_as_missing(column, missing):
    rows = [{"story": f"story {k} .", "ratings": [1.0 + k, 2.0]} for k in range(3)]
    given = {"raters": ["a", "b"], "error_types": [[], []], "score": 1.5}.get(column, "one")
    with pytest.raises(
        ValueError, match=f"'{column}': expected in every row or in none, missing in rows 1, 2"
    ):
        JudgedStories.from_rows([{**row, column: missing if k else given} for k, row in enumerate(rows)])
    result = JudgedStories.from_rows([{**row, column: missing} for row in rows])
    assert (result.prompts.tolist(), result.raters, result.source_models) == ([0, 1, 2], None, None)


def test_stories_without_ratings_have_no_raters():
    rows = [{"story": f"story {k} .", "score": k, "ratings": float("nan"), "raters": []} for k in range(3)]
    assert JudgedStories.from_rows(rows).raters == [[], [], []]


def test_raters_of_a_story_must_differ():
    row = {"story": "a", "ratings": [1, 2], "raters": ["ann", "ann"]}
    with pytest.raises(ValueError, match="row 0: expected 2 different raters, one per rating, got"):
        JudgedStories.from_rows([row])


def test_reasonable_threshold_is_4_of_5_and_subset_keeps_the_scale():
    rows = [{"story": f"story {n}", "ratings": [n, n]} for n in (1, 3, 5)]
    for judged in (JudgedStories.from_rows(rows), JudgedStories.from_rows(rows, (1.0, 5.0))):
        part = judged.subset(np.array([False, True, True]))
        assert (part.low, part.high) == (judged.low, judged.high) == (1, 5)
        assert judged.reasonable_above == part.reasonable_above == 4
    binary = JudgedStories.from_rows([{"story": "a", "ratings": [0, 1]}, {"story": "b", "ratings": [1, 1]}])
    assert binary.reasonable_above == 0.75


def test_score_is_the_mean_of_its_ratings_up_to_rounding():
    rows: list[dict[str, Any]] = [
        {"story": "a", "ratings": [1, 2, 2], "score": 1.67},
        {"story": "b", "ratings": [4, 5], "score": 4.5},
    ]
    assert JudgedStories.from_rows(rows).scores.tolist() == [1.67, 4.5]
    with pytest.raises(ValueError, match="'score' is not the mean of 'ratings' in row 1"):
        JudgedStories.from_rows([rows[0], {**rows[1], "score": 4}])


def test_missing_score_is_the_mean_of_the_ratings():
    rows = [{"story": "a", "ratings": [1, 1, 5]}, {"story": "b", "ratings": [2, 4]}]
    assert JudgedStories.from_rows(rows).scores == pytest.approx([7 / 3, 3])


@pytest.mark.parametrize("given", [False, True])
def test_scores_do_not_depend_on_the_order_of_ratings(given):
    """.1 + .2 + .3 and .3 + .2 + .1 are different floats, but a prompt of equal stories must be constant."""
    rows: list[dict[str, Any]] = [
        {"story": f"s{ratings}", "prompt": "p", "ratings": list(ratings)}
        for ratings in permutations([0.1, 0.2, 0.3])
    ]
    rows += [{"story": f"t{k}", "prompt": "q", "ratings": [k, k, k]} for k in range(1, 5)]
    if given:
        rows = [{**row, "score": float(np.mean(row["ratings"]))} for row in rows]
    judged = JudgedStories.from_rows(rows)
    assert len(set(judged.scores)) == 5
    result = within_prompts(np.arange(10.0), judged)
    assert (result["dropped"], result["prompts"]) == (1, 1)


def test_scores_that_differ_by_rounding_are_equal() -> None:
    sums = [0.1 + 0.2, 0.3, 0.5]
    assert check_predictions(sums, 3).tolist() == check_predictions([0.3, 0.3, 0.5], 3).tolist()
    with pytest.raises(ValueError, match="no correlation is defined for a constant"):
        check_predictions(sums[:2], 2)
