"""Ranking of metrics and its reliability: significance clusters, and ranks on resampled prompts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.ties import merge_ties

_EQUAL = 1e-10  # coefficients that differ by less count as equal
_ALPHA = 0.05  # p-values up to this are significant
_QUANTILES = 0.025, 0.975  # of the 95 % interval of ranks


@dataclass(frozen=True)
class Clusters:
    """Metrics in the order of their coefficients, in significance clusters.

    Attributes:
        order: `(metrics,)` rows of the metrics, best first.
        ranks: `(metrics,)` cluster of each metric in that order, from 1. No metric of a cluster is significantly worse
            than another of the same cluster.
    """

    order: np.ndarray
    ranks: np.ndarray


def significance_clusters(coefficients: np.ndarray, p_value: Callable[[int, int], float]) -> Clusters:
    """Clusters as WMT's metrics task forms them (Freitag et al. 2021).

    From the best metric down, a metric starts a new cluster if one of the current cluster is significantly better. Only
    pairs that can decide this are tested. As at WMT, p-values are not corrected for their number.

    Args:
        coefficients: `(metrics,)`; equal ones keep their order.
        p_value: one-sided, for the hypothesis that the first metric (by its row) is no better than the second.

    >>> found = significance_clusters(np.array([0.1, 0.5, 0.4]), lambda a, b: 0.01 if b == 0 else 0.3)
    >>> found.order.tolist(), found.ranks.tolist()
    ([1, 2, 0], [1, 1, 2])
    """
    order = np.argsort(-coefficients, kind="stable")
    ranks, begin = np.ones(len(order), dtype=int), 0
    for current in range(1, len(order)):
        beaten = False
        for above in range(current - 1, begin - 1, -1):
            beaten = p_value(int(order[above]), int(order[current])) <= _ALPHA
            if beaten:
                break
        ranks[current] = ranks[current - 1] + beaten
        begin = current if beaten else begin
    return Clusters(order, ranks)


@dataclass(frozen=True)
class RankStability:
    """A metric's rank on resampled prompts.

    Attributes:
        rank: on all prompts; 1 is best, equal metrics share the mean of their ranks.
        low, high: ends of the 95 % interval over resamples; None if fewer than half of them have a coefficient.
        first: share of resamples in which no other metric is better; None likewise.
    """

    rank: float
    low: float | None
    high: float | None
    first: float | None


def rank_stability(coefficients: np.ndarray, draws: np.ndarray) -> list[RankStability]:
    """Variation of each metric's rank over resampled prompts.

    Args:
        coefficients: `(metrics,)` on all prompts.
        draws: `(metrics, draws)` on the same resamples. A metric with NaN is ranked last there; a resample where all are
            NaN does not count.

    >>> rank_stability(np.array([0.4, 0.2]), np.array([[0.4, 0.3], [0.2, 0.35]]))[0].first
    0.5
    """
    overall = _ranks(_tied(coefficients[:, None]))[:, 0]
    defined = np.isfinite(draws).any(axis=0)
    if 2 * defined.sum() < len(defined) or not defined.any():
        return [RankStability(float(rank), None, None, None) for rank in overall]
    values = _tied(np.where(np.isfinite(draws), draws, -np.inf)[:, defined])
    ranks = _ranks(values)
    low, high = np.quantile(ranks, _QUANTILES, axis=1, method="nearest")
    first = (values == values.max(axis=0)).mean(axis=1)
    return [RankStability(*map(float, numbers)) for numbers in zip(overall, low, high, first, strict=True)]


def _ranks(values: np.ndarray) -> np.ndarray:
    """`(metrics, draws)` ranks from the highest value down; equal values get midranks."""
    return stats.rankdata(-values, axis=0)


def _tied(values: np.ndarray) -> np.ndarray:
    """`(metrics, draws)` coefficients; those of a draw that differ only by rounding are made equal."""
    return merge_ties(values.T, _EQUAL).T
