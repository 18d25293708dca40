"""The noise ceiling: the correlation that a perfect metric could reach, from split halves of the ratings."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import harmonic_mean
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.metrics.openmeva.ties import merge_ties


def noise_ceiling(ratings: np.ndarray, rng: np.random.Generator, splits: int = 200) -> dict[str, Any]:
    """Split-half agreement, and the correlation that a metric of the true quality would reach.

    Each split divides the ratings of every story at random (two and three of five). Rater identity is not needed, so
    sorted ratings suffice. The Spearman-Brown formula gives the reliability R of the mean of all ratings from the mean
    correlation of the two half means. The ceiling is sqrt(R): the correlation of an error-free metric with that noisy
    mean. Kendall's tau is converted by Greiner's relation r = sin(pi tau / 2) and back, which is exact only for
    bivariate normal data. Where ratings tie or are skewed, the ceilings of Spearman's and Kendall's coefficients are too
    high, by up to .1 for binary ratings.

    Stories with one rating have no halves and are left out of the splits, but count for the reliability of the means of
    all stories. If stories differ in their number of ratings, the formula uses harmonic means of these numbers: the
    error variance of a mean of k ratings is proportional to 1/k. (ICC(1,k) uses the arithmetic mean, as is usual, and
    then is a little higher.) The number of ratings of a story is assumed not to depend on its quality.

    Args:
        ratings: `(n, r)`, NaN where a rating is missing; at least two each for three stories.
        rng: random generator.
        splits: number of splits averaged.

    Returns:
        `{"splits", "stories", "raters", "split_half": {coefficient: mean}, "reliability", "ceiling": {coefficient:
        value}}`: `stories` are split, `raters` is the mean number of ratings of all stories.

    Raises:
        ValueError: fewer than three stories with two ratings, stories that all have the same mean in each half, or
            halves that agree no more than by chance: then the raters of a story are not exchangeable, or their ratings
            carry no information.

    >>> agreed = np.repeat(np.arange(5.0)[:, None], 4, axis=1)
    >>> round(noise_ceiling(agreed, np.random.default_rng(0), splits=5)["ceiling"]["pearson"], 6)
    1.0
    """
    counts = np.isfinite(ratings).sum(axis=1)
    all_counts, is_split = counts, counts >= 2
    if is_split.sum() < 3:
        raise ValueError(
            f"split halves: expected at least 3 stories with 2 ratings or more each, got {is_split.sum():,} among "
            f"{len(ratings):,} stories"
        )
    ratings, counts = ratings[is_split], counts[is_split]
    by_split: dict[str, list[float]] = {name: [] for name in COEFFICIENTS}
    for _ in range(splits):
        first, second = _halves(ratings, counts, rng)
        if np.ptp(first) == 0 or np.ptp(second) == 0:
            continue
        by_split["pearson"].append(float(np.corrcoef(first, second)[0, 1]))
        by_split["spearman"].append(float(np.corrcoef(stats.rankdata(first), stats.rankdata(second))[0, 1]))
        by_split["kendall"].append(float(stats.kendalltau(first, second).statistic))
    if not by_split["pearson"]:
        raise ValueError("split halves: the raters give every story the same mean")
    half = {name: float(np.mean(values)) for name, values in by_split.items()}
    if min(half.values()) <= 0:
        raise ValueError(
            f"split halves: two halves of a story's raters agree no more than by chance (Pearson {half['pearson']:.3f})"
        )
    small, large, target = (
        float(harmonic_mean(sizes.tolist())) for sizes in (counts // 2, counts - counts // 2, all_counts)
    )
    reliability = {
        "pearson": _spearman_brown(half["pearson"], small, large, target),
        "spearman": _spearman_brown(half["spearman"], small, large, target),
        "kendall": _spearman_brown(np.sin(np.pi / 2 * half["kendall"]), small, large, target),
    }
    ceiling = {name: float(np.sqrt(value)) for name, value in reliability.items()}
    ceiling["kendall"] = float(2 / np.pi * np.arcsin(ceiling["kendall"]))
    return {
        "splits": len(by_split["pearson"]),
        "stories": len(ratings),
        "raters": float(all_counts.mean()),
        "split_half": half,
        "reliability": reliability["pearson"],
        "ceiling": ceiling,
    }


def check_ceiling(ceiling: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Rejects a ceiling that a metric exceeds: its assumption that raters are exchangeable may then be false.

    The ceiling is an estimate, too, and is taken as it is: with few stories or raters, some are rejected by chance.

    A metric that was fitted to these ratings can exceed any ceiling, which is no evidence against the assumption.

    Args:
        ceiling: result of `noise_ceiling`.
        rows: maps each metric to its coefficients with `intervals`, which may be None.

    Raises:
        ValueError: the whole interval of a metric, for any coefficient, is above the ceiling.
    """
    for name, row in rows.items():
        for coefficient, ends in (row.get("intervals") or {}).items():
            top = ceiling["ceiling"][coefficient]
            if ends is not None and ends[0] > top:
                raise ValueError(
                    f"split halves: {name} is above their ceiling ({coefficient.capitalize()} {row[coefficient]:.3f}, "
                    f"ceiling {top:.3f}): the raters of a story may not be exchangeable, the ceiling may be too low by chance, "
                    "or the metric has seen their ratings"
                )


def _halves(
    ratings: np.ndarray, counts: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    keys = np.where(np.isfinite(ratings), rng.random(ratings.shape), 2)
    shuffled = np.take_along_axis(ratings, np.argsort(keys, axis=1), axis=1)
    positions = np.arange(ratings.shape[1])
    first = positions < (counts // 2)[:, None]
    second = ~first & (positions < counts[:, None])
    means = [np.where(half, shuffled, 0).sum(axis=1) / half.sum(axis=1) for half in (first, second)]
    return merge_ties(means[0]), merge_ties(means[1])


def _spearman_brown(half: float, small: float, large: float, target: float) -> float:
    """Reliability of the mean of `target` ratings, from the correlation of means of `small` and `large` ratings.

    With single-rater reliability s, a mean of k ratings has reliability R(k) = k s / (1 + (k - 1) s), and two
    disjoint halves correlate sqrt(R(small) R(large)). Solved for s by bisection.
    """

    def reliability(single: float, k: float) -> float:
        return k * single / (1 + (k - 1) * single)

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = np.sqrt(reliability(middle, small) * reliability(middle, large))
        low, high = (middle, high) if reached < half else (low, middle)
    return float(reliability(high, target))
