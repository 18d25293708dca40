"""The noise ceiling: the correlation that a perfect metric could reach, from split halves of the ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import harmonic_mean
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.metrics.openmeva.ties import merge_ties

# The ceiling's interval: splits that are computed again without the stories of each of these blocks of prompts.
BLOCKS = 10
_BLOCK_SPLITS = 10


def noise_ceiling(
    ratings: np.ndarray, rng: np.random.Generator, splits: int = 200, prompts: np.ndarray | None = None
) -> dict[str, Any]:
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

    The interval is by a delete-a-group jackknife over ten blocks of prompts, on the scale of the ceiling; over ten blocks
    of stories if there are fewer prompts than blocks.

    Args:
        ratings: `(n, r)`, NaN where a rating is missing; at least two each for three stories.
        rng: random generator.
        splits: number of splits averaged.
        prompts: `(n,)`, equal where two stories share a prompt; None: each story has its own.

    Returns:
        `{"splits", "stories", "raters", "split_half": {coefficient: mean}, "reliability", "ceiling": {coefficient:
        value}, "intervals": {coefficient: [low, high]}}`: `stories` are split, `raters` is the mean number of ratings of all
        stories, `intervals` are those of the ceilings at 95 %, from 0 to 1, or None for fewer than 30 stories with two
        ratings, or where all halves' means are equal without a block.

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
    sizes = [float(harmonic_mean(each.tolist())) for each in (counts // 2, counts - counts // 2, all_counts)]
    groups = np.arange(len(is_split)) if prompts is None else prompts
    blocks = _blocks(groups[is_split]) if len(ratings) >= 3 * BLOCKS else []
    whole: list[dict[str, float]] = []
    without: list[list[dict[str, float] | None]] = [[] for _ in blocks]
    for split in range(splits):
        first, second = _halves(ratings, counts, rng)
        agreed = _agreement(first, second)
        if agreed is None:
            continue
        whole.append(agreed)
        for block, values in zip(blocks if split < _BLOCK_SPLITS else (), without, strict=False):
            values.append(_agreement(np.delete(first, block), np.delete(second, block)))
    if not whole:
        raise ValueError("split halves: the raters give every story the same mean")
    half = _means(whole)
    if min(half.values()) <= 0:
        raise ValueError(
            f"split halves: two halves of a story's raters agree no more than by chance (Pearson {half['pearson']:.3f})"
        )
    return {
        "splits": len(whole),
        "stories": len(ratings),
        "raters": float(all_counts.mean()),
        "split_half": half,
        "reliability": _spearman_brown(half["pearson"], *sizes),
        "ceiling": _ceilings(half, sizes),
        "intervals": _intervals(half, without, sizes),
    }


def _blocks(groups: np.ndarray) -> list[np.ndarray]:
    """The indices of the stories in each block: whole groups at random."""
    names, codes = np.unique(groups, return_inverse=True)
    if len(names) < BLOCKS:
        names = codes = np.arange(len(groups))
    block_of = np.random.default_rng(0).permutation(len(names)) % BLOCKS
    return [np.flatnonzero(block_of[codes] == block) for block in range(BLOCKS)]


def _agreement(first: np.ndarray, second: np.ndarray) -> dict[str, float] | None:
    """The coefficients between the half means; None where all means of a half are equal."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return {
        "pearson": float(np.corrcoef(first, second)[0, 1]),
        "spearman": float(np.corrcoef(stats.rankdata(first), stats.rankdata(second))[0, 1]),
        "kendall": float(stats.kendalltau(first, second).statistic),
    }


def _means(splits: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([values[name] for values in splits])) for name in COEFFICIENTS}


def _ceilings(half: Mapping[str, float], sizes: Sequence[float]) -> dict[str, float]:
    """The ceilings, from the mean agreement of halves; `sizes` as the last arguments of `_spearman_brown`."""
    agreed = {**half, "kendall": np.sin(np.pi / 2 * half["kendall"])}
    ceiling = {name: float(np.sqrt(_spearman_brown(agreed[name], *sizes))) for name in COEFFICIENTS}
    ceiling["kendall"] = float(2 / np.pi * np.arcsin(ceiling["kendall"]))
    return ceiling


def _intervals(
    half: Mapping[str, float],
    without: Sequence[Sequence[Mapping[str, float] | None]],
    sizes: Sequence[float],
) -> dict[str, list[float]] | None:
    """The ceilings' intervals, given the mean agreement of halves, and that in the same splits without each block of stories.

    The jackknife is of the ceilings; of the agreement if halves disagree without some block, since a ceiling is then 0.
    """
    by_block = [_means(splits) for values in without if (splits := [value for value in values if value])]
    if not by_block or len(by_block) < len(without):
        return None
    count = len(by_block)
    reach = stats.t.ppf(0.975, count - 1) * np.sqrt((count - 1) ** 2 / count)
    agreed = min(min(values.values()) for values in by_block) > 0
    center: Mapping[str, float] = _ceilings(half, sizes) if agreed else half
    rows = [_ceilings(values, sizes) for values in by_block] if agreed else by_block
    spread = {name: reach * float(np.std([row[name] for row in rows], ddof=1)) for name in COEFFICIENTS}
    ends = [
        {name: float(np.clip(center[name] + side * spread[name], 0, 1)) for name in COEFFICIENTS}
        for side in (-1, 1)
    ]
    if not agreed:
        ends = [_ceilings(end, sizes) for end in ends]
    return {name: [end[name] for end in ends] for name in COEFFICIENTS}


def check_ceiling(ceiling: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Rejects a ceiling that a metric exceeds: its assumption that raters are exchangeable may then be false.

    The ceiling is an estimate, too: the metric's interval must be above that of the ceiling, or above the ceiling where it
    has none.

    A metric that was fitted to these ratings can exceed any ceiling, which is no evidence against the assumption.

    Args:
        ceiling: result of `noise_ceiling`.
        rows: maps each metric to its coefficients with `intervals`, which may be None.

    Raises:
        ValueError: the whole interval of a metric, for any coefficient, is above the ceiling's.
    """
    for name, row in rows.items():
        for coefficient, ends in (row.get("intervals") or {}).items():
            top = ceiling["ceiling"][coefficient]
            if ends is not None and ends[0] > upper_end(ceiling, coefficient):
                raise ValueError(
                    f"split halves: {name} is above their ceiling ({coefficient.capitalize()} {row[coefficient]:.3f}, "
                    f"ceiling {top:.3f}): the raters of a story may not be exchangeable, the ceiling may be too low by chance, "
                    "or the metric has seen their ratings"
                )


def upper_end(ceiling: Mapping[str, Any], coefficient: str) -> float:
    """The upper end of a ceiling's interval, or the ceiling itself where it has none."""
    intervals = ceiling.get("intervals")
    return float(intervals[coefficient][1] if intervals else ceiling["ceiling"][coefficient])


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
