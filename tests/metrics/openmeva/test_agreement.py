"""Agreement against R 4.2.2 (psych 2.2.9, and R's own rank, friedman.test, p.adjust), on one small table."""

import numpy as np
import pytest

from openmeva.metrics.openmeva.agreement import (
    agreement,
    halves_kappa,
    icc,
    icc_two_way,
    kendall_w,
    krippendorff_alpha,
    linear_kappa,
    rater_blocks,
)

RATINGS = np.array(
    [
        [1, 2, 3, 3, 2],
        [2, 2, 4, 3, 2],
        [5, 4, 4, 5, 5],
        [1, 1, 2, 1, 3],
        [3, 5, 4, 4, 2],
        [2, 3, 3, 2, 1],
        [4, 4, 5, 3, 5],
        [1, 2, 1, 1, 1],
    ],
    dtype=float,
)
RATERS = [list("abcde")] * 8


def test_icc_is_that_of_r():
    assert icc(RATINGS) == pytest.approx({"single": 0.666839736933, "mean": 0.909155261916}, abs=1e-9)
    assert icc_two_way(RATINGS, RATERS) == pytest.approx(
        {"single": 0.667530224525, "mean": 0.909411764706}, abs=1e-9
    )


def test_icc_of_stories_with_different_numbers_of_ratings():
    """The moments of the one-way analysis of variance, each a sum over ratings."""
    ratings = np.where(np.arange(5) < np.array([5, 3, 2, 5, 4, 1, 5, 2])[:, None], RATINGS, np.nan)
    rows = [[value for value in row if value == value] for row in ratings]
    every = [value for row in rows for value in row]
    mean = sum(every) / len(every)
    between = sum(len(row) * (sum(row) / len(row) - mean) ** 2 for row in rows) / (len(rows) - 1)
    within = sum((v - sum(row) / len(row)) ** 2 for row in rows for v in row) / (len(every) - len(rows))
    usual = (len(every) - sum(len(row) ** 2 for row in rows) / len(every)) / (len(rows) - 1)
    variance = (between - within) / usual  # of the stories' true quality
    single = variance / (variance + within)
    k = len(every) / len(rows)
    expected = {"single": single, "mean": variance / (variance + within / k)}
    assert icc(ratings) == pytest.approx(expected, abs=1e-12)
    assert agreement(ratings)["icc_ceiling"] == pytest.approx(expected["mean"] ** 0.5)


def test_kappas_of_ordered_ratings():
    def distance(a, b):
        return np.mean([abs(x - y) for x in a for y in b])

    k = RATINGS.shape[1]
    within = np.mean([distance(row, row) * k / (k - 1) for row in RATINGS])
    expected = 1 - within / distance(RATINGS.ravel(), RATINGS.ravel())
    assert linear_kappa(RATINGS) == pytest.approx(expected, abs=1e-12)
    # Of two categories any weights give the same kappa.
    assert halves_kappa(RATINGS) == pytest.approx(linear_kappa((RATINGS > 3).astype(float)), abs=1e-12)


def test_kendall_w_and_fleiss_kappa_are_those_of_r():
    # W = 12 S / (m² (n³ - n) - m Σ T) and Fleiss' kappa, written out in R.
    assert kendall_w(RATINGS, RATERS) == pytest.approx(0.7299492386, abs=1e-9)
    assert agreement(RATINGS, RATERS)["fleiss_kappa"] == pytest.approx(0.1023622047, abs=1e-9)


def test_krippendorff_interval_from_its_definition():
    def expected(values):
        pairs = [
            (a - b) ** 2 for row in values for k, a in enumerate(row) for j, b in enumerate(row) if j != k
        ]
        observed = sum(pairs) / (len(values[0]) - 1)
        flat = values.ravel()
        chance = sum((a - b) ** 2 for a in flat for b in flat) / (len(flat) - 1)
        return 1 - observed / chance

    assert krippendorff_alpha(RATINGS, "interval") == pytest.approx(expected(RATINGS), abs=1e-12)


def test_the_order_of_ratings_within_a_story_changes_nothing_that_ignores_raters():
    found, sorted_ = agreement(RATINGS), agreement(np.sort(RATINGS, axis=1))
    for name in (
        "krippendorff_ordinal",
        "krippendorff_interval",
        "fleiss_kappa",
        "linear_kappa",
        "icc_one_way",
    ):
        assert found[name] == pytest.approx(sorted_[name])


def test_what_needs_the_raters_is_refused_without_them_with_the_reason():
    refused = agreement(RATINGS)["refused"]
    assert set(refused) == {"kendall_w", "icc_two_way", "icc_two_way_mean", "rater_means"}
    assert all("sorted within each story" in reason for reason in refused.values())


def test_sheets_with_other_raters_are_separate_blocks_in_any_order_of_columns():
    raters = [["a", "b"], ["b", "a"], ["c", "d"]]
    blocks = rater_blocks(np.array([[1.0, 2.0], [4.0, 3.0], [5.0, 5.0]]), raters)
    assert [block.tolist() for block in blocks] == [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 5.0]]]


def test_a_severe_rater_is_found():
    rng = np.random.default_rng(0)
    ratings = rng.integers(2, 5, (40, 3)) - np.array([0, 0, 1.0])
    means = agreement(ratings, [["a", "b", "c"]] * 40)["rater_means"]
    assert means["p_value"] < 0.001
    assert min(means["severity"], key=means["severity"].get) == "c"


def test_degenerate_tables_are_refused_not_nan():
    refused = agreement(np.full((6, 3), 2.0))["refused"]
    assert {"krippendorff_ordinal", "fleiss_kappa"} <= set(refused)
    assert (
        "no story has two ratings" in agreement(np.array([[1.0], [2.0]]))["refused"]["krippendorff_ordinal"]
    )
