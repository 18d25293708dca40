"""All tables for human judgments, one section each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.agreement import agreement
from openmeva.metrics.openmeva.baselines import beats_trivial, trivial_baselines
from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.ceiling import check_ceiling, noise_ceiling
from openmeva.metrics.openmeva.comparison import correct_p_values, paired_tests
from openmeva.metrics.openmeva.correlation import COEFFICIENTS, correlate
from openmeva.metrics.openmeva.differences import score_differences
from openmeva.metrics.openmeva.drift import model_drift, quality_drift
from openmeva.metrics.openmeva.error_types import by_error_type
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.levels import between_systems, human_and_machine, within_prompts
from openmeva.metrics.openmeva.shared_samples import cached_sample
from openmeva.metrics.openmeva.sources import judgments_by_source

# Sections that use the bootstrap resamples of the metric's correlation; a ceiling below the whole interval is rejected.
RESAMPLED = frozenset({"noise_ceiling", "trivial", "comparisons"})


def judgment_tables(
    metric: np.ndarray,
    judged: JudgedStories,
    others: Mapping[str, np.ndarray],
    reasonable_above: float,
    one_error_only: bool,
    draws: int,
    rng: np.random.Generator,
    wanted: Collection[str] | None = None,
) -> dict[str, Any]:
    """All sections for one metric; `unavailable` says why a section cannot be computed from the rows.

    Args:
        metric: `(n,)` finite scores, not constant.
        judged: the stories.
        others: further metrics' `(n,)` scores, each compared with `metric` by paired tests.
        reasonable_above: judgment above which a story counts as reasonable.
        one_error_only: exclude stories of several error types from `by_error_type`.
        draws: number of bootstrap resamples.
        rng: random generator, the only source of randomness.
        wanted: names of the sections; default: all. The top-level `intervals` are given with those of `RESAMPLED`.

    Raises:
        ValueError: the correlation is undefined.
    """
    top = correlate(metric, judged.scores)
    bootstrap = cached_sample(PromptBootstrap, judged.scores, judged.prompts, draws, rng=rng)
    metric_draws: dict[str, np.ndarray] = {}
    if wanted is None or not RESAMPLED.isdisjoint(wanted):
        metric_draws = bootstrap.correlations(metric)
        top["intervals"] = intervals(metric_draws)
    sections: dict[str, Callable[[], Any]] = {
        "by_error_type": lambda: by_error_type(
            metric, judged, reasonable_above, draws, rng, one_error_only=one_error_only
        ),
        "model_drift": lambda: model_drift(metric, judged, draws, rng),
        "score_differences": lambda: score_differences(metric, judged.scores),
        "quality_drift": lambda: quality_drift(metric, judged, rng),
        "human_scores": lambda: _human_scores(judged),
        "noise_ceiling": lambda: _ceiling(judged, top, rng),
        "within_prompts": lambda: within_prompts(metric, judged),
        "between_systems": lambda: between_systems(metric, judged),
        "human_and_machine": lambda: human_and_machine(metric, judged),
        "trivial": lambda: _trivial(top, metric_draws, judged, bootstrap),
        "comparisons": lambda: _comparisons(metric, others, judged, metric_draws, bootstrap),
    }
    unavailable = {}
    for name, compute in sections.items():
        if wanted is not None and name not in wanted:
            continue
        try:
            top[name] = compute()
        except ValueError as error:
            unavailable[name] = str(error)
    top["corrected_p_values"] = correct_p_values(_family(top))
    top["unavailable"] = unavailable
    return top


def _human_scores(judged: JudgedStories) -> dict[str, Any]:
    summary: dict[str, Any] = {"mean": float(judged.scores.mean()), "sd": float(judged.scores.std(ddof=1))}
    if judged.ratings is None:
        summary["refused"] = "agreement needs the individual ratings; these rows have only their mean"
    else:
        summary["agreement"] = agreement(judged.ratings, judged.raters)
    if judged.source_models is not None and len(set(judged.source_models)) > 1:
        try:
            summary["sources"] = judgments_by_source(judged)
        except ValueError as error:
            summary["sources"] = {"undefined": str(error)}
    return summary


def _ceiling(judged: JudgedStories, top: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    if judged.ratings is None:
        raise ValueError("split halves need the individual ratings; these rows have only their mean")
    ceiling = dict(cached_sample(_noise_ceiling, judged.ratings, judged.prompts, rng=rng))
    check_ceiling(ceiling, {"the metric": top})
    ceiling["share"] = {name: top[name] / ceiling["ceiling"][name] for name in COEFFICIENTS}
    return ceiling


def _noise_ceiling(ratings: np.ndarray, prompts: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    return noise_ceiling(ratings, rng, prompts=prompts)


def _trivial(
    top: Mapping[str, Any],
    metric_draws: dict[str, np.ndarray],
    judged: JudgedStories,
    bootstrap: PromptBootstrap,
) -> dict[str, Any]:
    rows, draws = trivial_baselines(judged, bootstrap)
    return {"rows": rows, "beats": beats_trivial(top, metric_draws, rows, draws)}


def _comparisons(
    metric: np.ndarray,
    others: Mapping[str, np.ndarray],
    judged: JudgedStories,
    metric_draws: dict[str, np.ndarray],
    bootstrap: PromptBootstrap,
) -> dict[str, Any]:
    if not others:
        raise ValueError("no other metric was given to compare with")
    comparisons = {
        name: paired_tests(metric, scores, judged.scores, metric_draws, bootstrap.correlations(scores))
        for name, scores in others.items()
    }
    for test in ("williams", "steiger"):
        p_values = {
            name: comparison[test]["p_value"]
            for name, comparison in comparisons.items()
            if "p_value" in comparison[test]
        }
        for name, corrected in correct_p_values(p_values).items():
            comparisons[name][test]["holm"] = corrected["holm"]
    return comparisons


def _family(top: Mapping[str, Any]) -> dict[str, float]:
    """Pearson's p-value of every table cell: the family for the correction."""
    family = {"overall": top["p_values"]["pearson"]}
    for name, cell in top.get("by_error_type", {}).get("types", {}).items():
        if "p_values" in cell:
            family[f"error type: {name}"] = cell["p_values"]["pearson"]
    for name, cell in top.get("model_drift", {}).get("by_source", {}).items():
        if "p_values" in cell:
            family[f"source: {name}"] = cell["p_values"]["pearson"]
    return family
