"""A row's results on a judged set besides its pooled coefficients: the other two levels, and pairwise accuracy.

A level has the keys of the pooled one (`pearson`, `spearman`, `kendall`, `intervals`). A level that does not exist has
`undefined` with the reason.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.bootstrap import interval
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.statistics.coefficients import COEFFICIENTS
from openmeva.training.statistics.levels import MIN_STORIES, SystemMeans, within_prompts
from openmeva.training.statistics.pairs import (
    calibrated_accuracy,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)

BootstrapSamples = dict[str, np.ndarray]
MIN_COMPLETE_PROMPTS = 30  # prompts with one story of each system that soft accuracy needs


class Levels:
    """The levels of any row of one judged set, on the same resampled prompts.

    Args:
        judged: the stories.
        counts: `(draws, prompts)`, how often each prompt is sampled, prompts in the order of their labels.
        seed: of the permutations of soft pairwise accuracy, which all rows share.
    """

    def __init__(self, judged: JudgedStories, counts: np.ndarray, seed: int) -> None:
        self._judged, self._counts, self._seed = judged, counts, seed
        self._large = np.unique(judged.prompts, return_counts=True)[1].max() >= MIN_STORIES
        systems = judged.source_models
        self._systems = SystemMeans(judged.scores, judged.prompts, systems) if systems else None

    def _unless_whole(self, samples: np.ndarray) -> np.ndarray:
        """The samples, or NaN with a single prompt, where every bootstrap sample is the whole set."""
        return samples if self._counts.shape[1] > 1 else np.full_like(samples, np.nan)

    def within(self, metric: np.ndarray) -> tuple[dict[str, Any], BootstrapSamples]:
        """Means over prompts, and their bootstrap samples for the ranking of metrics.

        Returns:
            The coefficients with `intervals`, `with_zeros` (dropped prompts counted as 0), `prompts` (number with a
            coefficient), `dropped` (a side is constant), `small` (fewer than three stories), and `accuracy` (acc_eq).
            Then the bootstrap means with zeros: without, each metric's mean would be over different prompts.
        """
        if not self._large:
            return {"undefined": "no prompt has three stories"}, {}
        judged = self._judged
        by_coefficient = {
            name: within_prompts(metric, judged.scores, judged.prompts, coefficient)
            for name, coefficient in COEFFICIENTS.items()
        }
        pearson = by_coefficient["pearson"]
        counts = {"prompts": pearson.used, "dropped": pearson.dropped, "small": pearson.small}
        if not pearson.used:
            return {"undefined": "in every prompt the metric or the judgments are constant", **counts}, {}
        # a single prompt with a coefficient has the same one in every bootstrap sample that contains it
        samples = {
            name: each.resampled(self._counts) if each.used > 1 else np.full(len(self._counts), np.nan)
            for name, each in by_coefficient.items()
        }
        ranked = {
            name: self._unless_whole(each.resampled(self._counts, zeros=True))
            for name, each in by_coefficient.items()
        }
        return {
            **{name: each.mean for name, each in by_coefficient.items()},
            "intervals": {name: interval(values) for name, values in samples.items()},
            "with_zeros": {name: each.mean_with_zeros for name, each in by_coefficient.items()},
            **counts,
            "accuracy": asdict(calibrated_accuracy(metric, judged.scores, judged.prompts)),
        }, ranked

    def between(self, metric: np.ndarray) -> dict[str, Any]:
        """Coefficients of the systems' means, and pairwise accuracy of systems.

        Returns:
            The coefficients with `intervals`, `systems` (their number), `pairwise_accuracy`, `complete` (number of
            prompts with one story of each system) and, with at least 30 of these, `soft_accuracy`, computed on them.
        """
        means = self._systems
        if means is None or len(means.systems) < MIN_STORIES:
            number = "no systems are named" if means is None else f"{len(means.systems)} systems"
            return {"undefined": f"{number}, at least {MIN_STORIES} are needed"}
        by_coefficient = {
            name: means.between(metric, coefficient) for name, coefficient in COEFFICIENTS.items()
        }
        pearson = by_coefficient["pearson"]
        if not np.isfinite(pearson.value):
            return {"undefined": "all systems have the same mean"}
        samples = {
            name: self._unless_whole(means.resampled(metric, self._counts, coefficient))
            for name, coefficient in COEFFICIENTS.items()
        }
        result: dict[str, Any] = {
            **{name: each.value for name, each in by_coefficient.items()},
            "intervals": {name: interval(values) for name, values in samples.items()},
            "systems": len(pearson.systems),
            "pairwise_accuracy": pairwise_accuracy(pearson.metric, pearson.judgments),
        }
        scores, judgments = means.complete(metric)
        result["complete"] = scores.shape[1]
        if scores.shape[1] >= MIN_COMPLETE_PROMPTS:
            rng = np.random.default_rng(self._seed)
            result["soft_accuracy"] = soft_pairwise_accuracy(scores, judgments, rng)
        return result
