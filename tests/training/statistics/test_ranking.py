"""Significance clusters of metrics, and the stability of a ranking under resampling."""

import numpy as np

from openmeva.training.statistics.levels import SystemMeans
from openmeva.training.statistics.ranking import rank_stability, significance_clusters


def test_metric_is_compared_only_within_its_cluster():
    """The first metric is significantly better than the third, which is only tested against its own cluster."""
    tested = []

    def p_value(better, worse):
        tested.append((better, worse))
        return 0.3 if (better, worse) == (1, 2) else 0.01

    clusters = significance_clusters(np.array([0.5, 0.4, 0.3]), p_value)
    assert clusters.ranks.tolist() == [1, 2, 2]
    assert tested == [(0, 1), (1, 2)]
    at_alpha = significance_clusters(np.array([0.5, 0.4]), lambda *_: 0.05)
    assert at_alpha.ranks.tolist() == [1, 2], "a p-value up to alpha is significant"


def test_rank_stability():
    resampled = np.array([[0.5, 0.5, 0.5, np.nan], [0.4, 0.6, 0.5, 0.1], [0.1, 0.2, 0.3, 0.05]])
    first, second, third = rank_stability(np.array([0.5, 0.45, 0.2]), resampled)
    assert (first.rank, second.rank, third.rank) == (1, 2, 3)
    # Ranks of the first metric on the four samples: 1, 2, 1.5 (a tie) and 3 (no coefficient).
    assert (first.first, second.first, third.first) == (0.5, 0.75, 0)
    assert (first.low, first.high) == (1, 3)
    with_undefined_samples = np.c_[
        resampled, np.full((3, 2), np.nan)
    ]  # samples where no metric has a coefficient do not count
    assert rank_stability(np.array([0.5, 0.45, 0.2]), with_undefined_samples)[0].first == 0.5
    unknown = rank_stability(np.array([0.5, 0.45]), np.full((2, 4), np.nan))
    assert [(metric.rank, metric.low, metric.first) for metric in unknown] == [
        (1, None, None),
        (2, None, None),
    ]


def test_metric_without_a_coefficient_ranks_last():
    resampled = np.array([[-0.3, -0.2, np.nan], [np.nan, np.nan, np.nan]])
    first, second = rank_stability(np.array([-0.25, -0.3]), resampled)
    assert (first.low, first.high, first.first) == (1, 1, 1)
    assert (second.low, second.high, second.first) == (2, 2, 0)


def test_interval_of_a_rank_holds_95_percent_of_the_samples():
    resampled = np.array([[1.0] * 96 + [0.0] * 4, [0.5] * 100])
    first, _ = rank_stability(np.array([0.5, 0.4]), resampled)
    assert (first.low, first.high) == (1, 2), "4 % are more than the 2.5 % beyond an end"


def test_rank_has_no_interval_if_it_is_undefined_on_half_of_the_draws() -> None:
    draws = np.array([[0.5, np.nan, np.nan], [0.1, np.nan, np.nan]])
    assert rank_stability(np.array([0.5, 0.1]), draws)[0].low is None


def test_prompts_with_two_stories_of_a_system_are_left_out() -> None:
    prompts = np.array(["p", "p", "q", "q", "q"])
    means = SystemMeans(np.arange(5.0), prompts, ["a", "b", "a", "b", "b"])
    assert means.complete(np.arange(5.0))[0].tolist() == [[0.0], [1.0]]
