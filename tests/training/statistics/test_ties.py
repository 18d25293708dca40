"""Numbers that differ only by rounding are equal in every statistic."""

import numpy as np
import pytest

from openmeva.training.statistics.coefficients import COEFFICIENTS
from openmeva.training.statistics.levels import SystemMeans, within_prompts
from openmeva.training.statistics.pairs import calibrated_accuracy
from openmeva.training.statistics.permutation import PermutationTests, random_swaps
from openmeva.training.statistics.ranking import rank_stability
from tests.training.statistics.cases import made_up, near


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("prompts", [False, True])
def test_metrics_that_differ_in_unit_alone_are_one_metric(name, prompts):
    """As fractions, as integers, and as probabilities of stories, whose squares underflow."""
    judgments, metrics, labels, rng = made_up(11)
    within = labels if prompts else None
    one = np.rint(3 * metrics[0])
    same = np.stack([one, 10 * one + 3, one / 7, 1e-165 * one, metrics[1]])
    swaps = random_swaps(300, len(one), rng)
    tests = PermutationTests(same, judgments, swaps, name, prompts=within)
    assert [tests.test(0, other).p_value for other in (1, 2, 3)] == [1.0] * 3
    assert len({tests.test(row, 4).p_value for row in range(4)}) == 1
    compute = COEFFICIENTS[name]
    means = [within_prompts(row, judgments, labels, compute).mean for row in same[:4]]
    assert means == near([means[0]] * 4)
    counts = rng.multinomial(40, np.full(40, 1 / 40), 60).astype(float)
    systems = [f"s{place % 4}" for place in range(40)]
    between = SystemMeans(judgments, np.arange(40), systems)
    draws = np.stack([between.resampled(row, counts, compute) for row in same[:4]])
    whole = np.array([between.between(row, compute).value for row in same[:4]])
    assert {(found.rank, found.first) for found in rank_stability(whole, draws)} == {(2.5, 1.0)}
    accuracies = [calibrated_accuracy(row, judgments, within).value for row in same[:4]]
    assert accuracies == near([accuracies[0]] * 4)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_systems_whose_sums_are_equal_tie_in_any_order_of_the_rows(name):
    rng = np.random.default_rng(0)
    judgments, metric = rng.integers(1, 6, (2, 250)) / 5
    systems = np.repeat([f"s{row}" for row in range(5)], 50)
    metric[50:100] = rng.permutation(metric[:50])  # the same sum, in another order
    prompts = np.tile(np.arange(50), 5)
    found = []
    for _ in range(8):
        order = rng.permutation(250)
        means = SystemMeans(judgments[order], prompts[order], list(systems[order]))
        found.append(means.between(metric[order], COEFFICIENTS[name]).value)
    exact = [np.rint(5 * values).reshape(5, 50).sum(axis=1) for values in (metric, judgments)]
    assert found == near([float(COEFFICIENTS[name](*exact))] * 8)
