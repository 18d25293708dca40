"""Statistics against slow reference implementations and results of mt-metrics-eval, to 1e-9."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from openmeva.training.statistics.coefficients import COEFFICIENTS, accuracy
from openmeva.training.statistics.groups import Groups
from openmeva.training.statistics.levels import SystemMeans, within_prompts
from openmeva.training.statistics.pairs import (
    calibrated_accuracy,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from openmeva.training.statistics.permutation import (
    PermutationTest,
    PermutationTests,
    random_swaps,
)
from openmeva.training.statistics.ranking import significance_clusters
from tests.training.statistics import reference
from tests.training.statistics.cases import made_up, near

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text())
JUDGED = np.array(GOLDEN["judgments"])  # (systems, prompts)
PROMPTS = np.tile(np.arange(GOLDEN["prompts"]), GOLDEN["systems"])
SYSTEMS = [f"system {row}" for row in range(GOLDEN["systems"]) for _ in range(GOLDEN["prompts"])]
METRICS = {name: np.array(values) for name, values in GOLDEN["metrics"].items()}


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("metric", METRICS)
def test_correlations_at_each_level_match_mt_metrics_eval(name, metric):
    figures, scores = GOLDEN["figures"][metric][name], METRICS[metric]
    assert float(COEFFICIENTS[name](scores.ravel(), JUDGED.ravel())) == near(figures["pooled"])
    within = within_prompts(scores.ravel(), JUDGED.ravel(), PROMPTS, COEFFICIENTS[name])
    assert (within.mean, within.used) == (near(figures["within"]), figures["prompts"])
    assert within.mean_with_zeros == near(figures["within_zeros"])
    assert within.used + within.dropped == GOLDEN["prompts"]
    means = SystemMeans(JUDGED.ravel(), PROMPTS, SYSTEMS)
    assert means.between(scores.ravel(), COEFFICIENTS[name]).value == near(figures["systems"])


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_batched_coefficients_equal_single_ones(name):
    rng = np.random.default_rng(8)
    single, batch = rng.integers(0, 5, 7).astype(float), rng.integers(0, 5, (3, 7)).astype(float)
    coefficient = COEFFICIENTS[name]
    for x, y in ((batch, single), (single, batch), (batch, batch[::-1])):
        rows = zip(np.broadcast_to(x, (3, 7)), np.broadcast_to(y, (3, 7)), strict=True)
        assert coefficient(x, y) == near([float(coefficient(*row)) for row in rows])


@pytest.mark.parametrize("metric", METRICS)
def test_pairwise_accuracies_match_mt_metrics_eval(metric):
    figures, scores = GOLDEN["figures"][metric], METRICS[metric]
    for level, prompts in (("pooled", None), ("within", PROMPTS)):
        result, golden = (
            calibrated_accuracy(scores.ravel(), JUDGED.ravel(), prompts),
            figures[f"acc_eq_{level}"],
        )
        assert (result.value, result.without_ties) == (near(golden["value"]), near(golden["without_ties"]))
        assert result.threshold == near(golden["threshold"])
    assert pairwise_accuracy(scores.mean(axis=1), JUDGED.mean(axis=1)) == near(figures["pairwise_accuracy"])
    soft = soft_pairwise_accuracy(scores, JUDGED, np.random.default_rng(4))
    assert soft == near(figures["soft_pairwise_accuracy"])


def test_permutation_tests_match_mt_metrics_eval():
    golden = GOLDEN["permutation"]
    not_swapped = (
        np.random.RandomState(golden["seed"]).binomial(1, 0.5, (golden["resamples"], JUDGED.size)) == 1
    )
    by_prompt = (
        np.arange(JUDGED.size).reshape(JUDGED.shape).T.ravel()
    )  # their order of stories within prompts
    names = list(METRICS)
    for test in golden["tests"]:
        if test["level"] == "within" and not test["zeros"]:  # means over different prompts are not tested
            continue
        swaps, prompts = ~not_swapped, None
        if test["level"] == "within":
            swaps, prompts = np.empty_like(not_swapped), PROMPTS
            swaps[:, by_prompt] = ~not_swapped
        tests = PermutationTests(
            np.array([METRICS[name].ravel() for name in names]),
            JUDGED.ravel(),
            swaps,
            test["coefficient"],
            prompts,
            golden["block"],
        )
        result = tests.test(names.index(test["first"]), names.index(test["second"]))
        assert result.p_value == near(test["p_value"]), test
        assert (result.difference, result.resamples) == (near(test["difference"]), test["resamples"])


def test_significance_clusters_match_mt_metrics_eval():
    golden, names = GOLDEN["clusters"], list(METRICS)
    p_values = np.array(golden["p_values"])
    golden_row = {names.index(name): position for position, name in enumerate(golden["order"])}
    pooled = np.array([GOLDEN["figures"][name]["pearson"]["pooled"] for name in names])
    clusters = significance_clusters(pooled, lambda a, b: p_values[golden_row[a], golden_row[b]])
    assert [names[row] for row in clusters.order] == golden["order"]
    assert clusters.ranks.tolist() == golden["ranks"]
    assert set(golden["ranks"]) != {1}


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("level", ["pooled", "within"])
def test_permutation_tests_match_the_slow_reference(name, ties, level):
    judgments, metrics, prompts, rng = made_up(3, ties=ties)
    swaps = random_swaps(20, np.arange(len(judgments)), rng)
    chosen = None if level == "pooled" else prompts
    result = PermutationTests(metrics, judgments, swaps, name, chosen, block=7).test(0, 1)
    expected = reference.perm_both(*metrics, judgments, swaps, name, chosen, block=7)
    assert (result.p_value, result.difference, result.resamples) == tuple(map(near, expected))


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_permutation_tests_on_large_prompts_match_the_slow_reference(name):
    """With more than eight stories per prompt, exchanges are not tabulated."""
    judgments, metrics, _, rng = made_up(5)
    prompts = np.repeat(np.arange(4), [12, 12, 9, 7])
    judgments[prompts == 2] = 3
    metrics = np.rint(
        2 * rng.normal(size=metrics.shape)
    )  # p-values in the middle distinguish the coefficients
    swaps = random_swaps(80, np.arange(len(judgments)), rng)
    result = PermutationTests(metrics, judgments, swaps, name, prompts).test(0, 1)
    expected = reference.perm_both(*metrics, judgments, swaps, name, prompts)
    assert (result.p_value, result.difference) == (near(expected[0]), near(expected[1]))


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_small_prompts_are_not_padded_to_the_largest(name):
    """If each prompt were padded to the largest, exchanges would take 300 MB, and Kendall's pairs 40 MB."""
    prompts = np.r_[np.zeros(60), 1 + np.arange(60) // 3, 100 + np.arange(300)]
    rng = np.random.default_rng(4)
    judgments = rng.integers(1, 6, 420).astype(float)
    metrics = np.rint(judgments + rng.normal(size=(2, 420)))
    swaps = random_swaps(2000, np.arange(420), rng)
    tracemalloc.start()
    try:
        PermutationTests(metrics, judgments, swaps, name, prompts, block=2000).test(0, 1)
        assert tracemalloc.get_traced_memory()[1] < 60e6
        tracemalloc.reset_peak()
        result = within_prompts(metrics[0], judgments, prompts, COEFFICIENTS[name])
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()
    expected = reference.by_prompt(name, metrics[0], judgments, prompts)
    np.testing.assert_allclose(result.values[:21], expected, atol=1e-12)
    test = PermutationTests(metrics, judgments, swaps[:8], name, prompts).test(0, 1)
    slow = reference.perm_both(*metrics, judgments, swaps[:8], name, prompts)
    assert (test.p_value, test.difference) == (near(slow[0]), near(slow[1]))


def test_p_value_does_not_depend_on_the_scale_of_scores():
    judgments, metrics, _, rng = made_up(6)
    swaps = random_swaps(50, np.arange(len(judgments)), rng)
    large, small = (PermutationTests(metrics * factor, judgments, swaps).test(0, 1) for factor in (1, 1e-3))
    assert small.p_value == large.p_value


def test_permutation_test_stops_early_after_a_decided_block():
    rng = np.random.default_rng(0)
    judgments = rng.normal(size=80)
    metrics = np.array([judgments + 0.1 * rng.normal(size=80), rng.normal(size=80)])
    tests = PermutationTests(metrics, judgments, random_swaps(900, np.arange(80), rng), block=250)
    assert tests.test(0, 1).resamples == 250
    assert tests.test(1, 0).resamples == 250
    assert tests.test(0, 0) == tests.test(1, 1)
    assert tests.test(0, 0).p_value == 1.0


def test_printed_p_value_is_never_zero():
    assert PermutationTest(0.0, 0.3, 999).nonzero_p_value == 1 / 1000
    assert PermutationTest(0.5, 0.3, 10).nonzero_p_value == pytest.approx(6 / 11)


def test_permutation_p_values_are_uniform_under_the_null_hypothesis():
    rng = np.random.default_rng(1)
    p_values = []
    for _ in range(40):
        judgments = rng.normal(size=40)
        metrics = judgments + rng.normal(size=(2, 40))
        tests = PermutationTests(metrics, judgments, random_swaps(200, np.arange(40), rng), block=200)
        p_values.append(tests.test(0, 1).p_value)
    assert 0.3 < np.mean(p_values) < 0.7
    assert np.mean(np.array(p_values) < 0.1) < 0.25


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"coefficient": "tau"}, "expected one of pearson"),
        ({"swaps": np.zeros((3, 4), dtype=bool)}, r"got \(2, 5\), \(5,\) and \(3, 4\)"),
        ({"metrics": np.array([[1.0, 2, 3, 4, 5], [2.0] * 5])}, "metric 1 gives every story the same score"),
        ({"prompts": np.array([0, 0, 1, 1, 2])}, "no prompt has three stories"),
    ],
)
def test_permutation_tests_reject_invalid_input(change, message):
    arguments = {
        "metrics": np.arange(10.0).reshape(2, 5),
        "judgments": np.arange(5.0),
        "swaps": np.zeros((3, 5), dtype=bool),
    }
    with pytest.raises(ValueError, match=message):
        PermutationTests(**{**arguments, **change})


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_coefficients_of_groups_of_one_size(name):
    judgments, metrics, prompts, _ = made_up(9)
    result = np.full((len(metrics), len(set(prompts))), np.nan)
    for members, indices in Groups(prompts).by_size(3):
        result[:, members] = COEFFICIENTS[name](metrics[:, indices], judgments[indices])
    expected = [reference.by_prompt(name, metric, judgments, prompts) for metric in metrics]
    np.testing.assert_allclose(result[:, Groups(prompts).sizes > 2], expected, atol=1e-12)
    assert np.isnan(expected).any()


def test_within_prompts_counts_dropped_and_small_prompts():
    judgments, metrics, prompts, _ = made_up(11)
    result = within_prompts(metrics[1], judgments, prompts, COEFFICIENTS["spearman"])
    expected = reference.by_prompt("spearman", metrics[1], judgments, prompts)
    assert result.mean == near(reference.mean(expected))
    assert result.mean_with_zeros == near(reference.mean(expected, zeros=True))
    assert result.dropped == sum(np.isnan(expected)) > 0
    assert result.small == sum(np.unique(prompts, return_counts=True)[1] < 3) > 0
    assert result.used + result.dropped + result.small == len(set(prompts))


def test_resampled_levels():
    """Sampling each prompt once gives the original result; sampling one twice is like duplicating its stories."""
    judgments, metrics, prompts, rng = made_up(13)
    spearman = COEFFICIENTS["spearman"]
    within = within_prompts(metrics[0], judgments, prompts, spearman)
    labels = np.unique(prompts)
    counts = np.ones((2, len(labels)))
    counts[1, 3] = 2
    assert within.resampled(counts)[0] == near(within.mean)
    expected = np.append(within.values, within.values[3])
    assert within.resampled(counts)[1] == near(np.nanmean(expected))
    systems = list(rng.choice(list("abcd"), len(judgments)))
    means = SystemMeans(judgments, prompts, systems)
    doubled = np.append(np.arange(len(prompts)), np.flatnonzero(prompts == labels[3]))
    doubled_means = SystemMeans(judgments[doubled], prompts[doubled], [systems[index] for index in doubled])
    resampled = means.resampled(metrics[0], counts, spearman)
    assert resampled[0] == near(means.between(metrics[0], spearman).value)
    assert resampled[1] == near(doubled_means.between(metrics[0][doubled], spearman).value)
    assert np.isnan(SystemMeans(judgments, prompts, ["a", "b"] * 20).between(metrics[0], spearman).value)


def test_calibrated_accuracy_matches_the_slow_reference():
    judgments, metrics, prompts, _ = made_up(15, n=24)
    for metric in metrics:
        for chosen in (prompts, np.zeros(24)):
            result = calibrated_accuracy(metric, judgments, chosen)
            assert result.value == near(reference.calibrated(metric, judgments, chosen))
        assert (
            result.without_ties
            == near(reference.accuracy(metric, judgments))
            == near(float(accuracy(metric, judgments)))
        )
        assert result.value == near(reference.accuracy(metric, judgments, result.threshold))
    with pytest.raises(ValueError, match="expected two stories"):
        calibrated_accuracy(metric, judgments, np.arange(24))


def test_soft_accuracy_matches_the_slow_reference():
    rng = np.random.default_rng(17)
    judged = rng.integers(1, 6, (4, 12)) / 5  # sums of fifths are inexact, and often equal
    metric = judged + rng.normal(size=judged.shape)
    signs = 2.0 * (np.random.default_rng(1).random((300, 12), dtype=np.float32) > 0.5) - 1
    result = soft_pairwise_accuracy(metric, judged, np.random.default_rng(1), resamples=300)
    assert result == near(reference.soft_accuracy(metric, judged, signs))
    assert soft_pairwise_accuracy(judged, judged, rng) == 1.0
    assert soft_pairwise_accuracy(judged[:2], judged[:2], rng) == 1.0, "two systems are enough"
    with pytest.raises(ValueError, match="for each prompt"):
        soft_pairwise_accuracy(np.where(metric == metric.max(), np.nan, metric), judged, rng)
