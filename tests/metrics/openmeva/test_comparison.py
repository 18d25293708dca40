"""Paired tests compared with R's psych::r.test and simulation, corrections with R's p.adjust."""

import gc

import numpy as np
import pytest
from scipy import stats

from openmeva.metrics.openmeva.bootstrap import PromptBootstrap
from openmeva.metrics.openmeva.comparison import (
    correct_p_values,
    paired_bootstrap,
    paired_tests,
    steiger_test,
    williams_test,
)
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.sections import judgment_tables

# r12, r13, r23, n, and t and p of psych 2.2.9: r.test(n, r12, r13, r23) on R 4.2.2.
WILLIAMS = [
    (0.2, 0.5, 0.1, 315, -4.4949925410, 0.0000098181),
    (0.4119, 0.2817, 0.35, 1000, 3.9635654455, 0.0000791051),
    (0.3687, 0.3101, 0.6, 400, 1.4097562174, 0.1593945806),
    (-0.1, 0.25, -0.3, 60, -1.6872406625, 0.0970228504),
    (0.9, 0.85, 0.8, 30, 1.0572268898, 0.2997759759),
]


@pytest.mark.parametrize(("first", "second", "between", "n", "t", "p"), WILLIAMS)
def test_williams_test_equals_r(first, second, between, n, t, p):
    result = williams_test(first, second, between, n)
    assert result["t"] == pytest.approx(t, abs=1e-9)
    assert result["p_value"] == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize(("first", "second", "between", "n"), [row[:4] for row in WILLIAMS])
def test_steiger_test_equals_covariance_formula(first, second, between, n):
    # Pearson and Filon's asymptotic covariance of two correlations that share a variable, taken at their mean
    # (Steiger 1980, equations 2, 3 and 14), written out in full.
    r = (first + second) / 2
    covariance = between * (1 - r * r - r * r) - 0.5 * r * r * (1 - r * r - r * r - between * between)
    correlation = covariance / ((1 - r * r) * (1 - r * r))
    z = (np.arctanh(first) - np.arctanh(second)) * np.sqrt(n - 3) / np.sqrt(2 - 2 * correlation)
    assert steiger_test(first, second, between, n)["z"] == pytest.approx(z, abs=1e-12)


def test_tests_have_nominal_false_positive_rate():
    rng = np.random.default_rng(1)
    rejected = {"williams": 0, "steiger": 0}
    for _ in range(400):
        y, shared = rng.normal(size=(2, 100))
        a, b = (0.5 * y + 0.5 * shared + 0.7 * rng.normal(size=100) for _ in range(2))
        correlations = (np.corrcoef(a, y)[0, 1], np.corrcoef(b, y)[0, 1], np.corrcoef(a, b)[0, 1])
        rejected["williams"] += williams_test(*correlations, 100)["p_value"] < 0.05
        rejected["steiger"] += steiger_test(*correlations, 100)["p_value"] < 0.05
    # 20 of 400 expected; 3.5 standard deviations to either side.
    assert all(5 <= count <= 36 for count in rejected.values())


def test_swapping_metrics_only_changes_the_sign():
    assert williams_test(0.4, 0.2, 0.3, 100)["t"] == pytest.approx(-williams_test(0.2, 0.4, 0.3, 100)["t"])
    assert steiger_test(0.4, 0.2, 0.3, 100)["z"] == pytest.approx(-steiger_test(0.2, 0.4, 0.3, 100)["z"])


def test_tests_of_equal_metrics_are_undefined():
    y = np.random.default_rng(2).normal(size=50)
    x = y + np.random.default_rng(3).normal(size=50)
    draws = PromptBootstrap(y, np.arange(50), 100, np.random.default_rng(0)).correlations(x)
    result = paired_tests(x, 2 * x + 1, y, draws, draws)
    assert "undefined" in result["williams"]
    assert "undefined" in result["steiger"]
    assert result["bootstrap"]["pearson"]["p_value"] == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_tests_of_a_metric_and_its_negation_are_undefined(seed):
    rng = np.random.default_rng(seed)  # with some seeds the correlation is -1, with some slightly above
    y = rng.normal(size=50)
    x = y + rng.normal(size=50)
    bootstrap = PromptBootstrap(y, np.arange(50), 100, rng)
    result = paired_tests(x, 3 - x, y, bootstrap.correlations(x), bootstrap.correlations(3 - x))
    assert "one metric is a linear function of the other" in result["williams"]["undefined"]
    assert "one metric is a linear function of the other" in result["steiger"]["undefined"]


@pytest.mark.parametrize(("first", "second", "between"), [(0.8, -0.8, 1 - 2 * 0.8**2), (0.9, -0.9, 0.9)])
def test_williams_is_undefined_without_residual_variance(first, second, between):
    with pytest.raises(ValueError, match="a linear combination of the two metrics"):
        williams_test(first, second, between, 50)


def test_steiger_is_undefined_for_a_perfect_metric():
    with pytest.raises(ValueError, match="correlates perfectly"):
        steiger_test(1.0, 0.5, 0.5, 50)


def test_paired_bootstrap_detects_a_clear_difference():
    rng = np.random.default_rng(4)
    y = rng.normal(size=200)
    good, bad = y + rng.normal(size=200), rng.normal(size=200)
    bootstrap = PromptBootstrap(y, np.arange(200), 500, rng)
    a, b = bootstrap.correlations(good), bootstrap.correlations(bad)
    assert paired_bootstrap(a["kendall"], b["kendall"])["interval"][0] > 0
    assert paired_bootstrap(a["kendall"], b["kendall"])["p_value"] == pytest.approx(2 / 501)


def test_p_value_corrections_equal_r():
    # p.adjust(c(.001, .02, .03, .04, .2), "holm") and "BH".
    result = correct_p_values(dict(zip("abcde", (0.001, 0.02, 0.03, 0.04, 0.2), strict=True)))
    assert [correction["holm"] for correction in result.values()] == pytest.approx(
        [0.005, 0.08, 0.09, 0.09, 0.2]
    )
    assert [correction["benjamini_hochberg"] for correction in result.values()] == pytest.approx(
        [0.005, 0.05, 0.05, 0.05, 0.2]
    )
    assert [correction["significant"] for correction in result.values()] == [True, False, False, False, False]


def test_p_values_against_several_metrics_are_corrected():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=80)
    stories = JudgedStories.from_rows(
        {"story": f"story {k}", "score": float(score)} for k, score in enumerate(scores)
    )
    others = {name: scores + noise * rng.normal(size=80) for name, noise in (("far", 1.2), ("near", 0.9))}
    metric = scores + 0.8 * rng.normal(size=80)
    result = judgment_tables(metric, stories, others, 4, True, 100, np.random.default_rng(0))["comparisons"]
    for test in ("williams", "steiger"):
        first, second = sorted(
            (tests[test] for tests in result.values()), key=lambda test_result: test_result["p_value"]
        )
        assert first["p_value"] < second["p_value"] < 1
        assert first["holm"] == pytest.approx(min(1, 2 * first["p_value"]))
        assert second["holm"] == pytest.approx(max(first["holm"], second["p_value"]))
    rng = np.random.default_rng(0)
    alone = judgment_tables(metric, stories, others, 4, True, 100, rng, {"comparisons"})
    assert set(alone["comparisons"]) == set(others)


def test_objects_frozen_by_the_caller_stay_frozen():
    """Servers freeze their objects before they fork; so does this project's conftest.py."""
    gc.freeze()
    frozen = gc.get_freeze_count()
    correct_p_values({"a": 0.01, "b": 0.04})
    assert gc.get_freeze_count() == frozen


def test_williams_rejects_too_few_stories():
    with pytest.raises(ValueError, match="more than 3 stories, got 3"):
        williams_test(0.1, 0.2, 0.3, 3)


def test_differences_and_intervals_of_each_coefficient():
    rng = np.random.default_rng(1)
    judgments = rng.normal(size=60)
    first, second = np.exp(3 * (judgments + 0.3 * rng.normal(size=60))), rng.normal(size=60)
    bootstrap = PromptBootstrap(judgments, np.arange(60), 300, rng)
    draws = [bootstrap.correlations(metric) for metric in (first, second)]
    result = paired_tests(first, second, judgments, *draws)
    for name, coefficient in (
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ):
        expected = coefficient(first, judgments).statistic - coefficient(second, judgments).statistic
        assert result["difference"][name] == pytest.approx(expected)
        ends = np.percentile(draws[0][name] - draws[1][name], [2.5, 97.5])
        assert result["bootstrap"][name]["interval"] == pytest.approx(list(ends))
