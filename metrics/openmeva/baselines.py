"""Does a metric beat scores that know nothing of stories?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.comparison import paired_bootstrap
from openmeva.metrics.openmeva.correlation import COEFFICIENTS, correlate, why_undefined
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.trivial import trivial_scores

Draws = dict[str, np.ndarray]


def trivial_rows(
    judged: JudgedStories, bootstrap: PromptBootstrap
) -> tuple[dict[str, dict[str, Any]], dict[str, Draws]]:
    """Each trivial score's coefficients with intervals (or why they are `undefined`), and their draws."""
    rows: dict[str, dict[str, Any]] = {}
    draws: dict[str, Draws] = {}
    for name, scores in trivial_scores(judged.stories).items():
        reason = why_undefined(scores, judged.scores)
        if reason:
            rows[name] = {"n": len(scores), "undefined": reason}
            continue
        draws[name] = bootstrap.correlations(scores)
        rows[name] = {**correlate(scores, judged.scores), "intervals": intervals(draws[name])}
    return rows, draws


def beats_trivial(
    metric: Mapping[str, Any],
    metric_draws: Draws,
    rows: Mapping[str, Mapping[str, Any]],
    draws: Mapping[str, Draws],
) -> dict[str, dict[str, Any]]:
    """For each coefficient, the metric against every trivial row.

    A trivial row counts by its absolute value: its sign could be turned for free. The metric beats them where the whole
    95 % interval of the paired difference lies above 0 for each.

    Args:
        metric: the metric's coefficients.
        metric_draws: its draws, from the same bootstrap as `draws`.
        rows, draws: what `trivial_rows` returned.

    Returns:
        Coefficient to `{"trivial", "difference", "interval", "p_value", "beats"}` of the row that the metric is least sure
        to beat: the one whose interval begins lowest, or, where there is none (a single prompt), the strongest, with
        `beats` None. Empty where no trivial row is defined.
    """
    found: dict[str, dict[str, Any]] = {}
    for coefficient in COEFFICIENTS if draws else ():
        tests = []
        for name, drawn in draws.items():
            value = rows[name][coefficient]
            test = paired_bootstrap(metric_draws[coefficient], np.sign(value) * drawn[coefficient])
            beats = test["interval"][0] > 0 if test["interval"] else None
            tests.append(
                {"trivial": name, "difference": metric[coefficient] - abs(value), **test, "beats": beats}
            )
        found[coefficient] = min(tests, key=_least_sure)
    return found


def _least_sure(test: Mapping[str, Any]) -> tuple[float, float]:
    return test["interval"][0] if test["interval"] else -np.inf, test["difference"]
