"""Pearson, Spearman and Kendall with p-values (OpenMEVA section 4.2, UNION section 4.3)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

COEFFICIENTS = ("pearson", "spearman", "kendall")

FUNCTIONS = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}

_EXACT = 7  # pairs: up to so many, Spearman's p-value is of all 5,040 orders or fewer; Student's t says 0 for three


def correlate(x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """The three coefficients of two `(n,)` arrays, each in -1..1.

    Spearman is Pearson's r of the midranks. Kendall is tau-b, which corrects for ties in both arrays, computed in
    O(n log n). The p-values are two-sided, against the hypothesis of no association: from Student's t for Pearson; for
    Spearman exact for up to seven pairs, and from Student's t for more; for Kendall exact in small samples without ties, and
    normal otherwise (SciPy's rules).

    Raises:
        ValueError: fewer than three pairs, or a constant array.

    >>> result = correlate(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0]))
    >>> round(result["pearson"], 2), round(result["kendall"], 2), result["n"]
    (0.8, 0.67, 4)
    """
    reason = why_undefined(x, y)
    if reason:
        raise ValueError(f"correlation undefined: {reason}")
    results = {name: function(x, y) for name, function in FUNCTIONS.items()}
    p_values = {name: float(result.pvalue) for name, result in results.items()}
    if len(x) <= _EXACT:
        p_values["spearman"] = _exact_spearman(x, y)
    return {
        **{name: float(result.statistic) for name, result in results.items()},
        "p_values": p_values,
        "n": len(x),
    }


def coefficients(x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """The coefficients alone, of arrays for which `why_undefined` gives no reason."""
    return {name: float(function(x, y).statistic) for name, function in FUNCTIONS.items()}


def _exact_spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Two-sided p-value of Spearman's coefficient over all orders of the pairs."""
    ranks = stats.rankdata(y)
    test = stats.permutation_test(
        (stats.rankdata(x),),
        lambda order, axis: np.sum(order * ranks, axis=axis),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=math.factorial(_EXACT) + 1,  # more than there are, so that SciPy takes all
    )
    return float(test.pvalue)


def correlate_part(x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Like `correlate`, but returns `{"n": …, "undefined": reason}` where it is undefined; for part of the data."""
    reason = why_undefined(x, y)
    return {"n": len(x), "undefined": reason} if reason else correlate(x, y)


def why_undefined(x: np.ndarray, y: np.ndarray) -> str | None:
    """Why the coefficients are undefined, or `None`."""
    if len(x) < 3:
        return f"{len(x)} stories, at least 3 are needed"
    if np.ptp(x) == 0:
        return "the metric gives every story the same score"
    if np.ptp(y) == 0:
        return "every story has the same judgment"
    return None
