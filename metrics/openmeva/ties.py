"""Makes numbers equal that differ only by rounding of sums and quotients, so that statistics count them as ties."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

_OF_SPREAD = 1e-10  # relative to the range of the values
_OF_SIZE = 1e-14  # relative to the largest absolute value: about fifty roundings of float64


def merge_ties(values: np.ndarray, tolerance: float | None = None) -> np.ndarray:
    """The values, with sorted neighbors that differ only by rounding set to the smallest of them.

    Args:
        values: `(…, n)`, each vector along the last axis separately; finite, or -inf if `tolerance` is given.
        tolerance: the largest gap that is ignored; None: the rounding error of numbers of this size and range.

    >>> means = merge_ties(np.array([3.32, 3.3200000000000003, 1.0]))
    >>> bool(means[0] == means[1])
    True
    """
    if not values.shape[-1]:
        return values
    order = np.argsort(values, axis=-1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=-1)
    smallest, largest = ascending[..., :1], ascending[..., -1:]
    none: float | np.ndarray
    if tolerance is None:
        none = _OF_SPREAD * (largest - smallest) + _OF_SIZE * np.maximum(np.abs(smallest), np.abs(largest))
    else:
        none = tolerance
    with np.errstate(invalid="ignore"):  # -inf less -inf
        new = np.diff(ascending, axis=-1) > none
    new = np.concatenate([np.ones_like(smallest, dtype=bool), new], axis=-1)
    starts = np.maximum.accumulate(np.where(new, np.arange(values.shape[-1]), 0), axis=-1)
    merged = np.empty_like(ascending)
    np.put_along_axis(merged, order, np.take_along_axis(ascending, starts, axis=-1), axis=-1)
    return merged


def merge_score_ties(scores: np.ndarray) -> np.ndarray:
    """As `merge_ties` for a metric's `(n,)` scores, but no score makes others equal by its size alone.

    Probabilities of whole stories span hundreds of orders of magnitude: next to the largest, all others differ by no more
    than its rounding error, and yet each is exact to its own size. Scores of both signs may be differences of numbers,
    whose rounding error exceeds their size: it is relative to the range of their middle half, or of more if that is equal.

    >>> merge_score_ties(np.array([1e-40, 2e-40, 0.3, 0.1 + 0.2])).tolist()
    [1e-40, 2e-40, 0.3, 0.3]
    >>> merge_score_ties(np.array([-0.2, 0.1 - 0.3, 0.1, 0.2, 1e12])).tolist()
    [-0.2, -0.2, 0.1, 0.2, 1000000000000.0]
    """
    if not len(scores):
        return scores
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    sizes = np.sort(np.abs(np.stack([ascending[:-1], ascending[1:]])), axis=0)
    if scores.min() < 0 < scores.max():
        small = _OF_SPREAD * scores  # the range of the largest floats is not finite
        ranges = [np.ptp(np.quantile(small, [share, 1 - share])) for share in (0.25, 0.1, 0)]
        # the middle half; of mostly equal scores, which differ by rounding, a wider part
        none = next((inner for inner, outer in pairwise(ranges) if inner > _OF_SIZE * outer), ranges[-1])
        none = none + _OF_SIZE * sizes[1]
    else:
        rounding = np.ptp(_OF_SPREAD * scores) + _OF_SIZE * np.abs(scores).max()
        none = np.minimum(rounding, _OF_SPREAD * sizes[0])
    with np.errstate(over="ignore"):
        new = np.diff(ascending) > none
    starts = np.maximum.accumulate(np.where(np.r_[True, new], np.arange(len(scores)), 0))
    merged = np.empty_like(scores)
    merged[order] = ascending[starts]
    return merged


def is_constant(scores: Sequence[float] | np.ndarray) -> bool:
    """Whether a metric's `(n,)` scores differ by rounding alone, so that no correlation is defined.

    >>> is_constant([0.3, 0.1 + 0.2]), is_constant([1e-40, 2e-40])
    (True, False)
    """
    return bool(np.ptp(merge_score_ties(np.asarray(scores, dtype=float))) == 0)


def tie_merged_differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """`first - second`, `(n,)`, with absolute values that differ only by rounding made equal, and rounding made 0.

    >>> tie_merged_differences(np.array([2e-20, 0.3]), np.array([1e-20, 0.1 + 0.2])).tolist()
    [1e-20, 0.0]
    """
    raw = first - second
    sizes = np.maximum(np.abs(first), np.abs(second))
    scores = np.r_[0.0, first, second]
    merge: Callable[[np.ndarray], np.ndarray] = merge_score_ties
    if scores.min() < 0 < scores.max():
        # perhaps differences of larger numbers, and as inexact as the largest
        sizes, merge = np.full(len(raw), sizes.max()), merge_ties
    exact = np.where(np.abs(raw) <= _OF_SIZE * sizes, 0.0, raw)
    return np.sign(exact) * merge(np.abs(np.r_[0.0, exact]))[1:]
