"""Paired tests against R's psych::r.test and simulation, corrections against R's p.adjust."""

import numpy as np
import pytest

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
def test_williams_is_that_of_r(first, second, between, n, t, p):
    found = williams_test(first, second, between, n)
    assert found["t"] == pytest.approx(t, abs=1e-9)
    assert found["p_value"] == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize(("first", "second", "between", "n"), [row[:4] for row in WILLIAMS])
def test_steiger_from_the_covariance_of_correlations(first, second, between, n):
    # Pearson and Filon's asymptotic covariance of two correlations that share a variable, taken at their mean
    # (Steiger 1980, equations 2, 3 and 14), written out the long way.
    r = (first + second) / 2
    covariance = between * (1 - r * r - r * r) - 0.5 * r * r * (1 - r * r - r * r - between * between)
    correlation = covariance / ((1 - r * r) * (1 - r * r))
    z = (np.arctanh(first) - np.arctanh(second)) * np.sqrt(n - 3) / np.sqrt(2 - 2 * correlation)
    assert steiger_test(first, second, between, n)["z"] == pytest.approx(z, abs=1e-12)


def test_under_the_null_the_tests_reject_as_often_as_they_say():
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


def test_swapping_the_metrics_turns_the_sign_only():
    assert williams_test(0.4, 0.2, 0.3, 100)["t"] == pytest.approx(-williams_test(0.2, 0.4, 0.3, 100)["t"])
    assert steiger_test(0.4, 0.2, 0.3, 100)["z"] == pytest.approx(-steiger_test(0.2, 0.4, 0.3, 100)["z"])


def test_equal_metrics_are_undefined_and_said_so():
    y = np.random.default_rng(2).normal(size=50)
    x = y + np.random.default_rng(3).normal(size=50)
    draws = PromptBootstrap(y, np.arange(50), 100, np.random.default_rng(0)).correlations(x)
    result = paired_tests(x, 2 * x + 1, y, draws, draws)
    assert "undefined" in result["williams"]
    assert "undefined" in result["steiger"]
    assert result["bootstrap"]["pearson"]["p_value"] == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_a_metric_against_its_negation_is_undefined_and_said_so(seed):
    rng = np.random.default_rng(seed)  # of some seeds the correlation is -1, of some a little above
    y = rng.normal(size=50)
    x = y + rng.normal(size=50)
    bootstrap = PromptBootstrap(y, np.arange(50), 100, rng)
    result = paired_tests(x, 3 - x, y, bootstrap.correlations(x), bootstrap.correlations(3 - x))
    assert "one metric is a linear function of the other" in result["williams"]["undefined"]
    assert "one metric is a linear function of the other" in result["steiger"]["undefined"]


@pytest.mark.parametrize(("first", "second", "between"), [(0.8, -0.8, 1 - 2 * 0.8**2), (0.9, -0.9, 0.9)])
def test_williams_is_undefined_where_nothing_is_left_of_the_judgments(first, second, between):
    with pytest.raises(ValueError, match="a linear combination of the two metrics"):
        williams_test(first, second, between, 50)


def test_a_perfect_metric_has_no_z():
    with pytest.raises(ValueError, match="correlates perfectly"):
        steiger_test(1.0, 0.5, 0.5, 50)


def test_the_paired_bootstrap_sees_a_clear_difference():
    rng = np.random.default_rng(4)
    y = rng.normal(size=200)
    good, bad = y + rng.normal(size=200), rng.normal(size=200)
    bootstrap = PromptBootstrap(y, np.arange(200), 500, rng)
    a, b = bootstrap.correlations(good), bootstrap.correlations(bad)
    assert paired_bootstrap(a["kendall"], b["kendall"])["interval"][0] > 0
    assert paired_bootstrap(a["kendall"], b["kendall"])["p_value"] == pytest.approx(2 / 501)


def test_corrections_are_those_of_r():
    # p.adjust(c(.001, .02, .03, .04, .2), "holm") and "BH".
    found = correct_p_values(dict(zip("abcde", (0.001, 0.02, 0.03, 0.04, 0.2), strict=True)))
    assert [one["holm"] for one in found.values()] == pytest.approx([0.005, 0.08, 0.09, 0.09, 0.2])
    assert [one["benjamini_hochberg"] for one in found.values()] == pytest.approx(
        [0.005, 0.05, 0.05, 0.05, 0.2]
    )
    assert [one["significant"] for one in found.values()] == [True, False, False, False, False]


def test_tests_against_several_metrics_are_corrected():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=80)
    stories = JudgedStories.from_rows(
        {"story": f"story {k}", "score": float(score)} for k, score in enumerate(scores)
    )
    others = {name: scores + spread * rng.normal(size=80) for name, spread in (("far", 1.2), ("near", 0.9))}
    metric = scores + 0.8 * rng.normal(size=80)
    found = judgment_tables(metric, stories, others, 4, True, 100, np.random.default_rng(0))["comparisons"]
    for test in ("williams", "steiger"):
        first, second = sorted((one[test] for one in found.values()), key=lambda one: one["p_value"])
        assert first["p_value"] < second["p_value"] < 1
        assert first["holm"] == pytest.approx(min(1, 2 * first["p_value"]))
        assert second["holm"] == pytest.approx(max(first["holm"], second["p_value"]))


def test_too_few_stories():
    with pytest.raises(ValueError, match="more than 3 stories, got 3"):
        williams_test(0.1, 0.2, 0.3, 3)
