"""Pairwise accuracy with calibrated ties (Deutsch, Foster and Freitag 2023); soft accuracy (Thompson et al. 2024)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openmeva.metrics.openmeva.ties import merge_score_ties, merge_ties
from openmeva.training.statistics.coefficients import accuracy
from openmeva.training.statistics.groups import Groups

_EQUAL = 1e-12  # sums that differ by less are equal but for the order of summation
# differences by rounding, relative to a gap, and to the larger of its scores
_OF_GAP, _OF_SCORE = 1e-10, 1e-14


@dataclass(frozen=True)
class CalibratedAccuracy:
    """Pairwise accuracy at the best threshold for ties.

    Attributes:
        value: share of pairs that people and metric order alike, 0 to 1, mean over the prompts; a tie counts as an
            order, and a metric ties if its scores differ by no more than `threshold`.
        threshold: the smallest threshold with the highest share; gaps that differ by rounding alone share one.
        without_ties: the share at threshold 0, where only equal scores tie.
        pairs: their number.
    """

    value: float
    threshold: float
    without_ties: float
    pairs: int


def calibrated_accuracy(
    metric: np.ndarray, judgments: np.ndarray, prompts: np.ndarray | None = None
) -> CalibratedAccuracy:
    """acc_eq with tie calibration: metrics with continuous scores never tie, people often do.

    The threshold is chosen on the same stories, as in the paper, which is optimistic for all metrics alike.

    Args:
        metric, judgments: `(n,)` each.
        prompts: `(n,)` labels: only stories of the same prompt are paired, and each prompt has the same weight.
            None pairs all stories.

    Raises:
        ValueError: no two stories to pair.

    >>> calibrated_accuracy(np.array([1.0, 2.0, 2.1]), np.array([1.0, 3.0, 3.0])).value
    1.0
    """
    groups = Groups(np.zeros(len(metric)) if prompts is None else prompts)
    gaps, sizes, gains, counts, start = [], [], [], 0, 0.0
    paired = int((groups.sizes > 1).sum())
    if not paired:
        raise ValueError("expected two stories of one prompt to pair, got none")
    merged_metric, merged_judgments = merge_score_ties(metric), merge_ties(judgments)
    for _, indices in groups.by_size(2):
        first, second = np.triu_indices(indices.shape[1], 1)
        x, y = merged_metric[indices], merged_judgments[indices]
        x_gaps, y_gaps = ((values[:, first] - values[:, second]).ravel() for values in (x, y))
        right = np.sign(x_gaps) == np.sign(y_gaps)
        weight = 1 / (len(first) * paired)
        start += right.sum() * weight
        counts += len(x_gaps)
        gaps.append(np.abs(x_gaps))
        sizes.append(np.maximum(np.abs(x[:, first]), np.abs(x[:, second])).ravel())
        gains.append(((y_gaps == 0).astype(float) - right) * weight)
    all_gaps = np.concatenate(gaps)
    order = np.argsort(all_gaps, kind="stable")
    thresholds = all_gaps[order]
    reached = start + np.cumsum(np.concatenate(gains)[order])
    # .3 - .2 and .2 - .1 are equal gaps; relative to the range of gaps, an outlier would make most of them equal
    rounding = _OF_GAP * thresholds + _OF_SCORE * np.concatenate(sizes)[order]
    first_of_gap = np.r_[True, np.diff(thresholds) > rounding[:-1]]
    last = np.r_[first_of_gap[1:], True]  # a threshold ties all pairs with its gap at once
    thresholds, reached = np.r_[0.0, thresholds[first_of_gap]], np.r_[start, reached[last]]
    best = int(np.argmax(reached > reached.max() - _EQUAL))
    return CalibratedAccuracy(float(reached[best]), float(thresholds[best]), float(start), counts)


def pairwise_accuracy(metric: np.ndarray, judgments: np.ndarray) -> float:
    """Share of pairs that both order alike, 0 to 1; for example of systems by their means (Kocmi et al. 2021).

    Raises:
        ValueError: fewer than two values.
    """
    if len(metric) < 2:
        raise ValueError(f"expected two values to pair, got {len(metric)}")
    return float(accuracy(metric, judgments))


def soft_pairwise_accuracy(
    metric: np.ndarray, judgments: np.ndarray, rng: np.random.Generator, resamples: int = 1000
) -> float:
    """Soft pairwise accuracy: how similar metric and people are in their confidence that one system is better.

    For each pair of systems a paired permutation test gives a p-value of the metric's scores and one of the judgments.
    The result is 1 minus the mean absolute difference of the two, 0 to 1, higher is better. Both tests use the same
    permutations. A permutation with an equal difference counts, as in mt-metrics-eval, so with few prompts the order of
    the systems matters slightly.

    Args:
        metric, judgments: `(systems, prompts)`, without missing values.
        rng: source of the permutations.
        resamples: their number.

    Raises:
        ValueError: tables of different shapes, fewer than two systems, or a missing value.
    """
    if metric.shape != judgments.shape or metric.ndim != 2 or len(metric) < 2:
        raise ValueError(
            f"expected two tables of two systems or more, got the shapes {metric.shape} and {judgments.shape}"
        )
    if not (np.isfinite(metric).all() and np.isfinite(judgments).all()):
        raise ValueError("expected a score of each system for each prompt")
    signs = 2.0 * (rng.random((resamples, metric.shape[1]), dtype=np.float32) > 0.5) - 1
    differences = np.abs(_system_p_values(metric, signs) - _system_p_values(judgments, signs))
    return float(1 - differences.mean())


def _system_p_values(scores: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """For each pair of systems, the share of permutations in which the first is at least as far ahead as observed."""
    first, second = np.triu_indices(len(scores), 1)
    centred = scores - scores.mean(axis=0)  # removes the effect of the prompt, which all systems share
    sums, swapped = centred.sum(axis=1), signs @ centred.T
    observed = sums[first] - sums[second]
    return (swapped[:, first] - swapped[:, second] >= observed - 1e-9 * np.abs(centred).sum()).mean(axis=0)
