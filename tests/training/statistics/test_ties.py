"""Numbers that differ only by rounding are equal in every statistic."""

import numpy as np
import pytest

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.levels import between_systems
from openmeva.metrics.openmeva.ties import merge_score_ties
from openmeva.training.statistics.coefficients import COEFFICIENTS
from openmeva.training.statistics.levels import SystemMeans, within_prompts
from openmeva.training.statistics.pairs import calibrated_accuracy, pairwise_accuracy
from openmeva.training.statistics.permutation import PermutationTests, random_swaps
from openmeva.training.statistics.ranking import rank_stability
from tests.training.statistics.cases import made_up, near


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("prompts", [False, True])
def test_metrics_that_differ_only_in_unit_are_tied(name, prompts):
    """As fractions, as integers, and as probabilities of stories, whose squares underflow."""
    judgments, metrics, labels, rng = made_up(11)
    within = labels if prompts else None
    rounded = np.rint(3 * metrics[0])
    variants = np.stack([rounded, 10 * rounded + 3, rounded / 7, 1e-165 * rounded, metrics[1]])
    swaps = random_swaps(300, np.arange(len(rounded)), rng)
    tests = PermutationTests(variants, judgments, swaps, name, prompts=within)
    assert [tests.test(0, variant).p_value for variant in (1, 2, 3)] == [1.0] * 3
    assert len({tests.test(row, 4).p_value for row in range(4)}) == 1
    compute = COEFFICIENTS[name]
    means = [within_prompts(row, judgments, labels, compute).mean for row in variants[:4]]
    assert means == near([means[0]] * 4)
    counts = rng.multinomial(40, np.full(40, 1 / 40), 60).astype(float)
    systems = [f"s{index % 4}" for index in range(40)]
    between = SystemMeans(judgments, np.arange(40), systems)
    resampled = np.stack([between.resampled(row, counts, compute) for row in variants[:4]])
    overall = np.array([between.between(row, compute).value for row in variants[:4]])
    assert {(stability.rank, stability.first) for stability in rank_stability(overall, resampled)} == {
        (2.5, 1.0)
    }
    accuracies = [calibrated_accuracy(row, judgments, within).value for row in variants[:4]]
    assert accuracies == near([accuracies[0]] * 4)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_systems_with_equal_sums_tie_in_any_row_order(name):
    rng = np.random.default_rng(0)
    judgments, metric = rng.integers(1, 6, (2, 250)) / 5
    systems = np.repeat([f"s{row}" for row in range(5)], 50)
    metric[50:100] = rng.permutation(metric[:50])  # the same sum, in another order
    prompts = np.tile(np.arange(50), 5)
    coefficients = []
    for _ in range(8):
        order = rng.permutation(250)
        means = SystemMeans(judgments[order], prompts[order], list(systems[order]))
        coefficients.append(means.between(metric[order], COEFFICIENTS[name]).value)
    exact = [np.rint(5 * values).reshape(5, 50).sum(axis=1) for values in (metric, judgments)]
    assert coefficients == near([float(COEFFICIENTS[name](*exact))] * 8)


@pytest.mark.parametrize("name", ["spearman", "kendall"])
@pytest.mark.parametrize("prompts", [False, True])
def test_probabilities_of_stories_rank_as_their_logarithms(name, prompts):
    judgments, metrics, labels, rng = made_up(12)
    within = labels if prompts else None
    logarithms = 40 * metrics[0] - 200
    both = np.stack([logarithms, np.exp(logarithms), metrics[1]])
    tests = PermutationTests(
        both, judgments, random_swaps(300, np.arange(len(judgments)), rng), name, prompts=within
    )
    assert tests.test(1, 2).difference == near(tests.test(0, 2).difference)
    assert tests.test(0, 1).difference == near(0.0)
    shares = [calibrated_accuracy(row, judgments, within).without_ties for row in both[:2]]
    assert shares == near([shares[0]] * 2)
    assert calibrated_accuracy(both[1], judgments, within).value >= shares[0]


def test_means_of_systems_that_differ_by_rounding_are_tied() -> None:
    rising, falling = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    assert np.mean(rising) != np.mean(falling), "of the same numbers"
    metric = np.array([*rising, *falling, 1, 1, 1, 2, 2, 2])
    judgments = np.array([*falling, *rising, 1, 1, 1, 2, 2, 2])
    systems = [name for name in "abcd" for _ in range(3)]
    between = SystemMeans(judgments, np.arange(12), systems).between(metric, COEFFICIENTS["kendall"])
    assert between.value == near(1)
    assert pairwise_accuracy(between.metric, between.judgments) == 1
    rows = [
        {"story": f"story {k}", "score": float(score), "source_model": name}
        for k, (score, name) in enumerate(zip(judgments, systems, strict=True))
    ]
    assert between_systems(metric, JudgedStories.from_rows(rows))["kendall"] == near(1)


def test_an_outlier_does_not_change_the_calibrated_accuracy() -> None:
    rng = np.random.default_rng(3)
    judgments = rng.choice([1.0, 3.0, 3.0, 3.0, 5.0], 1000)
    metric = judgments + rng.normal(0, 2, 1000) - 50  # of one sign, as negated perplexities
    worst = int(np.argmin(np.where(judgments == 1, metric, np.inf)))
    found = []
    for outlier in (-1e3, -3e7, -1e12):
        metric[worst] = outlier
        found.append(calibrated_accuracy(metric, judgments))
    assert found[0].threshold > 1
    assert found[1:] == found[:1] * 2
    whole = np.rint(metric)
    assert calibrated_accuracy(whole / 10, judgments).value == near(
        calibrated_accuracy(whole, judgments).value
    )


@pytest.mark.parametrize("outlier", [1.0, 1e6, -1e12])
def test_outlier_does_not_tie_scores_of_both_signs(outlier: float) -> None:
    scores = np.random.default_rng(0).normal(size=50)
    assert len(np.unique(merge_score_ties(np.r_[scores, outlier]))) == 51


def test_rounding_about_zero_is_tied_even_if_most_scores_are_zero() -> None:
    zeros = np.array([0.1 + 0.2 - 0.3, 0.3 - 0.2 - 0.1, 0.0, 0.0])
    assert set(merge_score_ties(np.r_[zeros, zeros, -0.5, 1.0])) == {zeros.min(), -0.5, 1.0}
