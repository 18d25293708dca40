"""Rankings of the metrics on one judged set: significance clusters, and ranks on resampled prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.comparison import paired_bootstrap
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.results.levels import BootstrapSamples
from openmeva.training.statistics.permutation import PermutationTests, random_swaps
from openmeva.training.statistics.ranking import rank_stability, significance_clusters

# The coefficient that each level is ranked by: papers print pooled Pearson, and Spearman within prompts. Within prompts,
# a prompt in which a metric is constant counts as 0.
RANKED_BY = {"pooled": "pearson", "within_prompts": "spearman"}


def standings(
    judged: JudgedStories,
    rows: Mapping[str, Mapping[str, Any]],
    scores: Mapping[str, np.ndarray],
    pooled: Mapping[str, BootstrapSamples],
    within: Mapping[str, BootstrapSamples],
    resamples: int,
    rng: np.random.Generator,
    coefficient: str | None = None,
) -> dict[str, Any]:
    """Clusters and ranks at the levels of `RANKED_BY` where at least two metrics have a coefficient.

    Args:
        judged: the stories.
        rows: title to the pooled coefficients, and to those of `within_prompts`.
        scores: title to `(n,)`.
        pooled, within: title to the bootstrap coefficients of the level, all on the same resampled prompts.
        resamples: maximum number of resamples of a permutation test; the tests stop early.
        rng: random generator of their exchanges.
        coefficient: what to rank by at both levels, instead of `RANKED_BY`.

    Returns:
        Level to `coefficient`, `metrics` (titles, best first), `clusters` (one number per metric, 1 is the best),
        `p_values` (of the row's metric being no better than the column's, the larger of two tests'; None if no test was
        needed) and `ranks` (`rank`, `low`, `high`, `first` per metric).
    """
    swaps = random_swaps(resamples, judged.prompts, rng)
    levels = {
        "pooled": (rows, pooled, None),
        "within_prompts": (
            {title: row.get("within_prompts", {}).get("with_zeros", {}) for title, row in rows.items()},
            within,
            judged.prompts,
        ),
    }
    result = {}
    for level, (cells, samples, prompts) in levels.items():
        ranked_by = coefficient or RANKED_BY[level]
        titles = [title for title in scores if ranked_by in cells[title]]
        if len(titles) < 2:
            continue
        tests = PermutationTests(
            np.array([scores[title] for title in titles]),
            judged.scores,
            swaps,
            ranked_by,
            prompts,
        )
        values = np.array([cells[title][ranked_by] for title in titles])
        printed: dict[tuple[int, int], float] = {}
        resampled = np.array([samples[title][ranked_by] for title in titles])
        clusters = significance_clusters(values, partial(_p_value, tests, resampled, printed))
        ranks = rank_stability(values, resampled)
        result[level] = {
            "coefficient": ranked_by,
            "metrics": [titles[index] for index in clusters.order],
            "clusters": clusters.ranks.tolist(),
            "p_values": [
                [printed.get((first, second)) for second in clusters.order] for first in clusters.order
            ],
            "ranks": [asdict(ranks[index]) for index in clusters.order],
        }
    return result


def _p_value(
    tests: PermutationTests,
    resampled: np.ndarray,
    printed: dict[tuple[int, int], float],
    first: int,
    second: int,
) -> float:
    """The one-sided p-value that decides on clusters; one that is never 0 is added to `printed`.

    WMT takes PERM-BOTH's alone. Here the bootstrap over prompts has to confirm it, as in comparisons of two metrics.
    """
    test = tests.test(first, second)
    two_sided = paired_bootstrap(resampled[first], resampled[second])["p_value"]
    confirmation = 1.0 if two_sided is None else two_sided / 2
    printed[first, second] = max(test.nonzero_p_value, confirmation)
    return max(test.p_value, confirmation)
