"""Model drift, dataset drift and quality drift (OpenMEVA section 4.3, UNION section 4.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.bootstrap import (
    bootstrap_part,
    pearson_columns,
    pearson_of,
    recompute_lost_pearson,
)
from openmeva.metrics.openmeva.correlation import COEFFICIENTS, correlate_part
from openmeva.metrics.openmeva.judged import JudgedStories

SETS = 8  # of quality drift, as in UNION's Figure 2


def model_drift(
    metric: np.ndarray, judged: JudgedStories, draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Correlations within each source model, with intervals, and their unweighted mean (OpenMEVA Table 4).

    Returns:
        `by_source` (name: coefficients, `p_values`, `intervals`, `n`) and `macro` (coefficient: mean over the
        source models where it is defined).

    Raises:
        ValueError: the rows do not say which model wrote each story.
    """
    if judged.source_models is None:
        raise ValueError("the rows have no column 'source_model'")
    names = np.array(judged.source_models)
    by_source = {}
    for name in dict.fromkeys(judged.source_models):
        keep = names == name
        by_source[name] = correlations_with_intervals(metric[keep], judged.subset(keep), draws, rng)
    defined = [result for result in by_source.values() if "undefined" not in result]
    macro = {
        name: float(np.mean([result[name] for result in defined])) if defined else None
        for name in COEFFICIENTS
    }
    return {"by_source": by_source, "macro": macro}


def correlations_with_intervals(
    metric: np.ndarray, judged: JudgedStories, draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Coefficients, p-values and intervals for part of the data, or why they are undefined."""
    result = correlate_part(metric, judged.scores)
    if "undefined" not in result and draws:
        result["intervals"] = bootstrap_part(metric, judged.scores, judged.prompts, draws, rng)
    return result


def dataset_drift(runs: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Compares two or more runs of one metric (OpenMEVA Table 5).

    Args:
        runs: results of the benchmark by training corpus and test set, `{"roc": {"mans_roc": result, …}, …}`.

    Returns:
        The coefficients in the same layout. For each test set also `drop`, which the paper does not have (it compares the
        test sets of one training corpus): Pearson of a training corpus minus that of the best one on that set (0 for
        the best, negative for the others).

    >>> runs = {"roc": {"t": {"pearson": 0.4}}, "wp": {"t": {"pearson": 0.1}}}
    >>> round(dataset_drift(runs)["wp"]["t"]["drop"], 3)
    -0.3
    """
    best: dict[str, float] = {}
    for tests in runs.values():
        for test, result in tests.items():
            best[test] = max(best.get(test, -1.0), float(result["pearson"]))
    return {
        train: {
            test: {
                **{name: result[name] for name in (*COEFFICIENTS, "intervals") if name in result},
                "drop": float(result["pearson"]) - best[test],
            }
            for test, result in tests.items()
        }
        for train, tests in runs.items()
    }


def quality_drift(
    metric: np.ndarray, judged: JudgedStories, rng: np.random.Generator, draws: int = 200
) -> list[dict[str, Any]]:
    """Pearson on sets biased towards low or high quality (UNION section 4.4, Figure 2).

    Judgments are mapped to levels k in 0..7 (exact for UNION's mean of seven binary ratings; for other
    scales the nearest level between the lowest and the highest rating). A story of level k is in set I, I in
    1..8, with probability 1 / (|I - k| + 1). Each set is sampled `draws` times.

    Returns:
        For each set `{"set", "n" (mean size), "pearson" (mean), "sd" (over the samples), "undefined" (number of samples
        without a correlation), "levels" (mean number of stories of each level)}`.
    """
    span = judged.high - judged.low
    levels = np.rint((judged.scores - judged.low) / span * (SETS - 1)) if span else np.zeros(len(judged))
    levels = np.clip(levels, 0, SETS - 1).astype(int)
    results = []
    for index in range(1, SETS + 1):
        chosen = rng.random((draws, len(judged))) < 1 / (np.abs(index - levels) + 1)
        values = _masked_pearson(chosen, metric, judged.scores)
        defined = values[np.isfinite(values)]
        counts = [float(chosen[:, levels == level].sum() / draws) for level in range(SETS)]
        results.append(
            {
                "set": index,
                "n": float(chosen.sum() / draws),
                "pearson": float(defined.mean()) if len(defined) else None,
                "sd": float(defined.std(ddof=1)) if len(defined) > 1 else None,
                "undefined": int(draws - len(defined)),
                "levels": counts,
            }
        )
    return results


def _masked_pearson(chosen: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    sums = chosen.astype(float) @ pearson_columns(x, y)
    enough = np.flatnonzero(sums[:, 0] > 2)
    correlations = np.full(len(chosen), np.nan)
    correlations[enough] = recompute_lost_pearson(
        pearson_of(sums[enough]), lambda draws: chosen[enough[draws]], x, y
    )
    return correlations
