"""Numbers that are equal but for the rounding of sums and quotients, made equal: what counts ties must see them."""

import numpy as np

_OF_SPREAD = 1e-10  # of the largest less the smallest value
_OF_SIZE = 1e-14  # of the largest absolute value: some fifty roundings of float64


def joined(values: np.ndarray, tolerance: float | None = None) -> np.ndarray:
    """The values, with neighbours (in order) that lie within rounding of each other set to the smallest of them.

    Args:
        values: `(…, n)`, each vector along the last axis by itself; finite, or -inf where `tolerance` is given.
        tolerance: the gap that counts as none; None takes what rounding leaves in numbers of that size and spread.

    >>> means = joined(np.array([3.32, 3.3200000000000003, 1.0]))
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
    found = np.empty_like(ascending)
    np.put_along_axis(found, order, np.take_along_axis(ascending, starts, axis=-1), axis=-1)
    return found


def joined_differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """`first - second`, `(n,)`, with sizes that are equal but for rounding made equal, and 0 where that is all there is."""
    raw = first - second
    size = max(float(np.abs(first).max(initial=0.0)), float(np.abs(second).max(initial=0.0)))
    exact = np.where(np.abs(raw) <= _OF_SIZE * size, 0.0, raw)
    return np.sign(exact) * joined(np.abs(np.r_[0.0, exact]))[1:]
