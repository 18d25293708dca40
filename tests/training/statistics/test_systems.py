"""Two systems on the same prompts: which rows belong together, and the interval of the difference."""

import tracemalloc

import numpy as np
import pytest

from openmeva.training.statistics import systems
from openmeva.training.statistics.systems import (
    MIN_PROMPTS,
    compare_systems,
    exchange_test,
    interval_of_mean,
    match_systems,
)


def test_rows_are_matched_by_id_or_prompt_or_position() -> None:
    a, b = {"story": "x", "context": "p"}, {"story": "y", "context": "q"}
    assert match_systems([a, b], [b, a]) == [(0, 1), (1, 0)]
    plain = [{"story": "x"}, {"story": "y"}]
    assert match_systems(plain, plain) == [(0, 0), (1, 1)]
    prompted = [[{"story": "x", "prompt": prompt} for prompt in order] for order in ("pq", "qp")]
    assert match_systems(*prompted) == [(0, 1), (1, 0)]
    numbered = [[{**a, "story_id": number} for number in order] for order in ((0, 1), (1, 0))]
    assert match_systems(*numbered) == [(0, 1), (1, 0)], "an id may be 0"
    other_column = [[{"story": "x", "id": number} for number in order] for order in ((0, 1), (1, 0))]
    assert match_systems(*other_column) == [(0, 1), (1, 0)]
    own_ids = [
        [{**row, "id": f"{name} {n}"} for n, row in enumerate(rows)]
        for name, rows in (("a", (a, b)), ("b", (b, a)))
    ]
    assert match_systems(*own_ids) == [(0, 1), (1, 0)], "ids of which no two are equal say nothing"
    with pytest.raises(ValueError, match="the story_id '1' is in only one of the files"):
        match_systems(numbered[0], numbered[0][:1])
    with pytest.raises(ValueError, match="the files have 2 and 1 rows"):
        match_systems(plain, plain[:1])
    with pytest.raises(ValueError, match="the prompt 'q' is in only one of the files"):
        match_systems([a, b], [a])
    with pytest.raises(ValueError, match="the prompt 'p' occurs twice in the first file"):
        match_systems([a, a], [a, b])
    by_number = [[{**row, "story_id": n} for n, row in enumerate(rows)] for rows in ((a, b), (b, a))]
    with pytest.raises(ValueError, match=r"row 1 of the first file and row 1 of the second .* 'p' and 'q'"):
        match_systems(*by_number)


def test_interval_is_of_resampled_prompts() -> None:
    rng = np.random.default_rng(4)
    gaps = np.repeat(rng.normal(0.05, 0.15, 6), 20)
    result = compare_systems([(gap, 0.0) for gap in gaps], [f"prompt {index // 20}" for index in range(120)])
    means = gaps.reshape(6, 20).mean(1)
    resampled = means[np.random.default_rng(0).integers(0, 6, (2000, 6))].mean(1)
    assert result.interval == pytest.approx(tuple(np.percentile(resampled, [2.5, 97.5])))
    assert (result.prompts, result.difference) == (6, pytest.approx(gaps.mean()))
    alone = compare_systems([(gap, 0.0) for gap in gaps], [""] * 120)
    assert alone.prompts is None
    assert alone.interval[1] - alone.interval[0] < result.interval[1] - result.interval[0]


def test_pair_without_prompt_is_alone_and_changes_no_other() -> None:
    gaps = np.repeat(np.random.default_rng(4).normal(0.05, 0.15, 6), 20)
    pairs, prompts = [(gap, 0.0) for gap in gaps], [f"prompt {index // 20}" for index in range(120)]
    whole, one_blank = (compare_systems(pairs, names) for names in (prompts, ["", *prompts[1:]]))
    assert (whole.prompts, one_blank.prompts) == (6, 7)
    assert np.ptp(one_blank.interval) == pytest.approx(np.ptp(whole.interval), rel=0.15)
    with pytest.raises(ValueError, match="at least 5 prompts with a score for both stories, got 4"):
        compare_systems(pairs, ["", *[f"prompt {index // 40}" for index in range(119)]])


def test_small_scores_are_not_tied_by_a_large_one() -> None:
    pairs = [(2e-20 * number, 1e-20 * number) for number in range(1, 10)]
    assert compare_systems([*pairs, (0.3, 0.4)], [""] * 10).won == pytest.approx(0.9)


def test_ties_count_half_and_stories_without_score_are_left_out() -> None:
    scores = [(1.0, 0.0), (0.0, 1.0), (2.0, 2.0), (0.0, 0.0), (3.0, 1.0), (None, 1.0)]
    result = compare_systems(scores, list("abcdef"))
    assert (result.won, result.prompts, result.unscored) == (pytest.approx(0.6), 5, 1)
    lower = compare_systems(scores, list("abcdef"), higher_is_better=False)
    assert (lower.won, lower.difference) == (pytest.approx(0.4), -result.difference)


def test_too_few_prompts_are_refused() -> None:
    pairs = [(1.0, 0.0)] * 9
    with pytest.raises(
        ValueError, match=f"at least {MIN_PROMPTS} prompts with a score for both stories, got 2"
    ):
        compare_systems(pairs, ["a", "b", "b", "a", "a", "a", "a", "a", "a"])
    with pytest.raises(ValueError, match="pairs with a score for both stories, got 4"):
        compare_systems([*pairs[:4], (None, 1.0)], [""] * 5)


def test_rounding_is_no_difference() -> None:
    result = compare_systems([(0.1 + 0.2, 0.3)] * 6, list("abcdef"))
    assert (result.difference, result.interval, result.p_value) == (0.0, (0.0, 0.0), 1.0)
    assert (result.won, result.is_clear) == (0.5, False)


def test_few_prompts_are_not_clear_by_their_interval_alone() -> None:
    gaps = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    for count, p_value in ((5, 2 / 2**5), (6, 2 / 2**6)):
        result = compare_systems([(gap, 0.0) for gap in gaps[:count]], list("abcdef"[:count]))
        assert result.interval[0] > 0
        assert (result.p_value, result.is_clear) == (p_value, p_value < 0.05)
    rng = np.random.default_rng(1)
    many = rng.normal(0.05, 0.1, 60)
    result = compare_systems([(gap, 0.0) for gap in np.repeat(many, 3)], [str(i // 3) for i in range(180)])
    flips = rng.choice([-1.0, 1.0], (20_000, 60))
    share = np.mean(np.abs(flips @ many) >= abs(many.sum()))
    assert result.p_value == pytest.approx(share, abs=0.01)


def test_memory_does_not_grow_with_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    gaps = np.random.default_rng(2).normal(0.02, 1, 400)
    found, peaks = [], []
    for at_once in (10**9, 10**5):
        monkeypatch.setattr(systems, "_AT_ONCE", at_once)
        tracemalloc.start()
        found.append((interval_of_mean(gaps, np.arange(400)), exchange_test(gaps)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert found[0] == found[1]
    assert peaks[1] < peaks[0] / 10
