"""Inter-rater agreement: Krippendorff's alpha (OpenMEVA appendix A.3), Fleiss' kappa, ICC, Kendall's W."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np
from scipy import stats

IDENTITY_LOST = (
    "needs to know which rater gave which rating, and these rows have no 'raters' "
    "(as MANS, whose ratings were released sorted within each story)"
)


def agreement(ratings: np.ndarray, raters: list[list[str]] | None = None) -> dict[str, Any]:
    """Every coefficient that the data allow, 1 for perfect agreement; `refused` says why the others are missing.

    Args:
        ratings: `(n, r)`, NaN where a rating is missing.
        raters: the rater of each rating, if known.

    >>> same = np.array([[1.0, 1.0], [2.0, 2.0], [5.0, 5.0]])
    >>> agreement(same)["krippendorff_interval"]
    1.0
    """
    coefficients: dict[str, Any] = {}
    refused: dict[str, str] = {}
    one_way = cache(lambda: icc(ratings))
    two_way = cache(lambda: icc_two_way(ratings, raters))
    entries = {
        "krippendorff_ordinal": lambda: krippendorff_alpha(ratings, "ordinal"),
        "krippendorff_interval": lambda: krippendorff_alpha(ratings, "interval"),
        "fleiss_kappa": lambda: fleiss_kappa(ratings),
        "linear_kappa": lambda: linear_kappa(ratings),
        "halves_kappa": lambda: binarised_kappa(ratings),
        "icc_one_way": lambda: one_way()["single"],
        "icc_one_way_mean": lambda: one_way()["mean"],
        "icc_ceiling": lambda: float(np.sqrt(max(0.0, one_way()["mean"]))),
        "kendall_w": lambda: kendall_w(ratings, raters),
        "icc_two_way": lambda: two_way()["single"],
        "icc_two_way_mean": lambda: two_way()["mean"],
        "rater_means": lambda: rater_means(ratings, raters),
    }
    for name, compute in entries.items():
        try:
            coefficients[name] = compute()
        except ValueError as error:
            refused[name] = str(error)
    return {**coefficients, "refused": refused}


def krippendorff_alpha(ratings: np.ndarray, level: Literal["ordinal", "interval"]) -> float:
    """Krippendorff's alpha; above .8 reliable, .67 to .8 allows tentative conclusions (OpenMEVA Table 9).

    One minus the ratio of two mean squared differences: that of two ratings of one story, and that of any two ratings.
    Both are written as sums of squares about means. The ordinal level uses the midranks of the ratings.

    Raises:
        ValueError: no story has two ratings, or all ratings are equal.
    """
    pairs = ratings[np.isfinite(ratings).sum(axis=1) >= 2]  # a single rating has no other to agree with
    if not len(pairs):
        raise ValueError("no story has two ratings")
    is_rated = np.isfinite(pairs)
    if np.ptp(pairs[is_rated]) == 0:
        raise ValueError("all ratings are equal")
    values = np.full(pairs.shape, np.nan)
    values[is_rated] = stats.rankdata(pairs[is_rated]) if level == "ordinal" else pairs[is_rated]
    counts, total = is_rated.sum(axis=1), int(is_rated.sum())
    within = np.nansum((values - np.nanmean(values, axis=1, keepdims=True)) ** 2, axis=1)
    observed = (counts / (counts - 1) * within).sum() / total
    return float(1 - observed / values[is_rated].var(ddof=1))


def fleiss_kappa(ratings: np.ndarray) -> float:
    """Fleiss' kappa, with the ratings as unordered categories.

    Raises:
        ValueError: stories differ in the number of ratings, have fewer than two, or all ratings are equal.
    """
    from statsmodels.stats import inter_rater  # takes over a second to import, and is only needed here

    _need_complete(ratings)
    if np.ptp(ratings) == 0:
        raise ValueError("all ratings are equal")
    table, _ = inter_rater.aggregate_raters(ratings)
    return float(inter_rater.fleiss_kappa(table))


def linear_kappa(ratings: np.ndarray) -> float:
    """Fleiss' kappa with linear weights: two ratings disagree by their distance.

    One minus the mean distance of two ratings of one story, divided by that of any two ratings.

    Raises:
        ValueError: stories differ in the number of ratings, have fewer than two, or all ratings are equal.

    >>> round(linear_kappa(np.array([[1.0, 1.0], [2.0, 3.0], [5.0, 5.0]])), 3)
    0.818
    """
    _need_complete(ratings)
    if np.ptp(ratings) == 0:
        raise ValueError("all ratings are equal")
    within = np.mean([_mean_distance(row) * len(row) / (len(row) - 1) for row in ratings])
    return float(1 - within / _mean_distance(ratings.ravel()))


def binarised_kappa(ratings: np.ndarray) -> float:
    """Fleiss' kappa of the ratings binarised at the middle of their range: above it, or not.

    Raises:
        ValueError: as `fleiss_kappa`.
    """
    _need_complete(ratings)
    return fleiss_kappa((ratings > (ratings.min() + ratings.max()) / 2).astype(float))


def _mean_distance(values: np.ndarray) -> float:
    """Mean absolute difference of all ordered pairs, including each value with itself."""
    ordered, n = np.sort(values), len(values)
    return float(2 * (ordered * (2 * np.arange(n) - n + 1)).sum() / n**2)


def icc(ratings: np.ndarray) -> dict[str, float]:
    """One-way random intraclass correlation: ICC(1,1) of one rating, ICC(1,k) of the mean of a story's ratings.

    It assumes that the raters of a story are exchangeable, so sorting the ratings within each story does not change it.
    If stories differ in their number of ratings, k is the mean number, in the Spearman-Brown formula.

    Raises:
        ValueError: fewer than five stories, one rating each, or stories that (nearly) all have the same mean rating.
    """
    is_rated = np.isfinite(ratings)
    counts = is_rated.sum(axis=1)
    stories, total = len(ratings), int(counts.sum())
    if stories < 5:
        raise ValueError(f"expected at least five stories, got {stories}")
    if total == stories:
        raise ValueError("no story has two ratings")
    means = np.nanmean(ratings, axis=1)
    grand = np.nanmean(ratings)
    between = (counts * (means - grand) ** 2).sum() / (stories - 1)
    within = np.nansum((ratings - means[:, None]) ** 2) / (total - stories)
    usual = (total - (counts**2).sum() / total) / (stories - 1)
    scale = between + (usual - 1) * within
    if between <= 1e-12 * within:
        raise ValueError("all stories have the same mean rating")
    single = (between - within) / scale
    k = total / stories
    if 1 + (k - 1) * single <= 0:  # possible only if stories differ in their number of ratings
        raise ValueError("the stories' means differ far less than by chance, so ICC(1,k) is not defined")
    return {"single": float(single), "mean": float(k * single / (1 + (k - 1) * single))}


def icc_two_way(ratings: np.ndarray, raters: list[list[str]] | None) -> dict[str, float]:
    """Two-way random intraclass correlation for absolute agreement, ICC(2,1) and ICC(2,k).

    Raters rate only part of the data (one sheet of stories each). So the variances of stories, raters and residuals are
    estimated for each set of stories that the same raters rated, and averaged, weighted by the number of stories.

    Raises:
        ValueError: the raters are not known, no five stories share two or more of them, or the ratings of
            such stories vary too little.
    """
    rated_blocks = [block for block in rater_blocks(ratings, raters) if block.shape[1] > 1]
    blocks = [block for block in rated_blocks if len(block) >= 5 and np.ptp(block) > 0]
    if not blocks:
        raise ValueError("no five stories were rated by the same raters")
    weights = [len(block) for block in blocks]
    of_stories, of_raters, error = np.average([*map(_variances, blocks)], axis=0, weights=weights)
    judges = np.average([block.shape[1] for block in blocks], weights=weights)
    noise = of_raters + error
    if of_stories + noise / judges <= 1e-12 * error:
        raise ValueError("the variances that it compares are 0 or negative")
    of_one, of_mean = (float(of_stories / (of_stories + noise / count)) for count in (1, judges))
    return {"single": of_one, "mean": of_mean}


def kendall_w(ratings: np.ndarray, raters: list[list[str]] | None) -> float:
    """Kendall's W, corrected for ties, averaged over the sets of stories that the same raters rated, weighted
    by their number of stories.

    W = 12 S / (m² (n³ - n) - m Σ T) for m raters and n stories. S is the sum of squared deviations of the rank sums,
    T the sum of t³ - t over the ties of a rater.

    Raises:
        ValueError: the raters are not known, no three stories share two or more of them, or each of these
            rates all stories the same.

    >>> kendall_w(np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0], [4.0, 4.0]]), [["a", "b"]] * 4)
    0.9
    """
    blocks = [block for block in rater_blocks(ratings, raters) if len(block) >= 3 and block.shape[1] > 1]
    weighted_w = []
    for block in blocks:
        stories, judges = block.shape
        ranks = stats.rankdata(block, axis=0)
        ties = sum(float((t**3 - t).sum()) for t in (np.unique(c, return_counts=True)[1] for c in block.T))
        squares = float(((ranks.sum(axis=1) - ranks.sum() / stories) ** 2).sum())
        scale = judges**2 * (stories**3 - stories) - judges * ties
        if scale > 0:
            weighted_w.append((12 * squares / scale, stories))
    if not weighted_w:
        raise ValueError("no three stories were rated by the same raters, or they gave all of them the same")
    return float(np.average([w for w, _ in weighted_w], weights=[stories for _, stories in weighted_w]))


def rater_means(ratings: np.ndarray, raters: list[list[str]] | None) -> dict[str, Any]:
    """Tests whether raters differ in severity, by two-way ANOVA of stories and raters without interaction.

    Raters may rate only part of the data. Stories with one rating, and raters with one rating of others, are left out.

    Returns:
        `{"raters", "f", "p_value", "severity"}`: severity is the mean deviation from the stories' means, below 0 if strict.

    Raises:
        ValueError: the raters are not known, fewer than two gave two ratings, or there is no residual variance because
            too few stories are shared or the ratings vary too little.
    """
    _need_raters(raters)
    deviations: dict[str, list[float]] = {}
    for row, names in zip(ratings, raters or [], strict=True):
        if np.isfinite(row).sum() < 2:  # it has no other rater to compare with
            continue
        for value, name in zip(row, names, strict=False):
            deviations.setdefault(name, []).append(float(value - np.nanmean(row)))
    groups = {name: values for name, values in deviations.items() if len(values) >= 2}
    if len(groups) < 2:
        raise ValueError("fewer than two raters gave two ratings of stories that others rated, too")
    f, p_value = _rater_test(ratings, raters or [], sorted(groups))
    return {
        "raters": len(deviations),
        "f": f,
        "p_value": p_value,
        "severity": {name: float(np.mean(values)) for name, values in sorted(groups.items())},
    }


def _rater_test(ratings: np.ndarray, raters: list[list[str]], chosen: list[str]) -> tuple[float, float]:
    """F statistic of the chosen raters' effect, given the stories, against the residual, and its p-value."""
    column_of = {name: column for column, name in enumerate(chosen)}
    shared = np.zeros((len(chosen), len(chosen)))  # products of the raters' columns, centred in each story
    sums = np.zeros(len(chosen))  # each rater's sum of deviations
    total, df = 0.0, 0
    for row, names in zip(ratings, raters, strict=True):
        rated = [(column_of[n], value) for value, n in zip(row, names, strict=False) if n in column_of]
        if rated:
            columns, values = [column for column, _ in rated], np.array([value for _, value in rated])
            deviations = values - values.mean()
            shared[columns, columns] += 1
            shared[np.ix_(columns, columns)] -= 1 / len(rated)
            sums[columns] += deviations
            total += float((deviations**2).sum())
            df += len(rated) - 1
    effects, _, rank, _ = np.linalg.lstsq(shared, sums, rcond=None)
    explained, residual_df = float(effects @ sums), df - int(rank)
    if not rank or residual_df < 1:
        raise ValueError("the raters share too few stories")
    residual = (total - explained) / residual_df
    if residual <= 1e-12 * total:
        raise ValueError("the ratings do not vary beyond their stories' and raters' means")
    f = explained / int(rank) / residual
    return f, float(stats.f.sf(f, int(rank), residual_df))


def rater_blocks(ratings: np.ndarray, raters: list[list[str]] | None) -> list[np.ndarray]:
    """The ratings split into complete tables, `(stories, raters)`, one for each set of raters.

    Raises:
        ValueError: the raters are not known.
    """
    _need_raters(raters)
    blocks: dict[tuple[str, ...], list[list[float]]] = {}
    for row, names in zip(ratings, raters or [], strict=True):
        order = sorted(range(len(names)), key=names.__getitem__)
        key = tuple(names[index] for index in order)
        blocks.setdefault(key, []).append([float(row[index]) for index in order])
    return [np.array(block) for block in blocks.values()]


def _need_raters(raters: list[list[str]] | None) -> None:
    if raters is None:
        raise ValueError(IDENTITY_LOST)


def _need_complete(ratings: np.ndarray) -> None:
    if not np.isfinite(ratings).all() or ratings.shape[1] < 2:
        raise ValueError("expected the same number of ratings, two or more, for every story")


def _variances(ratings: np.ndarray) -> tuple[float, float, float]:
    """Unbiased variances of stories, raters and residuals of a complete table, from their mean squares."""
    stories, judges = ratings.shape
    grand, means, levels = ratings.mean(), ratings.mean(axis=1, keepdims=True), ratings.mean(axis=0)
    of_stories = judges * ((means - grand) ** 2).sum() / (stories - 1)
    of_raters = stories * ((levels - grand) ** 2).sum() / (judges - 1)
    error = ((ratings - means - levels + grand) ** 2).sum() / ((stories - 1) * (judges - 1))
    return (of_stories - error) / judges, (of_raters - error) / stories, error
