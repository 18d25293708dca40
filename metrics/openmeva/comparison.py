"""Tests whether one metric is better than another on the same stories, and corrections for multiple tests.

The tests are Williams, Steiger and the paired bootstrap. The paper of the plot-guided metric compares its correlations
with `cocor` (section 5.4) and does not say by which test. Williams' and Steiger's are two of `cocor`'s tests for dependent
correlations that share a variable, here the judgments; the bootstrap is ours.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.bootstrap import LEAST_DEFINED, interval
from openmeva.metrics.openmeva.correlation import COEFFICIENTS, coefficients

SIGNIFICANCE = 0.05


def williams_test(first: float, second: float, between: float, n: int) -> dict[str, float]:
    """Williams' modification of Hotelling's t for two Pearson correlations with one variable.

    Args:
        first, second: each metric's correlation with the judgments.
        between: the correlation of the two metrics.
        n: number of stories, more than 3.

    Returns:
        `{"t", "df", "p_value"}`, two-sided; t above 0 favors the first.

    Raises:
        ValueError: `n` of 3 or less, a value outside -1..1, metrics that correlate perfectly (1 or -1), or
            judgments that are a linear combination of the two metrics.

    >>> round(williams_test(0.5, 0.3, 0.2, 103)["t"], 3)
    1.826
    """
    _check(first, second, between, n)
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    scale = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - between) ** 3
    # Below 0 no data have these correlations; near 0 there is only rounding error.
    if scale < 1e-12:
        raise ValueError("the test is undefined: the judgments are a linear combination of the two metrics")
    t = float((first - second) * np.sqrt((n - 1) * (1 + between) / scale))
    return {"t": t, "df": n - 3, "p_value": float(2 * stats.t.sf(abs(t), n - 3))}


def steiger_test(first: float, second: float, between: float, n: int) -> dict[str, float]:
    """Steiger's (1980) Z, equation 14, with the mean of the two correlations in the covariance.

    Arguments as in `williams_test`; returns `{"z", "p_value"}`, two-sided.

    Raises:
        ValueError: as `williams_test`, but instead of its last reason, a metric that correlates perfectly
            with the judgments.

    >>> round(steiger_test(0.5, 0.3, 0.2, 103)["z"], 3)
    1.808
    """
    _check(first, second, between, n)
    if max(abs(first), abs(second)) > 1 - 1e-12:
        raise ValueError("the test is undefined: a metric correlates perfectly with the judgments")
    mean = ((first + second) / 2) ** 2
    shared = between * (1 - 2 * mean) - mean / 2 * (1 - 2 * mean - between**2)
    covariance = shared / (1 - mean) ** 2
    z = float((np.arctanh(first) - np.arctanh(second)) * np.sqrt((n - 3) / (2 - 2 * covariance)))
    return {"z": z, "p_value": float(2 * stats.norm.sf(abs(z)))}


def paired_bootstrap(
    first: np.ndarray, second: np.ndarray, least_defined: float = LEAST_DEFINED
) -> dict[str, Any]:
    """Difference of two metrics' coefficients on the same `(draws,)` resamples, of which a share of `least_defined` must be defined.

    Returns:
        `{"interval", "p_value"}`: the 95 % interval of first - second, and twice the smaller share of resamples
        on either side of 0 (one is added to each side, so it is never 0). Both are None where `interval` gives none.
    """
    differences = first - second
    ends = interval(differences, least_defined)
    if ends is None:
        return {"interval": None, "p_value": None}
    defined = differences[np.isfinite(differences)]
    below = ((defined <= 0).sum() + 1) / (len(defined) + 1)
    above = ((defined >= 0).sum() + 1) / (len(defined) + 1)
    return {"interval": ends, "p_value": float(min(1.0, 2 * min(below, above)))}


def paired_tests(
    first: np.ndarray,
    second: np.ndarray,
    scores: np.ndarray,
    first_draws: dict[str, np.ndarray],
    second_draws: dict[str, np.ndarray],
) -> dict[str, Any]:
    """All paired tests of two metrics' `(n,)` scores against the judgments.

    `difference` and `bootstrap` are given for each coefficient. Williams and Steiger, which assume normal data and
    independent stories, are given for Pearson. If one metric is a linear function of the other, such as its negation,
    these two are undefined, and the reason is given instead.
    """
    of_first, of_second = coefficients(first, scores), coefficients(second, scores)
    result: dict[str, Any] = {
        "n": len(scores),
        "difference": {name: of_first[name] - of_second[name] for name in COEFFICIENTS},
        "bootstrap": {name: paired_bootstrap(first_draws[name], second_draws[name]) for name in COEFFICIENTS},
    }
    between = float(stats.pearsonr(first, second).statistic)
    for name, test in (("williams", williams_test), ("steiger", steiger_test)):
        try:
            result[name] = test(of_first["pearson"], of_second["pearson"], between, len(scores))
        except ValueError as error:
            result[name] = {"undefined": str(error)}
    return result


def correct_p_values(p_values: dict[str, float]) -> dict[str, dict[str, Any]]:
    """Holm's and Benjamini-Hochberg's corrections of a family of p-values.

    Returns:
        For each name `{"p_value", "holm", "benjamini_hochberg", "significant"}`; `significant`: whether `holm` is below
        `SIGNIFICANCE`.

    >>> correct_p_values({"a": 0.01, "b": 0.04})["a"]["holm"]
    0.02
    """
    if not p_values:
        return {}
    from statsmodels.stats.multitest import multipletests  # takes over a second to import, only needed here

    values = list(p_values.values())
    # multipletests collects garbage at each call, and would visit all objects of a model's libraries
    freezes = gc.get_freeze_count() == 0  # unfreezing would release the objects that the caller has frozen
    if freezes:
        gc.freeze()
    try:
        holm = multipletests(values, SIGNIFICANCE, method="holm")[1]
        hochberg = multipletests(values, SIGNIFICANCE, method="fdr_bh")[1]
    finally:
        if freezes:
            gc.unfreeze()
    return {
        name: {
            "p_value": float(p),
            "holm": float(first),
            "benjamini_hochberg": float(second),
            "significant": bool(first < SIGNIFICANCE),
        }
        for name, p, first, second in zip(p_values, values, holm, hochberg, strict=True)
    }


def _check(first: float, second: float, between: float, n: int) -> None:
    if n <= 3:
        raise ValueError(f"expected more than 3 stories, got {n}")
    for value in (first, second, between):
        if not -1 <= value <= 1:
            raise ValueError(f"expected correlations in -1..1, got {value}")
    # Up to rounding, both tests divide by 0 at 1, and Williams' test divides 0 by 0 at -1.
    if abs(between) > 1 - 1e-9:
        raise ValueError("the test is undefined: one metric is a linear function of the other")
