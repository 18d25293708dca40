"""How well a perfect metric could do: the agreement of the raters with themselves, from split halves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.correlation import COEFFICIENTS


def noise_ceiling(ratings: np.ndarray, rng: np.random.Generator, splits: int = 200) -> dict[str, Any]:
    """Split-half agreement, and from it the correlation that a metric of the true quality would reach.

    In each split the ratings of every story are cut at random in two (two and three of five); rater identity
    is not needed, so sorted ratings will do. From the mean correlation of the two half means the
    Spearman-Brown formula gives the reliability R of the mean of all ratings, and sqrt(R) is the ceiling:
    what a metric without any error would correlate with that noisy mean. Kendall's tau goes through Greiner's
    relation r = sin(pi tau / 2) and back, which is exact for bivariate normal data only.

    Args:
        ratings: `(n, r)`, NaN where a rating lacks; at least two a story.
        rng: source of the splits.
        splits: number of splits averaged.

    Returns:
        `{"splits", "raters", "split_half": {coefficient: mean}, "reliability", "ceiling": {coefficient:
        value}}`

    Raises:
        ValueError: fewer than three stories, a story with one rating, raters who never differ by story, or halves that
            agree no more than by chance: then the raters of a story are not exchangeable, or say nothing.

    >>> agreed = np.repeat(np.arange(5.0)[:, None], 4, axis=1)
    >>> round(noise_ceiling(agreed, np.random.default_rng(0), splits=5)["ceiling"]["pearson"], 6)
    1.0
    """
    counts = np.isfinite(ratings).sum(axis=1)
    if len(ratings) < 3 or counts.min() < 2:
        raise ValueError("split halves: expected at least 3 stories with 2 ratings or more each")
    found: dict[str, list[float]] = {name: [] for name in COEFFICIENTS}
    for _ in range(splits):
        first, second = _halves(ratings, counts, rng)
        if np.ptp(first) == 0 or np.ptp(second) == 0:
            continue
        found["pearson"].append(float(np.corrcoef(first, second)[0, 1]))
        found["spearman"].append(float(np.corrcoef(stats.rankdata(first), stats.rankdata(second))[0, 1]))
        found["kendall"].append(float(stats.kendalltau(first, second).statistic))
    if not found["pearson"]:
        raise ValueError("split halves: the raters give every story the same mean")
    half = {name: float(np.mean(values)) for name, values in found.items()}
    if min(half.values()) <= 0:
        raise ValueError(
            f"split halves: two halves of a story's raters agree no more than by chance (Pearson {half['pearson']:.3f})"
        )
    small, large, every = (counts // 2).mean(), (counts - counts // 2).mean(), counts.mean()
    reliability = {
        "pearson": _spearman_brown(half["pearson"], small, large, every),
        "spearman": _spearman_brown(half["spearman"], small, large, every),
        "kendall": _spearman_brown(np.sin(np.pi / 2 * half["kendall"]), small, large, every),
    }
    ceiling = {name: float(np.sqrt(value)) for name, value in reliability.items()}
    ceiling["kendall"] = float(2 / np.pi * np.arcsin(ceiling["kendall"]))
    return {
        "splits": splits,
        "raters": float(every),
        "split_half": half,
        "reliability": reliability["pearson"],
        "ceiling": ceiling,
    }


def check_ceiling(ceiling: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuses a ceiling that metrics are above: it takes the raters of a story for exchangeable, which may be untrue.

    A metric that was fitted to these very ratings is above any ceiling, and no sign of it.

    Args:
        ceiling: of `noise_ceiling`.
        rows: metric to its coefficients with `intervals`, which may be None.

    Raises:
        ValueError: a metric whose whole interval, of any coefficient, is above the ceiling.
    """
    for name, row in rows.items():
        for coefficient, ends in (row.get("intervals") or {}).items():
            top = ceiling["ceiling"][coefficient]
            if ends is not None and ends[0] > top:
                raise ValueError(
                    f"split halves: {name} is above what they leave room for ({coefficient.capitalize()} "
                    f"{row[coefficient]:.3f}, ceiling {top:.3f}): the raters of a story are not exchangeable, or it has seen "
                    "their ratings"
                )


def _halves(
    ratings: np.ndarray, counts: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    keys = np.where(np.isfinite(ratings), rng.random(ratings.shape), 2)
    shuffled = np.take_along_axis(ratings, np.argsort(keys, axis=1), axis=1)
    places = np.arange(ratings.shape[1])
    first = places < (counts // 2)[:, None]
    second = ~first & (places < counts[:, None])
    return (
        np.where(first, shuffled, 0).sum(axis=1) / first.sum(axis=1),
        np.where(second, shuffled, 0).sum(axis=1) / second.sum(axis=1),
    )


def _spearman_brown(half: float, small: float, large: float, every: float) -> float:
    """Reliability of the mean of `every` ratings, from the correlation of means of `small` and `large` ones.

    With single-rater reliability s, a mean of k ratings has reliability R(k) = k s / (1 + (k - 1) s), and two
    disjoint halves correlate sqrt(R(small) R(large)). Solved for s by halving the interval.
    """

    def reliability(single: float, k: float) -> float:
        return k * single / (1 + (k - 1) * single)

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = np.sqrt(reliability(middle, small) * reliability(middle, large))
        low, high = (middle, high) if reached < half else (low, middle)
    return float(reliability(high, every))
