"""Comparison of a metric with trivial baselines such as length and distinct-n."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.bootstrap import LEAST_DEFINED, PromptBootstrap, interval, intervals
from openmeva.metrics.openmeva.comparison import paired_bootstrap
from openmeva.metrics.openmeva.correlation import COEFFICIENTS, correlate, why_undefined
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.trivial import trivial_scores

Draws = dict[str, np.ndarray]


def trivial_baselines(
    judged: JudgedStories, bootstrap: PromptBootstrap
) -> tuple[dict[str, dict[str, Any]], dict[str, Draws]]:
    """Each trivial baseline's coefficients with intervals (or why they are `undefined`), and on each resample."""
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
    """For each coefficient, the metric against every trivial baseline.

    A baseline counts with its absolute value, because its sign is arbitrary. The metric beats the baselines if the
    whole 95 % interval of the paired difference is above 0 for each of them.

    Args:
        metric: the metric's coefficients.
        metric_draws: its coefficients on each resample, from the same bootstrap as `draws`.
        rows, draws: the results of `trivial_baselines`.

    Returns:
        Maps each coefficient to `{"trivial", "difference", "interval", "p_value", "beats"}` for the strongest
        competitor: the baseline whose interval has the lowest lower end. Without intervals (a single prompt) it is the
        one with the highest absolute correlation, and `beats` is None. Empty if no baseline is defined.
    """
    hardest: dict[str, dict[str, Any]] = {}
    for coefficient in COEFFICIENTS if draws else ():
        tests = []
        # a baseline may be constant but for a few stories; a metric that is has no interval
        least_defined = 0.5 if interval(metric_draws[coefficient]) else LEAST_DEFINED
        for name, baseline_draws in draws.items():
            value = rows[name][coefficient]
            test = paired_bootstrap(
                metric_draws[coefficient],
                np.sign(value) * baseline_draws[coefficient],
                least_defined,
            )
            beats = test["interval"][0] > 0 if test["interval"] else None
            tests.append(
                {"trivial": name, "difference": metric[coefficient] - abs(value), **test, "beats": beats}
            )
        hardest[coefficient] = min(tests, key=_least_significant)
    return hardest


def _least_significant(test: Mapping[str, Any]) -> tuple[float, float]:
    return test["interval"][0] if test["interval"] else -np.inf, test["difference"]
