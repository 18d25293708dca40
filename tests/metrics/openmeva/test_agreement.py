"""Agreement compared with R 4.2.2 (psych 2.2.9, and R's own rank, friedman.test, p.adjust), on one small table, and against
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


def test_icc_equals_r():
    assert icc(RATINGS) == pytest.approx({"single": 0.666839736933, "mean": 0.909155261916}, abs=1e-9)
    assert icc_two_way(RATINGS, RATERS) == pytest.approx(
        {"single": 0.667530224525, "mean": 0.909411764706}, abs=1e-9
    )


def test_icc_of_stories_with_different_numbers_of_ratings():
    """The moments of the one-way analysis of variance, each a sum over ratings."""
    ratings = np.where(np.arange(5) < np.array([5, 3, 2, 5, 4, 1, 5, 2])[:, None], RATINGS, np.nan)
    rows = [[value for value in row if value == value] for row in ratings]
    all_ratings = [value for row in rows for value in row]
    mean = sum(all_ratings) / len(all_ratings)
    between = sum(len(row) * (sum(row) / len(row) - mean) ** 2 for row in rows) / (len(rows) - 1)
    within = sum((v - sum(row) / len(row)) ** 2 for row in rows for v in row) / (len(all_ratings) - len(rows))
    usual = (len(all_ratings) - sum(len(row) ** 2 for row in rows) / len(all_ratings)) / (len(rows) - 1)
    variance = (between - within) / usual  # of the stories' true quality
    single = variance / (variance + within)
    k = len(all_ratings) / len(rows)
    expected = {"single": single, "mean": variance / (variance + within / k)}
    assert icc(ratings) == pytest.approx(expected, abs=1e-12)
    assert agreement(ratings)["icc_ceiling"] == pytest.approx(expected["mean"] ** 0.5)


def test_agreement_below_chance_gives_ceiling_0():
    result = agreement(np.array([[1, 5], [5, 1], [1, 5], [5, 1], [2, 4], [4, 2.5]]))
    assert result["icc_one_way_mean"] < 0
    assert result["icc_ceiling"] == 0


def test_linear_and_binarised_kappa_equal_their_definitions():
    def distance(a, b):
        return np.mean([abs(x - y) for x in a for y in b])

    k = RATINGS.shape[1]
    within = np.mean([distance(row, row) * k / (k - 1) for row in RATINGS])
    expected = 1 - within / distance(RATINGS.ravel(), RATINGS.ravel())
    assert linear_kappa(RATINGS) == pytest.approx(expected, abs=1e-12)
    # With two categories, all weights give the same kappa.
    assert binarised_kappa(RATINGS) == pytest.approx(linear_kappa((RATINGS > 3).astype(float)), abs=1e-12)


def test_kendall_w_and_fleiss_kappa_equal_r():
    # W = 12 S / (m² (n³ - n) - m Σ T) and Fleiss' kappa, written out in R.
    assert kendall_w(RATINGS, RATERS) == pytest.approx(0.7299492386, abs=1e-9)
    assert agreement(RATINGS, RATERS)["fleiss_kappa"] == pytest.approx(0.1023622047, abs=1e-9)


def test_krippendorff_interval_equals_its_definition():
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
def test_alpha_and_icc_equal_the_libraries(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = (int(rng.integers(6, 40)), int(rng.integers(2, 7)))
    ratings = rng.integers(1, 6, size).astype(float) if seed % 2 else rng.normal(size=size).round(1)
    gaps = np.where(rng.random(size) < 0.3, np.nan, ratings)
    gaps[:2, 0] = ratings[:2, 0]
    gaps[0, 1:] = np.nan  # a single rating
    for table in (ratings, gaps):
        for level in ("ordinal", "interval"):
            expected = krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
            assert krippendorff_alpha(table, level) == pytest.approx(expected, abs=1e-9)
    positions = np.indices(size)
    frame = pd.DataFrame(
        {"story": positions[0].ravel(), "rater": positions[1].ravel(), "rating": ratings.ravel()}
    )
    expected = pingouin.intraclass_corr(frame, "story", "rater", "rating").set_index("Type")["ICC"]
    for computed, kinds in (
        (icc(ratings), ("ICC(1,1)", "ICC(1,k)")),
        (icc_two_way(ratings, [[str(k) for k in range(size[1])]] * size[0]), ("ICC(A,1)", "ICC(A,k)")),
    ):
        assert [computed["single"], computed["mean"]] == pytest.approx(
            [expected[kind] for kind in kinds], abs=1e-9
        )


def test_rating_order_does_not_change_coefficients_that_ignore_raters():
    result, sorted_ = agreement(RATINGS), agreement(np.sort(RATINGS, axis=1))
    for name in (
        "krippendorff_ordinal",
        "krippendorff_interval",
        "fleiss_kappa",
        "linear_kappa",
        "icc_one_way",
    ):
        assert result[name] == pytest.approx(sorted_[name])


def test_coefficients_that_need_rater_ids_are_refused_with_reason():
    refused = agreement(RATINGS)["refused"]
    assert set(refused) == {"kendall_w", "icc_two_way", "icc_two_way_mean", "rater_means"}
    assert all("sorted within each story" in reason for reason in refused.values())


def test_rater_blocks_ignore_the_order_of_raters():
    raters = [["a", "b"], ["b", "a"], ["c", "d"]]
    blocks = rater_blocks(np.array([[1.0, 2.0], [4.0, 3.0], [5.0, 5.0]]), raters)
    assert [block.tolist() for block in blocks] == [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 5.0]]]


def test_rater_blocks_are_weighted_by_their_stories():
    rng = np.random.default_rng(0)
    alike = np.repeat(np.arange(12.0)[:, None], 2, axis=1) + rng.normal(size=(12, 2))
    apart = rng.normal(size=(5, 2))
    raters = [["a", "b"]] * 12 + [["c", "d"]] * 5
    one, other = kendall_w(alike, raters[:12]), kendall_w(apart, raters[12:])
    assert abs(one - other) > 0.1
    assert kendall_w(np.concatenate([alike, apart]), raters) == pytest.approx((12 * one + 5 * other) / 17)


def test_severe_rater_is_detected():
    rng = np.random.default_rng(0)
    ratings = rng.integers(2, 5, (40, 3)) - np.array([0, 0, 1.0])
    means = agreement(ratings, [["a", "b", "c"]] * 40)["rater_means"]
    assert means["p_value"] < 0.001
    assert min(means["severity"], key=means["severity"].get) == "c"


def two_way_anova(block):
    """Sums of squares of the raters and of the residual, and their degrees of freedom."""
    n, r = block.shape
    of_raters = n * ((block.mean(axis=0) - block.mean()) ** 2).sum()
    residual = block - block.mean(axis=1, keepdims=True) - block.mean(axis=0) + block.mean()
    return of_raters, r - 1, (residual**2).sum(), (n - 1) * (r - 1)


def test_severity_test_equals_two_way_analysis_of_variance():
    of_raters, df, residual, df_residual = two_way_anova(RATINGS)
    f = of_raters / df / (residual / df_residual)
    result = rater_means(RATINGS, RATERS)
    assert result["f"] == pytest.approx(f)
    assert result["p_value"] == pytest.approx(stats.f.sf(f, df, df_residual))
    # Blocks of other raters add up.
    more = np.random.default_rng(0).integers(1, 6, (5, 5)).astype(float)
    of_raters, df, residual, df_residual = np.sum([two_way_anova(RATINGS), two_way_anova(more)], axis=0)
    result = rater_means(np.vstack([RATINGS, more]), RATERS + [list("fghij")] * 5)
    assert result["f"] == pytest.approx(of_raters / df / (residual / df_residual))
    assert result["p_value"] == pytest.approx(stats.f.sf(result["f"], df, df_residual))


def test_severity_test_with_partially_shared_stories():
    """Least squares with one column per story and per rater; a rater with a single rating has no effect."""
    rng = np.random.default_rng(1)
    raters = [[str(name) for name in rng.permutation(list("abcdef"))[: 2 + k % 3]] for k in range(30)]
    ratings = np.full((30, 5), np.nan)
    for row, names in zip(ratings, raters, strict=True):
        row[: len(names)] = rng.integers(1, 6, len(names))
    y = ratings[np.isfinite(ratings)]
    stories = np.repeat(np.eye(30), [len(names) for names in raters], axis=0)
    judges = np.array([[float(name == judge) for judge in "abcdef"] for names in raters for name in names])
    residual = [
        float(((y - columns @ np.linalg.pinv(columns) @ y) ** 2).sum())
        for columns in (stories, np.hstack([stories, judges]))
    ]
    df, df_residual = 5, len(y) - 30 - 5
    f = (residual[0] - residual[1]) / df / (residual[1] / df_residual)
    raters[0] = [*raters[0], "once"]
    ratings[0, 2] = 5
    result = rater_means(ratings, raters)
    assert result["f"] == pytest.approx(f)
    assert result["p_value"] == pytest.approx(stats.f.sf(f, df, df_residual))
    assert (result["raters"], list(result["severity"])) == (7, list("abcdef"))


def test_severity_test_has_nominal_false_positive_rate():
    rng = np.random.default_rng(2)
    raters = [list("abc")] * 4 + [list("cde")] * 4
    p_values = [
        rater_means(rng.normal(size=(8, 1)) + rng.normal(size=(8, 3)), raters)["p_value"] for _ in range(400)
    ]
    # 20 of 400 expected; 3.5 standard deviations to either side.
    assert 5 <= sum(p < 0.05 for p in p_values) <= 36


@pytest.mark.parametrize(
    ("ratings", "raters", "message"),
    [
        (np.arange(6.0)[:, None] + [0.0, 1.0, 2.0], [list("abc")] * 6, "do not vary beyond"),
        (np.full((6, 3), 2.0), [list("abc")] * 6, "do not vary beyond"),
        (np.arange(4.0)[:, None], [["a"], ["a"], ["b"], ["b"]], "fewer than two raters"),
        (np.array([[1.0, 2.0], [3.0, 1.0]]), [["a", "b"], ["c", "d"]], "fewer than two raters"),
    ],
)
def test_untestable_severity_is_refused(ratings, raters, message):
    assert message in agreement(ratings, raters)["refused"]["rater_means"]


def test_single_rater_is_ignored_in_agreement():
    alone = agreement(np.arange(1.0, 6.0)[:, None], [["a"]] * 5)
    assert {"kendall_w", "icc_two_way"} <= set(alone["refused"])
    ratings = np.array([[1.0, 2, 1], [2, 3, 2], [3, 3, 4], [4, 5, 4], [5, 4, 5], [1, 1, 2]])
    single = np.c_[np.arange(1.0, 6.0)[::-1], np.full((5, 2), np.nan)]
    mixed = agreement(np.r_[ratings, single], [["a", "b", "c"]] * 6 + [["a"]] * 5)
    both = agreement(ratings, [["a", "b", "c"]] * 6)
    assert {name: mixed[name] for name in ("kendall_w", "icc_two_way")} == {
        name: both[name] for name in ("kendall_w", "icc_two_way")
    }


def test_degenerate_tables_are_refused_instead_of_nan():
    only = agreement(np.array([[1.0, 1.0], [1.0, 1.0], [5.0, np.nan]]))["refused"]
    assert "all ratings are equal" in only["krippendorff_ordinal"]
    refused = agreement(np.full((6, 3), 2.0))["refused"]
    assert {"krippendorff_ordinal", "fleiss_kappa"} <= set(refused)
    assert (
        "no story has two ratings" in agreement(np.array([[1.0], [2.0]]))["refused"]["krippendorff_ordinal"]
    )


def test_icc_with_cancelling_variances_is_refused():
    ratings = np.array([[12.0, 0], *[[6.0, 6]] * 5])  # stories 0, raters 12, residual 12
    with pytest.raises(ValueError, match="are 0"):
        icc_two_way(ratings, [["a", "b"]] * 6)


def test_two_way_icc_of_small_sheets_is_near_the_true_one() -> None:
    """Each sheet's own coefficient may be far outside 0 to 1; the pooled variances are not."""
    rng = np.random.default_rng(0)
    sheets, stories, judges = 200, 5, 3
    quality, severity = rng.normal(0, 0.8, (sheets, stories, 1)), rng.normal(0, 0.3, (sheets, 1, judges))
    ratings = (quality + severity + rng.normal(0, 1.2, (sheets, stories, judges))).reshape(-1, judges)
    raters = [[f"{row // stories}-{judge}" for judge in range(judges)] for row in range(len(ratings))]
    noise = 0.3**2 + 1.2**2
    assert icc_two_way(ratings, raters) == pytest.approx(
        {"single": 0.64 / (0.64 + noise), "mean": 0.64 / (0.64 + noise / judges)}, abs=0.07
    )


def test_one_way_icc_is_refused_where_its_mean_is_not_defined() -> None:
    nan = np.nan
    ratings = [[1, 5, 3], [5, 1, 3], [3, 3, nan], [2, 4, nan], [4, 2, nan], [3, 3, 3.1], [1, 5, nan]]
    with pytest.raises(ValueError, match="far less than by chance"):
        icc(np.array(ratings))


def test_one_way_icc_of_stories_with_equal_means_is_refused() -> None:
    """The ICC of the mean rating would divide by 0."""
    with pytest.raises(ValueError, match="the same mean rating"):
        icc(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [0.0, 4.0], [4.0, 0.0]]))


def test_stories_that_a_rater_rates_alone_say_nothing_of_severity() -> None:
    shared = [[4.0, 2.0], [5.0, 3.0], [3.5, 2.0]]
    raters = [["a", "b"]] * 3
    expected = rater_means(np.array(shared), raters)
    alone = np.array([*shared, *[[4.0, np.nan]] * 3, *[[2.0, np.nan]] * 4])
    found = rater_means(alone, [*raters, *[["a"]] * 3, *[["c"]] * 4])
    assert found["severity"] == pytest.approx({"a": 11 / 12, "b": -11 / 12})
    assert (found["raters"], found["f"]) == (2, pytest.approx(expected["f"]))
