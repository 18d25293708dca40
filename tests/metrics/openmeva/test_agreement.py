"""Agreement against R 4.2.2 (psych 2.2.9, and R's own rank, friedman.test, p.adjust), on one small table, and against
Python's libraries on random ones."""

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
from scipy import stats

from openmeva.metrics.openmeva.agreement import (
    agreement,
    binarised_kappa,
    icc,
    icc_two_way,
    kendall_w,
    krippendorff_alpha,
    linear_kappa,
    rater_blocks,
    rater_means,
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


def test_raters_who_agree_less_than_by_chance_leave_no_room():
    found = agreement(np.array([[1, 5], [5, 1], [1, 5], [5, 1], [2, 4], [4, 2.5]]))
    assert found["icc_one_way_mean"] < 0
    assert found["icc_ceiling"] == 0


def test_kappas_of_ordered_ratings():
    def distance(a, b):
        return np.mean([abs(x - y) for x in a for y in b])

    k = RATINGS.shape[1]
    within = np.mean([distance(row, row) * k / (k - 1) for row in RATINGS])
    expected = 1 - within / distance(RATINGS.ravel(), RATINGS.ravel())
    assert linear_kappa(RATINGS) == pytest.approx(expected, abs=1e-12)
    # Of two categories any weights give the same kappa.
    assert binarised_kappa(RATINGS) == pytest.approx(linear_kappa((RATINGS > 3).astype(float)), abs=1e-12)


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


@pytest.mark.parametrize("seed", range(6))
def test_alpha_and_icc_are_those_of_the_libraries(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = (int(rng.integers(6, 40)), int(rng.integers(2, 7)))
    ratings = rng.integers(1, 6, size).astype(float) if seed % 2 else rng.normal(size=size).round(1)
    gaps = np.where(rng.random(size) < 0.3, np.nan, ratings)
    gaps[:2, 0] = ratings[:2, 0]
    gaps[0, 1:] = np.nan  # a single rating
    for table in (ratings, gaps):
        for level in ("ordinal", "interval"):
            wanted = krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
            assert krippendorff_alpha(table, level) == pytest.approx(wanted, abs=1e-9)
    places = np.indices(size)
    frame = pd.DataFrame({"story": places[0].ravel(), "rater": places[1].ravel(), "rating": ratings.ravel()})
    wanted = pingouin.intraclass_corr(frame, "story", "rater", "rating").set_index("Type")["ICC"]
    for found, kind in (
        (icc(ratings), ("ICC(1,1)", "ICC(1,k)")),
        (icc_two_way(ratings, [[str(k) for k in range(size[1])]] * size[0]), ("ICC(A,1)", "ICC(A,k)")),
    ):
        assert [found["single"], found["mean"]] == pytest.approx([wanted[one] for one in kind], abs=1e-9)


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


def test_sets_of_raters_count_by_their_stories():
    rng = np.random.default_rng(0)
    alike = np.repeat(np.arange(12.0)[:, None], 2, axis=1) + rng.normal(size=(12, 2))
    apart = rng.normal(size=(5, 2))
    raters = [["a", "b"]] * 12 + [["c", "d"]] * 5
    for found in (kendall_w, lambda *given: icc_two_way(*given)["single"]):
        one, other = found(alike, raters[:12]), found(apart, raters[12:])
        assert abs(one - other) > 0.1
        assert found(np.concatenate([alike, apart]), raters) == pytest.approx((12 * one + 5 * other) / 17)


def test_a_severe_rater_is_found():
    rng = np.random.default_rng(0)
    ratings = rng.integers(2, 5, (40, 3)) - np.array([0, 0, 1.0])
    means = agreement(ratings, [["a", "b", "c"]] * 40)["rater_means"]
    assert means["p_value"] < 0.001
    assert min(means["severity"], key=means["severity"].get) == "c"


def two_way(block):
    """Sums of squares of the raters and of what is left, and their degrees of freedom, written out."""
    n, r = block.shape
    of_raters = n * ((block.mean(axis=0) - block.mean()) ** 2).sum()
    left = block - block.mean(axis=1, keepdims=True) - block.mean(axis=0) + block.mean()
    return of_raters, r - 1, (left**2).sum(), (n - 1) * (r - 1)


def test_severity_is_tested_by_a_two_way_analysis_of_variance():
    of_raters, df, left, df_left = two_way(RATINGS)
    f = of_raters / df / (left / df_left)
    found = rater_means(RATINGS, RATERS)
    assert found["f"] == pytest.approx(f)
    assert found["p_value"] == pytest.approx(stats.f.sf(f, df, df_left))
    # Sheets of other raters add up.
    more = np.random.default_rng(0).integers(1, 6, (5, 5)).astype(float)
    of_raters, df, left, df_left = np.sum([two_way(RATINGS), two_way(more)], axis=0)
    found = rater_means(np.vstack([RATINGS, more]), RATERS + [list("fghij")] * 5)
    assert found["f"] == pytest.approx(of_raters / df / (left / df_left))
    assert found["p_value"] == pytest.approx(stats.f.sf(found["f"], df, df_left))


def test_severity_of_raters_who_share_some_stories():
    """Least squares of a column a story and a column a rater; a rater of a single rating counts for nothing."""
    rng = np.random.default_rng(1)
    raters = [[str(name) for name in rng.permutation(list("abcdef"))[: 2 + k % 3]] for k in range(30)]
    ratings = np.full((30, 5), np.nan)
    for row, names in zip(ratings, raters, strict=True):
        row[: len(names)] = rng.integers(1, 6, len(names))
    y = ratings[np.isfinite(ratings)]
    stories = np.repeat(np.eye(30), [len(names) for names in raters], axis=0)
    judges = np.array([[float(name == judge) for judge in "abcdef"] for names in raters for name in names])
    left = [
        float(((y - columns @ np.linalg.pinv(columns) @ y) ** 2).sum())
        for columns in (stories, np.hstack([stories, judges]))
    ]
    df, df_left = 5, len(y) - 30 - 5
    f = (left[0] - left[1]) / df / (left[1] / df_left)
    raters[0] = [*raters[0], "once"]
    ratings[0, 2] = 5
    found = rater_means(ratings, raters)
    assert found["f"] == pytest.approx(f)
    assert found["p_value"] == pytest.approx(stats.f.sf(f, df, df_left))
    assert (found["raters"], list(found["severity"])) == (7, list("abcdef"))


def test_raters_of_equal_severity_are_found_as_often_as_said():
    rng = np.random.default_rng(2)
    raters = [list("abc")] * 4 + [list("cde")] * 4
    found = [
        rater_means(rng.normal(size=(8, 1)) + rng.normal(size=(8, 3)), raters)["p_value"] for _ in range(400)
    ]
    # 20 of 400 expected; 3.5 standard deviations to either side.
    assert 5 <= sum(p < 0.05 for p in found) <= 36


@pytest.mark.parametrize(
    ("ratings", "raters", "message"),
    [
        (np.arange(6.0)[:, None] + [0.0, 1.0, 2.0], [list("abc")] * 6, "do not vary beyond"),
        (np.full((6, 3), 2.0), [list("abc")] * 6, "do not vary beyond"),
        (np.arange(4.0)[:, None], [["a"], ["a"], ["b"], ["b"]], "share too few stories"),
        (np.array([[1.0, 2.0], [3.0, 1.0]]), [["a", "b"], ["c", "d"]], "fewer than two raters"),
    ],
)
def test_severity_that_cannot_be_tested_is_refused(ratings, raters, message):
    assert message in agreement(ratings, raters)["refused"]["rater_means"]


def test_a_single_rater_agrees_with_nobody():
    alone = agreement(np.arange(1.0, 6.0)[:, None], [["a"]] * 5)
    assert {"kendall_w", "icc_two_way"} <= set(alone["refused"])
    ratings = np.array([[1.0, 2, 1], [2, 3, 2], [3, 3, 4], [4, 5, 4], [5, 4, 5], [1, 1, 2]])
    single = np.c_[np.arange(1.0, 6.0)[::-1], np.full((5, 2), np.nan)]
    mixed = agreement(np.r_[ratings, single], [["a", "b", "c"]] * 6 + [["a"]] * 5)
    both = agreement(ratings, [["a", "b", "c"]] * 6)
    assert {name: mixed[name] for name in ("kendall_w", "icc_two_way")} == {
        name: both[name] for name in ("kendall_w", "icc_two_way")
    }


def test_degenerate_tables_are_refused_not_nan():
    only = agreement(np.array([[1.0, 1.0], [1.0, 1.0], [5.0, np.nan]]))["refused"]
    assert "all ratings are equal" in only["krippendorff_ordinal"]
    refused = agreement(np.full((6, 3), 2.0))["refused"]
    assert {"krippendorff_ordinal", "fleiss_kappa"} <= set(refused)
    assert (
        "no story has two ratings" in agreement(np.array([[1.0], [2.0]]))["refused"]["krippendorff_ordinal"]
    )


def test_icc_of_variances_that_cancel_out_is_refused():
    ratings = np.array([[12.0, 0], *[[6.0, 6]] * 5])  # stories 0, raters 12, what is left 12
    with pytest.raises(ValueError, match="are 0"):
        icc_two_way(ratings, [["a", "b"]] * 6)


def test_one_way_icc_of_stories_with_equal_means_is_refused() -> None:
    """Its share of a mean of ratings would be divided by 0."""
    with pytest.raises(ValueError, match="the same mean rating"):
        icc(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [0.0, 4.0], [4.0, 0.0]]))
