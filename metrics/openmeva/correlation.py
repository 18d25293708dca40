"""Pearson, Spearman and Kendall with p-values (OpenMEVA section 4.2, UNION section 4.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

COEFFICIENTS = ("pearson", "spearman", "kendall")

FUNCTIONS = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}


def correlate(x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """The three coefficients of two `(n,)` arrays, each in -1..1.

    Spearman is Pearson's r of the midranks. Kendall is tau-b, which corrects for ties in both arrays, computed in
    O(n log n). The p-values are two-sided, against the hypothesis of no association: from Student's t for Pearson and
    Spearman; for Kendall exact in small samples without ties, and normal otherwise (SciPy's rules).

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
    return {
        **{name: float(result.statistic) for name, result in results.items()},
        "p_values": {name: float(result.pvalue) for name, result in results.items()},
        "n": len(x),
    }


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
