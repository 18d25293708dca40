"""An order of metrics, and how far to trust it: clusters of significance, and ranks on resampled prompts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.ties import joined

_EQUAL = 1e-10  # coefficients that differ by less are the same number


@dataclass(frozen=True)
class Clusters:
    """Metrics in the order of their coefficients, in clusters.

    Attributes:
        order: `(metrics,)` rows of the metrics, best first.
        ranks: `(metrics,)` in that order: 1 for the first cluster. No metric of a cluster is significantly worse than
            another of it.
        p_values: `(metrics, metrics)` in that order: that the metric of the row is no better than that of the column;
            NaN where no test was needed: below the diagonal, on it, and for pairs that other clusters keep apart.
    """

    order: np.ndarray
    ranks: np.ndarray
    p_values: np.ndarray


def significance_clusters(
    coefficients: np.ndarray, p_value: Callable[[int, int], float], alpha: float = 0.05
) -> Clusters:
    """Clusters as WMT's metrics task forms them (Freitag et al. 2021).

    Only pairs that decide something are tested. From the best metric down, a metric opens the next cluster where one of the cluster before is significantly better.
    P-values are not corrected for their number, as there.

    Args:
        coefficients: `(metrics,)`; equal ones keep their order.
        p_value: one-sided, that the first metric (by its row) is no better than the second.
        alpha: a p-value up to it is significant.

    >>> found = significance_clusters(np.array([0.1, 0.5, 0.4]), lambda a, b: 0.01 if b == 0 else 0.3)
    >>> found.order.tolist(), found.ranks.tolist()
    ([1, 2, 0], [1, 1, 2])
    """
    order = np.argsort(-coefficients, kind="stable")
    p_values = np.full((len(order), len(order)), np.nan)
    ranks, begin = np.ones(len(order), dtype=int), 0
    for place in range(1, len(order)):
        beaten = False
        for above in range(place - 1, begin - 1, -1):
            p_values[above, place] = p_value(int(order[above]), int(order[place]))
            beaten = bool(p_values[above, place] <= alpha)
            if beaten:
                break
        ranks[place] = ranks[place - 1] + beaten
        begin = place if beaten else begin
    return Clusters(order, ranks, p_values)


@dataclass(frozen=True)
class RankStability:
    """A metric's rank on resampled prompts.

    Attributes:
        rank: on all prompts; 1 is best, metrics that are equal share the mean of their ranks.
        low, high: ends of the interval that holds 95 % of the resamples; None where under half of them have a coefficient.
        first: share of the resamples in which no other metric is better; None likewise.
    """

    rank: float
    low: float | None
    high: float | None
    first: float | None


def rank_stability(coefficients: np.ndarray, draws: np.ndarray, level: float = 0.95) -> list[RankStability]:
    """How each metric's rank varies when prompts are drawn anew.

    Args:
        coefficients: `(metrics,)` on all prompts.
        draws: `(metrics, draws)` on the same resamples; a metric with NaN comes last there, and a resample in which all have
            NaN does not count.
        level: of the interval.

    >>> rank_stability(np.array([0.4, 0.2]), np.array([[0.4, 0.3], [0.2, 0.35]]))[0].first
    0.5
    """
    whole = _ranks(_tied(coefficients[:, None]))[:, 0]
    counted = np.isfinite(draws).any(axis=0)
    if 2 * counted.sum() < len(counted) or not counted.any():
        return [RankStability(float(rank), None, None, None) for rank in whole]
    values = _tied(np.where(np.isfinite(draws), draws, -np.inf)[:, counted])
    ranks = _ranks(values)
    tail = (1 - level) / 2
    low, high = np.quantile(ranks, [tail, 1 - tail], axis=1, method="nearest")
    first = (values == values.max(axis=0)).mean(axis=1)
    return [RankStability(*map(float, one)) for one in zip(whole, low, high, first, strict=True)]


def _ranks(values: np.ndarray) -> np.ndarray:
    """`(metrics, draws)` ranks from the highest value down, midranks where values are equal."""
    return stats.rankdata(-values, axis=0)


def _tied(values: np.ndarray) -> np.ndarray:
    """`(metrics, draws)` coefficients, those of a draw that only rounding tells apart made equal."""
    return joined(values.T, _EQUAL).T
