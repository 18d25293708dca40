"""Human judgments by source model: the box plots of OpenMEVA's Figure 3, and tests between source models."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.comparison import correct_p_values
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.ties import tie_merged_differences

_EXACT = 12  # prompts up to which Wilcoxon's test is exact: 4,096 permutations


def judgments_by_source(judged: JudgedStories) -> dict[str, Any]:
    """Five-number summaries by source model, and tests whether the source models differ.

    If every prompt has one story of each source model, the tests are paired by prompt (Friedman for all, Wilcoxon
    signed-rank for two, exact for up to 12 prompts); otherwise unpaired (Kruskal-Wallis, Mann-Whitney). p-values of pairs are corrected by Holm
    and Benjamini-Hochberg.

    Raises:
        ValueError: fewer than two source models are known, or all stories (of each prompt) have the same
            judgment.
    """
    if judged.source_models is None or len(set(judged.source_models)) < 2:
        raise ValueError("the rows do not name two source models")
    names = np.array(judged.source_models)
    systems = list(dict.fromkeys(judged.source_models))
    groups = {name: judged.scores[names == name] for name in systems}
    table = _by_prompt(judged, names, systems)
    paired = table is not None
    values = dict(zip(systems, table.T, strict=True)) if table is not None else groups
    overall = _overall(list(values.values()), paired)
    p_values = {}
    for first, second in combinations(systems, 2):
        if paired:
            differences = tie_merged_differences(values[first], values[second])
            # SciPy's exact method enumerates all permutations where there are ties, of which judgments have many
            exact = len(differences) <= _EXACT
            method = stats.PermutationMethod(n_resamples=2**_EXACT) if exact else "asymptotic"
            test = stats.wilcoxon(differences, zero_method="pratt", method=method)
        else:
            test = stats.mannwhitneyu(values[first], values[second])
        p_values[f"{first} / {second}"] = float(test.pvalue)
    return {
        "boxes": {name: _box(group) for name, group in groups.items()},
        "overall": overall,
        "pairs": {"test": "wilcoxon" if paired else "mann-whitney", "p_values": correct_p_values(p_values)},
    }


def _overall(groups: list[np.ndarray], paired: bool) -> dict[str, Any]:
    if paired and len(groups[0]) < 2:
        raise ValueError("expected two prompts or more to compare source models by prompt, got one")
    # Friedman's chi-square needs three groups; two are compared only by their pair test.
    if paired and len(groups) < 3:
        return {"test": "none: two sources, see pairs"}
    with np.errstate(invalid="ignore"):
        test = stats.friedmanchisquare(*groups) if paired else stats.kruskal(*groups)
    if not np.isfinite(test.statistic):
        raise ValueError("all stories, or all stories of each prompt, have the same judgment")
    return {
        "test": "friedman" if paired else "kruskal-wallis",
        "statistic": float(test.statistic),
        "p_value": float(test.pvalue),
    }


def _by_prompt(judged: JudgedStories, names: np.ndarray, systems: list[str]) -> np.ndarray | None:
    """`(prompts, systems)` judgments, or `None` unless each prompt has one story of each system."""
    prompts, codes = np.unique(judged.prompts, return_inverse=True)
    if len(judged) != len(prompts) * len(systems):
        return None
    table = np.full((len(prompts), len(systems)), np.nan)
    table[codes, [systems.index(name) for name in names]] = judged.scores
    return None if np.isnan(table).any() else table


def _box(values: np.ndarray) -> dict[str, float | None]:
    low, first, median, third, high = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    return {
        "n": len(values),
        "mean": float(values.mean()),
        "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
        "min": float(low),
        "q1": float(first),
        "median": float(median),
        "q3": float(third),
        "max": float(high),
    }
