"""Differences in metric score against differences in judgment (OpenMEVA section 4.2, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats


def score_differences(
    metric: np.ndarray, scores: np.ndarray, size: int = 200, stride: int = 10, alpha: float = 0.01
) -> dict[str, Any]:
    """Compares sets of `size` consecutive stories, sorted by judgment, in metric score and judgment.

    The paper counts (1,000 - 200) / 10 = 80 sets and so omits the last one that would fit, as is done here.
    Neighboring sets share most of their stories. So their t-tests (equal variances assumed; the paper does not say)
    are descriptive, not tests of independent samples. Stories of equal judgment stay in the given order.

    Args:
        metric, scores: `(n,)`.
        size, stride: of the sets, in stories.
        alpha: significance level of the two-sided t-tests.

    Returns:
        `sets` (their number), `pairs` (number of ordered pairs of different sets), `r2` (squared Pearson correlation of
        the differences), `regions` (share of the pairs by which differences are significant: both, human only, metric
        only, neither), `human_means`, `human_variances`, `metric_means`, `metric_variances` (one per set), `size`,
        `stride`, `alpha`.

    Raises:
        ValueError: too few stories for two sets.

    >>> result = score_differences(np.arange(1000.0), np.arange(1000.0))
    >>> result["sets"], result["r2"]
    (80, 1.0)
    """
    starts = range(0, len(scores) - size, stride)
    if len(starts) < 2:
        raise ValueError(
            f"expected more than {size + stride} stories for two sets of {size}, got {len(scores)}"
        )
    order = np.argsort(scores, kind="stable")
    set_indices = order[np.array(starts)[:, None] + np.arange(size)]
    human_mean, human_variance = _moments(scores[set_indices])
    metric_mean, metric_variance = _moments(metric[set_indices])
    measured = {
        "size": size,
        "stride": stride,
        "alpha": alpha,
        "human_means": human_mean.tolist(),
        "human_variances": human_variance.tolist(),
        "metric_means": metric_mean.tolist(),
        "metric_variances": metric_variance.tolist(),
    }
    human, differences, human_significant, metric_significant = significant_pairs(measured)
    defined = np.ptp(human) > 0 and np.ptp(differences) > 0
    return {
        "sets": len(starts),
        "pairs": len(human),
        "r2": round(float(np.corrcoef(human, differences)[0, 1] ** 2), 12) if defined else None,
        "regions": {
            "both": float((human_significant & metric_significant).mean()),
            "human_only": float((human_significant & ~metric_significant).mean()),
            "metric_only": float((~human_significant & metric_significant).mean()),
            "neither": float((~human_significant & ~metric_significant).mean()),
        },
        **measured,
    }


def significant_pairs(result: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """All ordered pairs of different sets, from the means and variances in the result of `score_differences`.

    Returns:
        Four `(pairs,)` arrays: difference in judgment, difference in score, and whether each is significant.
    """
    human = np.array(result["human_means"])
    metric = np.array(result["metric_means"])
    rows, columns = np.nonzero(~np.eye(len(human), dtype=bool))
    differences = human[rows] - human[columns], metric[rows] - metric[columns]
    variances = np.array(result["human_variances"]), np.array(result["metric_variances"])
    significant = (
        _t_test(difference, variance, rows, columns, result["size"]) < result["alpha"]
        for difference, variance in zip(differences, variances, strict=True)
    )
    return *differences, *significant


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return values.mean(axis=1), values.var(axis=1, ddof=1)


def _t_test(
    difference: np.ndarray, variances: np.ndarray, rows: np.ndarray, columns: np.ndarray, size: int
) -> np.ndarray:
    """Two-sided p-values of the pooled-variance t-test for two sets of `size` stories."""
    error = np.sqrt((variances[rows] + variances[columns]) / size)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, np.abs(difference) / error, np.where(difference == 0, 0.0, np.inf))
    return 2 * stats.t.sf(t, 2 * size - 2)
