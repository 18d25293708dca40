"""Correlation coefficients of many short pairs of vectors at once, along the last axis.

Both arguments broadcast against each other. Every coefficient is NaN for fewer than two stories and, except accuracy, if
one side is constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

Coefficient = Callable[[np.ndarray, np.ndarray], np.ndarray]


def pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's r, -1 to 1, of two `(…, m)` float arrays; returns `(…)`.

    >>> pearson(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])).round(4)
    np.float64(0.3273)
    """
    return _product_moment(scaled_deviations(x), scaled_deviations(y))


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho, -1 to 1: Pearson's r of midranks.

    >>> spearman(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0])).round(4)
    np.float64(0.5)
    """
    # The sum of the signs of a story's differences is twice the difference of its midrank and the mean rank.
    return _product_moment(_signs(x).sum(axis=-1), _signs(y).sum(axis=-1))


def kendall(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b, -1 to 1, which corrects for ties on both sides.

    >>> kendall(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0])).round(4)
    np.float64(0.9129)
    """
    shape = (*x.shape[:-1], -1), (*y.shape[:-1], -1)
    return _product_moment(_signs(x).reshape(shape[0]), _signs(y).reshape(shape[1]))


def accuracy(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Share of pairs that both order alike, 0 to 1; a tie counts as an order (acc_eq of Deutsch et al. 2023).

    >>> accuracy(np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0])).round(4)
    np.float64(0.8333)
    """
    m = np.broadcast_shapes(x.shape, y.shape)[-1]
    first, second = np.triu_indices(m, 1)
    x_signs, y_signs = (np.sign(values[..., first] - values[..., second]) for values in (x, y))
    return (x_signs == y_signs).sum(axis=-1) / (len(first) or np.nan)


COEFFICIENTS: Mapping[str, Coefficient] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def scaled_deviations(values: np.ndarray) -> np.ndarray:
    """Deviations from the mean, scaled to a maximum of 1 in absolute value; 0 if all values are equal."""
    if not values.shape[-1]:
        return values
    varied = (
        np.ptp(values, axis=-1, keepdims=True) > 0
    )  # the mean of equal values may differ from them by rounding
    deviations = np.where(varied, values - values.mean(axis=-1, keepdims=True), 0.0)
    # Squares of very small or large scores, such as probabilities of stories, would underflow or overflow float64.
    largest = np.abs(deviations).max(axis=-1, keepdims=True)
    return deviations / np.where(largest > 0, largest, 1.0)


def _signs(values: np.ndarray) -> np.ndarray:
    """`(…, m, m)` signs of the differences."""
    return np.sign(values[..., :, None] - values[..., None, :])


def _product_moment(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Sum of products over the root of the product of the sums of squares; NaN if one of these sums is 0."""
    shared = (x * y).sum(axis=-1)
    scale = np.sqrt((x * x).sum(axis=-1)) * np.sqrt((y * y).sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(scale > 0, shared / scale, np.nan)[()]
