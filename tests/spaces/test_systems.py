"""Two systems on the same prompts: matching of rows, the difference, and its interval."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from openmeva.spaces.scorer import Score, Scorer
from openmeva.spaces.story_scorer import views
from openmeva.spaces.story_scorer.systems import compare
from openmeva.training.statistics.systems import MIN_PROMPTS
from tests.spaces.test_verdicts import score

STORY = "Ann was hungry. She made a sandwich. She ate it. Then she slept for {} hours."


class ByNumber(Scorer):
    """The score of a story is the number in it, as hundredths; none for a 0."""

    def score(self, texts: Any, corpus: str, only: Any = None, due: Any = None) -> list[list[Score]]:
        values = [int(re.findall(r"\d+", text.story)[0]) / 100 for text in texts]
        return [[score(value or None)] for value in values]


def rows(numbers: list[int]) -> list[dict[str, Any]]:
    return [{"story_id": number, "story": STORY.format(n)} for number, n in enumerate(numbers, 1)]


def comparison_of(first: Any, second: Any, corpus: str) -> Any:
    *progress, comparison = compare(ByNumber(), first, second, corpus)
    assert progress[-1] == (2 * len(first), 2 * len(first))
    return comparison


def compared(first: list[int], second: list[int]) -> Any:
    return comparison_of(rows(first), rows(second), "roc")


def test_progress_counts_the_stories_of_both_files() -> None:
    *progress, comparison = compare(ByNumber(), rows([50] * 20), rows([60] * 20), "roc")
    assert progress == [(0, 40), (16, 40), (20, 40), (36, 40), (40, 40)]
    assert len(comparison.pairs) == 20


def test_clear_difference_is_reported() -> None:
    comparison = compared([50, 60, 70, 80, 90, 95], [40, 45, 60, 65, 75, 90])
    assert comparison.difference == pytest.approx(0.1167, abs=1e-4)
    assert 0 < comparison.interval[0] < comparison.difference < comparison.interval[1]
    assert (comparison.won, comparison.is_clear, comparison.unscored) == (1.0, True, 0)
    assert {pair.scores for pair in comparison.most_different} == {(0.6, 0.45), (0.8, 0.65), (0.9, 0.75)}
    html = views.two_systems(comparison)
    assert "The first system’s stories hold together better" in html
    assert "on average over 6 pairs, 95 %" in html
    assert "The first has the better story for 100 % of pairs; ties count half." in html


def test_unclear_difference_and_prompts_without_score() -> None:
    comparison = compared([50, 60, 70, 80, 90, 0], [60, 50, 80, 70, 90, 50])
    assert (comparison.won, comparison.is_clear, comparison.unscored) == (0.5, False, 1)
    html = views.two_systems(comparison)
    assert "No clear difference" in html
    assert "The first has the better story for 50 % of pairs; ties count half." in html
    for won, share in ((0.0, "0 %"), (0.001, "under 1 %"), (0.999, "over 99 %")):
        assert f"for {share} of pairs" in views.two_systems(replace(comparison, won=won))
    with pytest.raises(
        ValueError, match=f"at least {MIN_PROMPTS} pairs with a score for both stories, got 4"
    ):
        compared([50, 60, 70, 80, 0], [50] * 5)


def test_bootstrap_resamples_whole_prompts() -> None:
    rng = np.random.default_rng(4)
    effects = np.repeat(100 * rng.normal(0.05, 0.15, 6), 20)
    numbers = [[int(50 + n) for n in effects * step + rng.normal(0, 2, 120)] for step in (1, 0)]
    files = [
        [{**row, "context": f"Prompt {index // 20}."} for index, row in enumerate(rows(file_numbers))]
        for file_numbers in numbers
    ]
    comparison = comparison_of(*files, "wp")
    assert (comparison.prompts, len(comparison.pairs), comparison.is_clear) == (6, 120, False)
    means = np.subtract(*numbers).reshape(6, 20).mean(1) / 100
    resampled = means[np.random.default_rng(0).integers(0, 6, (2000, 6))].mean(1)
    assert comparison.interval == pytest.approx(tuple(np.percentile(resampled, [2.5, 97.5])))
    assert "over 120 pairs of 6 prompts" in views.two_systems(comparison)
    for file in files:
        del file[0]["context"]
    without_one = comparison_of(*files, "wp")
    assert (without_one.prompts, without_one.is_clear) == (7, False)
    for row in files[0][1:] + files[1][1:]:
        del row["context"]
    without_prompts = comparison_of(*files, "wp")
    assert (without_prompts.prompts, without_prompts.is_clear) == (None, True)
    assert "over 120 pairs, 95 %" in views.two_systems(without_prompts)


def test_stories_of_one_prompt_count_as_one_prompt() -> None:
    same, apart = ([{**row, "context": text.format(row["story_id"])} for row in rows([50, 60, 70, 80, 90])]
                   for text in ("One day.", "Day {}."))  # fmt: skip
    with pytest.raises(
        ValueError, match=f"at least {MIN_PROMPTS} prompts with a score for both stories, got 1"
    ):
        comparison_of(same, same, "wp")
    assert "over 5 prompts, 95 %" in views.two_systems(comparison_of(apart, apart, "wp"))


def test_id_may_be_0_and_errors_name_the_row_number() -> None:
    first, second = rows([50, 60, 70, 80, 90, 95]), rows([51, 61, 71, 81, 91, 96])
    for row in [*first, *second]:
        row["story_id"] -= 1
    second = second[::-1]
    second[5]["story"] = " "
    with pytest.raises(ValueError, match=r"Second file: Row 6"):
        comparison_of(first, second, "roc")


def test_files_that_do_not_match_are_reported_in_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"^The files have 2 and 1 rows; .* in every row\.$"):
        comparison_of([{"story": STORY}] * 2, [{"story": STORY}], "roc")
