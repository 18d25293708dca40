"""Pooled coefficients of two metrics after their scores are exchanged, for all resamples at once.

Functions take `metrics`, `(metrics, n)` standardised scores, `judgments`, `(n,)`, and `swaps`, `(resamples, n)` bool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

_ROWS = 512  # rows processed at a time, of a matrix of all pairs of stories


class Pair(NamedTuple):
    """Two metrics under exchange.

    Attributes:
        observed: the first metric's coefficient minus the second's.
        differences: returns the same after the exchange, for resamples `start` to `stop`: `(stop - start,)`.
    """

    observed: float
    differences: Callable[[int, int], np.ndarray]


Exchange = Callable[[int, int], Pair]  # takes two metrics by their row


def pooled_pearson(metrics: np.ndarray, judgments: np.ndarray, swaps: np.ndarray) -> Exchange:
    """Pearson: a sum over an exchanged vector is a sum over some stories of one metric and the rest of the other."""
    y = judgments - judgments.mean()
    parts = np.concatenate([metrics, metrics**2, metrics * y]).reshape(3, *metrics.shape)
    totals = parts.sum(axis=2)
    moved = np.concatenate(
        [swaps[start : start + _ROWS] @ parts.reshape(-1, len(y)).T for start in range(0, len(swaps), _ROWS)]
    ).T.reshape(3, len(metrics), -1)
    scale = np.sqrt((y**2).sum())

    def coefficient(sums: np.ndarray) -> np.ndarray:
        linear, squares, products = sums
        norm = np.sqrt(np.maximum(squares - linear**2 / len(y), 0)) * scale
        return np.divide(products, norm, out=np.zeros_like(products), where=norm > 0)

    def pair(first: int, second: int) -> Pair:
        def differences(start: int, stop: int) -> np.ndarray:
            change = moved[:, second, start:stop] - moved[:, first, start:stop]
            return coefficient(totals[:, first, None] + change) - coefficient(
                totals[:, second, None] - change
            )

        observed = coefficient(totals[:, [first]]) - coefficient(totals[:, [second]])
        return Pair(float(observed[0]), differences)

    return pair


def pooled_spearman(metrics: np.ndarray, judgments: np.ndarray, swaps: np.ndarray) -> Exchange:
    """Spearman: without ties its numerator is a sum over pairs of stories, as Kendall's is (Daniels 1944)."""
    ranks = stats.rankdata(judgments) - (len(judgments) + 1) / 2
    n, sum_of_squares = len(ranks), (ranks**2).sum()
    untied = _UntiedSums(metrics, lambda rows: np.subtract.outer(ranks[rows], ranks), swaps)

    def coefficient(values: np.ndarray) -> np.ndarray:
        value_ranks = stats.rankdata(values, axis=1) - (n + 1) / 2
        scale = np.sqrt((value_ranks**2).sum(axis=1) * sum_of_squares)
        return np.divide(value_ranks @ ranks, scale, out=np.zeros(len(value_ranks)), where=scale > 0)

    def pair(first: int, second: int) -> Pair:
        if not _has_ties(metrics[first], metrics[second]):
            return untied.pair(first, second, 4 * np.sqrt(sum_of_squares * (n**3 - n) / 12))

        def differences(start: int, stop: int) -> np.ndarray:
            chosen = swaps[start:stop]
            return coefficient(np.where(chosen, metrics[second], metrics[first])) - coefficient(
                np.where(chosen, metrics[first], metrics[second])
            )

        observed = coefficient(metrics[[first]]) - coefficient(metrics[[second]])
        return Pair(float(observed[0]), differences)

    return pair


def pooled_kendall(metrics: np.ndarray, judgments: np.ndarray, swaps: np.ndarray) -> Exchange:
    """Kendall's tau-b: its numerator and its number of untied pairs are quadratic forms of the swaps."""
    n = len(judgments)

    def order(rows: slice) -> np.ndarray:
        return np.sign(np.subtract.outer(judgments[rows], judgments))

    ordered = float(sum(np.abs(order(slice(begin, begin + _ROWS))).sum() for begin in range(0, n, _ROWS)))
    untied = _UntiedSums(metrics, order, swaps)

    def pair(first: int, second: int) -> Pair:
        a, b = metrics[first], metrics[second]
        if not _has_ties(a, b):
            return untied.pair(first, second, np.sqrt(ordered * n * (n - 1)))
        concordance = _QuadraticForm(a, b, lambda rows, signs: order(rows) * signs)
        differing = _QuadraticForm(a, b, lambda rows, signs: np.abs(signs))

        def coefficient(swapped: np.ndarray) -> np.ndarray:
            scale = np.sqrt(ordered * np.maximum(differing(swapped), 0))
            return np.divide(concordance(swapped), scale, out=np.zeros(len(swapped)), where=scale > 0)

        def differences(start: int, stop: int) -> np.ndarray:
            swapped = swaps[start:stop]
            return coefficient(swapped) - coefficient(~swapped)

        none = np.zeros((1, n), dtype=bool)
        return Pair(float((coefficient(none) - coefficient(~none))[0]), differences)

    return pair


def _has_ties(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two stories have equal scores, within a metric or across both."""
    values = np.concatenate([a, b])
    order = np.argsort(values, kind="stable")
    equal = np.diff(values[order]) == 0
    # Equal scores of one story by both metrics are no tie, but three equal values always include a tie.
    return bool((equal & (np.diff(order % len(a)) != 0)).any() or (equal[1:] & equal[:-1]).any())


class _UntiedSums:
    """Differences of two numerators, the sums of `order * sign` over pairs of stories: linear in the swaps."""

    def __init__(self, metrics: np.ndarray, order: Callable[[slice], np.ndarray], swaps: np.ndarray) -> None:
        self._metrics, self._order, self._swaps = metrics, order, swaps
        self._own: dict[int, np.ndarray] = {}

    def pair(self, first: int, second: int, scale: float) -> Pair:
        rows, columns = self._sums(self._metrics[first], self._metrics[second])
        own, second_own = self._of(first), self._of(second)
        weights = 2 * (second_own - own + columns - rows)
        observed = own.sum() - second_own.sum()
        return Pair(
            float(observed / scale),
            lambda start, stop: (observed + self._swaps[start:stop] @ weights) / scale,
        )

    def _of(self, metric: int) -> np.ndarray:
        if metric not in self._own:
            self._own[metric] = self._sums(self._metrics[metric], self._metrics[metric])[0]
        return self._own[metric]

    def _sums(self, x: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums over rows and over columns of order * sign(x_i - z_j)."""
        rows, columns = np.empty(len(x)), np.zeros(len(x))
        for start in range(0, len(x), _ROWS):
            part = slice(start, start + _ROWS)
            products = self._order(part) * np.sign(np.subtract.outer(x[part], z))
            rows[part] = products.sum(axis=1)
            columns += products.sum(axis=0)
        return rows, columns


class _QuadraticForm:
    """Sum over pairs of stories of `value(sign of the exchanged difference)`, a quadratic form of the swaps."""

    def __init__(
        self, a: np.ndarray, b: np.ndarray, value: Callable[[slice, np.ndarray], np.ndarray]
    ) -> None:
        n = len(a)
        self._matrix = np.empty((n, n), dtype=np.float32)  # whole numbers up to 4: their sums are exact
        self._line, self._constant = np.zeros(n), 0.0
        for start in range(0, n, _ROWS):
            part = slice(start, start + _ROWS)
            own = value(part, np.sign(np.subtract.outer(a[part], a)))
            second_own = value(part, np.sign(np.subtract.outer(b[part], b)))
            across = value(part, np.sign(np.subtract.outer(a[part], b)))
            self._matrix[part] = own + second_own - 2 * across
            self._line += 2 * across.sum(axis=0)
            self._line[part] -= 2 * own.sum(axis=1)
            self._constant += own.sum()

    def __call__(self, swapped: np.ndarray) -> np.ndarray:
        """The sum for vectors with the second metric's score where `swapped`, `(resamples, n)` bool, is true."""
        pair_sums = ((swapped.astype(np.float32) @ self._matrix) * swapped).sum(axis=1, dtype=np.float64)
        return self._constant + swapped @ self._line + pair_sums
