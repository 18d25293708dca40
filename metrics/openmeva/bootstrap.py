"""Bootstrap over prompts: 10,000 resamples of all three coefficients by matrix products.

Stories of one prompt are rated together, so they are resampled together. A resample ("draw") is a vector of counts, one
per prompt. Every statistic below is an exact function of those counts; stories are copied only for Kendall
beyond 3,000 prompts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.metrics.openmeva.shared_samples import cached_sample
from openmeva.metrics.openmeva.ties import merge_ties

_CHUNK = 64  # draws, or stories, per chunk, so that a chunk fits in the processor's cache
_EXACT = 2**24  # integers up to it are exact in single precision
_LEVEL = 0.95  # of intervals
LEAST_DEFINED = 0.95  # share of the resamples that need a coefficient, for an interval
_KEPT = 5_000_000  # numbers; a few tables of ranks up to this size are kept
# Beyond this, the prompt-by-prompt matrix of Kendall's pairs is too large, and draws are computed one by one.
_MATRIX_PROMPTS = 3000


class PromptBootstrap:
    """Bootstrap resamples of prompts, and the coefficients of any metric on each of them.

    All metrics given to one object use the same resamples, so differences between them are paired.

    Args:
        scores: `(n,)` human judgments.
        prompts: `(n,)` ints, equal where stories share a prompt.
        draws: number of resamples.
        rng: random generator.

    >>> scores, prompts = np.arange(6.0), np.array([0, 0, 1, 1, 2, 2])
    >>> bootstrap = PromptBootstrap(scores, prompts, 100, np.random.default_rng(0))
    >>> round(float(bootstrap.correlations(scores)["pearson"].min()), 6)
    1.0
    """

    def __init__(self, scores: np.ndarray, prompts: np.ndarray, draws: int, rng: np.random.Generator) -> None:
        _, codes = np.unique(prompts, return_inverse=True)
        # Stories are sorted by prompt, so that prompts are contiguous for reduceat.
        self._order = np.argsort(codes, kind="stable")
        self._codes = codes[self._order]
        self._starts = np.flatnonzero(np.r_[True, np.diff(self._codes) > 0])
        self._scores = np.asarray(scores, dtype=float)[self._order]
        count = len(self._starts)
        self.counts = rng.multinomial(count, np.full(count, 1 / count), size=draws).astype(np.float64)
        self._scores_untied: np.ndarray | None = None
        self._score_groups = _tie_groups(self._scores)
        # Ranks of the judgments on each draw are the same for every metric; they are kept if they are few.
        self._keeps_ranks = draws * len(self._score_groups[1]) <= _KEPT
        self._kept_ranks: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    @property
    def prompts(self) -> int:
        """Number of prompts."""
        return len(self._starts)

    def correlations(self, metric: np.ndarray) -> dict[str, np.ndarray]:
        """`{"pearson", "spearman", "kendall"}`: `(draws,)` each, NaN where scores or judgments of a draw are constant.

        With a single prompt all are NaN, because each draw would be the whole data.
        """
        if self.prompts < 2:
            return {name: np.full(len(self.counts), np.nan) for name in COEFFICIENTS}
        x = np.asarray(metric, dtype=float)[self._order]
        spearman, binary_kendall = self._ranked(x)
        if binary_kendall is not None:
            kendall = binary_kendall
        elif self.prompts <= _MATRIX_PROMPTS:
            kendall = self._kendall(x)
        else:
            kendall = self._kendall_by_draw(x)
        return {"pearson": self._pearson(x), "spearman": spearman, "kendall": kendall}

    def _pearson(self, x: np.ndarray) -> np.ndarray:
        columns = pearson_columns(x, self._scores)
        correlations = pearson_of(self.counts @ np.add.reduceat(columns, self._starts, axis=0))
        return recompute_lost_pearson(
            correlations, lambda draws: self.counts[draws][:, self._codes], x, self._scores
        )

    def _ranked(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Spearman; also Kendall if the judgments have two values, because the same ranks give it."""
        x_order, x_starts, _ = _tie_groups(x)
        _, y_starts, y_ranks = self._score_groups
        by_x, y_place_by_x = self._codes[x_order], y_ranks[x_order]
        spearman = np.empty(len(self.counts))
        kendall = np.empty(len(self.counts)) if len(y_starts) == 2 else None
        for start in range(0, len(self.counts), _CHUNK):
            counts = self.counts[start : start + _CHUNK]
            weights = counts[:, by_x]
            x_weights, x_mid = _centred_midranks(weights, x_starts)
            y_weights, y_mid, y_spread = self._judgment_ranks(start)
            # Summing weighted y-ranks within each tie group of x leaves one product per group.
            if kendall is not None:
                above = weights * (y_place_by_x == 1)
                ranks = _sums(above, x_starts)
                stories = y_weights.sum(axis=1)
                # Concordant minus discordant pairs are 2 U - n1 n0, and U follows from the rank sum.
                kendall[start : start + _CHUNK] = _ratio(
                    2 * np.einsum("ij,ij->i", ranks, x_mid),
                    (stories**2 - np.einsum("ij,ij->i", x_weights, x_weights)) / 2,
                    y_weights[:, 0] * y_weights[:, 1],
                )
            weights *= y_mid[:, y_place_by_x]
            shared = _sums(weights, x_starts)
            spearman[start : start + _CHUNK] = _ratio(
                np.einsum("ij,ij->i", shared, x_mid),
                np.einsum("ij,ij,ij->i", x_weights, x_mid, x_mid),
                y_spread,
            )
        return spearman, kendall

    def _judgment_ranks(self, start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For the draws from `start`: weight and midrank of each judgment, and their sum of squares."""
        if start in self._kept_ranks:
            return self._kept_ranks[start]
        order, starts, _ = self._score_groups
        counts = self.counts[start : start + _CHUNK]
        weights, mid = _centred_midranks(counts[:, self._codes[order]], starts)
        ranks = weights, mid, np.einsum("ij,ij,ij->i", weights, mid, mid)
        if self._keeps_ranks:
            self._kept_ranks[start] = ranks
        return ranks

    def _kendall(self, x: np.ndarray) -> np.ndarray:
        # tau-b of a draw sums sign products over pairs of stories, weighted by the counts of both. Summed
        # over the stories of two prompts first, this is a quadratic form in the counts. Copies of one story
        # are ties on both sides, with sign 0, as required.
        concordance = self._pair_sums(x, self._scores)
        untied = self._pair_sums(x, x)
        if self._scores_untied is None:
            self._scores_untied = self._quadratic(self._pair_sums(self._scores, self._scores))
        return _ratio(self._quadratic(concordance), self._quadratic(untied), self._scores_untied)

    def _pair_sums(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        sums = np.zeros((self.prompts, self.prompts))
        a = stats.rankdata(a, "dense").astype(np.int32)
        b = stats.rankdata(b, "dense").astype(np.int32)
        for start in range(0, len(a), _CHUNK):
            rows = slice(start, start + _CHUNK)
            signs = np.sign(a[rows, None] - a[None]) * np.sign(b[rows, None] - b[None])
            np.add.at(sums, self._codes[rows], np.add.reduceat(signs, self._starts, axis=1))
        return sums

    def _quadratic(self, matrix: np.ndarray) -> np.ndarray:
        # All values are integers up to the number of pairs of drawn stories; if that is small, float32 is exact.
        exact = (self.prompts * np.bincount(self._codes).max()) ** 2 < _EXACT
        counts: np.ndarray = self.counts.astype(np.float32) if exact else self.counts
        return np.einsum("ij,ij->i", counts @ matrix.astype(counts.dtype), counts).astype(float)

    def _kendall_by_draw(self, x: np.ndarray) -> np.ndarray:
        return np.array(
            [
                stats.kendalltau(*(np.repeat(values, counts) for values in (x, self._scores))).statistic
                for counts in (row[self._codes].astype(int) for row in self.counts)
            ]
        )


def pearson_columns(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The `(n, 6)` terms whose sums over stories give Pearson's correlation of two `(n,)` arrays, by `pearson_of`."""
    x, y = (_unit(values) for values in (x, y))
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1)


def pearson_of(sums: np.ndarray) -> np.ndarray:
    """`(draws,)` Pearson correlations from `(draws, 6)` sums of `pearson_columns`.

    NaN where one side is constant up to rounding. If one score is so large that the others are only rounding errors
    next to it, draws without it are NaN too: see `recompute_lost_pearson`.

    >>> columns = pearson_columns(np.array([0.1, 0.1, 0.3]), np.array([1.0, 2.0, 4.0]))
    >>> pearson_of(np.array([[1.0, 1, 1], [1, 1, 0]]) @ columns).round(3)
    array([0.945,   nan])
    """
    n, sx, sy, sxx, syy, sxy = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = [squares - total**2 / n for squares, total in ((sxx, sx), (syy, sy))]
        # a constant leaves a rounding error of about 1e-16 of its squares for each story
        variances = [
            np.where(variance > 1e-12 * squares, variance, 0.0)
            for variance, squares in zip(variances, (sxx, syy), strict=True)
        ]
        scale = np.sqrt(variances[0] * variances[1])
        return np.where(scale > 0, (sxy - sx * sy / n) / scale, np.nan)


def recompute_lost_pearson(
    correlations: np.ndarray, weights: Callable[[np.ndarray], np.ndarray], x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Recomputes the Pearson correlations that are NaN, from deviations about the means of their draw.

    Args:
        correlations: `(draws,)`, from `pearson_of`.
        weights: maps indices of draws to the count of each story in them, `(indices, n)`.
        x, y: `(n,)` each.

    Returns:
        `(draws,)`, NaN where all stories of a draw are equal on one side.
    """
    lost = np.flatnonzero(np.isnan(correlations))
    for start in range(0, len(lost), _CHUNK):
        draws = lost[start : start + _CHUNK]
        draw_weights = weights(draws).astype(float)
        a, b = (_from_own_mean(values, draw_weights) for values in (x, y))
        sums = [np.einsum("ij,ij,ij->i", draw_weights, *pair) for pair in ((a, b), (a, a), (b, b))]
        with np.errstate(divide="ignore", invalid="ignore"):
            correlations[draws] = sums[0] / (np.sqrt(sums[1]) * np.sqrt(sums[2]))
    return correlations


def _from_own_mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """`(draws, n)` deviations from the mean of each draw, the largest scaled to ±1; 0 if a draw is constant."""
    sampled = weights > 0
    low, high = np.where(sampled, values, np.inf).min(axis=1), np.where(sampled, values, -np.inf).max(axis=1)
    ends = merge_ties(np.stack([low, high], axis=1))
    differ = ends[:, 0] < ends[:, 1]
    size = np.where(differ, np.abs(ends).max(axis=1), 1.0)
    chosen = sampled & differ[:, None]
    scaled = np.where(chosen, values, 0.0) / size[:, None]  # squares stay in float64
    mean = (weights * scaled).sum(axis=1) / weights.sum(axis=1)
    deviations = np.where(chosen, scaled - mean[:, None], 0.0)
    largest = np.abs(deviations).max(axis=1, keepdims=True)
    return deviations / np.where(largest > 0, largest, 1.0)


def _unit(values: np.ndarray) -> np.ndarray:
    """Deviations from the mean, the largest scaled to ±1."""
    centred: np.ndarray = values - values.mean()
    largest = np.abs(centred).max(initial=0.0)
    return centred / largest if largest else centred


def intervals(draws: dict[str, np.ndarray]) -> dict[str, list[float] | None]:
    """95 % percentile intervals of `PromptBootstrap.correlations`, each as `interval`."""
    return {name: interval(draws[name]) for name in COEFFICIENTS}


def interval(draws: np.ndarray, least_defined: float = LEAST_DEFINED) -> list[float] | None:
    """The 95 % percentile interval of `(draws,)` values; `None` if a share below `least_defined` of them is not NaN.

    A coefficient is undefined on resamples with constant scores or judgments. Where these are common, the few stories that
    differ decide the sign on all others, and the interval excludes 0 far too often.

    >>> [round(end, 6) for end in interval(np.arange(101.0))]
    [2.5, 97.5]
    """
    defined = draws[np.isfinite(draws)]
    if len(defined) < least_defined * len(draws) or not len(defined):
        return None
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return [float(low), float(high)]


def bootstrap_part(
    metric: np.ndarray, scores: np.ndarray, prompts: np.ndarray, draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    """Intervals for part of the data, from resamples of its own prompts."""
    return intervals(cached_sample(PromptBootstrap, scores, prompts, draws, rng=rng).correlations(metric))


def _tie_groups(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sorting order, start of each group of equal values in that order, and the group of each value."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(values[order]) > 0])
    groups = np.empty(len(values), dtype=np.intp)
    groups[order] = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(values)]))
    return order, starts, groups


def _sums(weights: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Sums over the columns of each tie group; the weights themselves where nothing is tied."""
    return weights if len(starts) == weights.shape[1] else np.add.reduceat(weights, starts, axis=1)


def _centred_midranks(weights: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight and midrank, minus the mean rank, of each tie group on each draw."""
    sums = _sums(weights, starts)
    sums = weights.copy() if sums is weights else sums
    ends = np.cumsum(sums, axis=1)
    return sums, ends - (sums + ends[:, -1:]) / 2


def _ratio(shared: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt(np.maximum(first, 0) * np.maximum(second, 0))
        return np.where(scale > 1e-12 * np.maximum(1, np.abs(shared)), shared / scale, np.nan)
