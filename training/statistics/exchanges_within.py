"""Mean coefficients within prompts of two metrics after their scores are exchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from openmeva.training.statistics.coefficients import COEFFICIENTS
from openmeva.training.statistics.exchanges_pooled import Exchange, Pair
from openmeva.training.statistics.groups import Groups
from openmeva.training.statistics.levels import MIN_STORIES

_MAX_TABULATED = 8  # prompts of up to 8 stories: all 2^8 ways to exchange their scores are computed once
_CELLS = 1_000_000  # scores exchanged at a time; about ten arrays of this size are in memory


class _SameSizeExchange(NamedTuple):
    """Two metrics under exchange, on prompts of one size, for resamples `start` to `stop`.

    Attributes:
        gained: sum over prompts of the coefficient after the exchange minus that after the opposite exchange; an
            undefined coefficient counts as 0: `(stop - start,)`.
        parts: the sums of both coefficients, and the number of prompts in each sum: `(4, stop - start)`.
        whole: whether every prompt always has a coefficient; false if not known.
    """

    gained: Callable[[int, int], np.ndarray]
    parts: Callable[[int, int], np.ndarray]
    whole: bool


def within_prompts_exchange(
    metrics: np.ndarray,
    judgments: np.ndarray,
    swaps: np.ndarray,
    prompts: np.ndarray,
    coefficient: str,
    zeros: bool,
) -> Exchange:
    """Means over prompts of three stories or more.

    The scores of a prompt of five stories can be exchanged in 32 ways: its coefficient is tabulated for each, and a
    resample looks up one entry per prompt. For larger prompts the sums in a coefficient are matrix products.

    Args:
        metrics: `(metrics, n)`, standardised.
        judgments: `(n,)`.
        swaps: `(resamples, n)` bool.
        prompts: `(n,)` labels.
        coefficient: `pearson`, `spearman` or `kendall`.
        zeros: count prompts where a side is constant as 0 (else they are excluded).

    Raises:
        ValueError: no prompt has three stories, or all judgments of each are equal and `zeros` is false.
    """
    sizes = [indices for _, indices in Groups(prompts).by_size(MIN_STORIES)]
    if not sizes:
        raise ValueError("no prompt has three stories")
    if not zeros:  # prompts with equal judgments have no coefficient under any exchange
        varied = [indices[np.ptp(judgments[indices], axis=1) > 0] for indices in sizes]
        sizes = [indices for indices in varied if len(indices)]
        if not sizes:
            raise ValueError("in every prompt all judgments are equal")
    count = sum(map(len, sizes))
    step = max(1, _CELLS // sum(indices.size for indices in sizes))
    exchanges = [
        (_exchange_small_prompts if indices.shape[1] <= _MAX_TABULATED else _exchange_large_prompts)(
            metrics, judgments, swaps, indices, coefficient
        )
        for indices in sizes
    ]

    def observed(metric: int) -> float:
        values = np.concatenate(
            [COEFFICIENTS[coefficient](metrics[metric][indices], judgments[indices]) for indices in sizes]
        )
        return float(np.nansum(values) / (count if zeros else max(np.isfinite(values).sum(), 1)))

    def pair(first: int, second: int) -> Pair:
        by_size = [exchange(first, second) for exchange in exchanges]

        def at_once(start: int, stop: int) -> np.ndarray:
            if zeros or all(one_size.whole for one_size in by_size):
                return np.sum([one_size.gained(start, stop) for one_size in by_size], axis=0) / count
            sums = np.sum([one_size.parts(start, stop) for one_size in by_size], axis=0)
            means = sums[:2] / np.maximum(sums[2:], 1)
            return means[0] - means[1]

        def differences(start: int, stop: int) -> np.ndarray:
            return np.concatenate(
                [at_once(begin, min(begin + step, stop)) for begin in range(start, stop, step)]
            )

        return Pair(observed(first) - observed(second), differences)

    return pair


def _exchange_small_prompts(
    metrics: np.ndarray, judgments: np.ndarray, swaps: np.ndarray, indices: np.ndarray, coefficient: str
) -> Callable[[int, int], _SameSizeExchange]:
    """The exchange on small prompts; `indices`, `(prompts, m)`, are the indices of their stories."""
    scores, judged = metrics[:, indices], judgments[indices]
    count, size = indices.shape
    patterns = (np.arange(2**size)[:, None] >> np.arange(size) & 1).astype(bool)
    ways = np.zeros((len(swaps), count), dtype=np.uint8)
    for column in range(size):
        ways |= swaps[:, indices[:, column]].view(np.uint8) << column
    codes = ways * np.int32(count)  # indices into a flattened table
    codes += np.arange(count, dtype=np.int32)

    def exchange(first: int, second: int) -> _SameSizeExchange:
        # The other metric's scores are exchanged in the complementary way, which is at the mirrored index.
        table = COEFFICIENTS[coefficient](np.where(patterns[:, None], scores[second], scores[first]), judged)
        defined = np.isfinite(table)
        values = np.nan_to_num(table)
        gains = values - values[::-1]
        sides = values, values[::-1], defined, defined[::-1]
        return _SameSizeExchange(
            lambda start, stop: gains.take(codes[start:stop]).sum(axis=1),
            lambda start, stop: np.stack([side.take(codes[start:stop]).sum(axis=1) for side in sides]),
            bool(defined.all()),
        )

    return exchange


def _exchange_large_prompts(
    metrics: np.ndarray, judgments: np.ndarray, swaps: np.ndarray, indices: np.ndarray, coefficient: str
) -> Callable[[int, int], _SameSizeExchange]:
    """The exchange on larger prompts."""
    scores, judged = metrics[:, indices], judgments[indices]
    compute = COEFFICIENTS[coefficient]

    def exchange(first: int, second: int) -> _SameSizeExchange:
        a, b = scores[first], scores[second]
        by_rank = None if coefficient == "pearson" else _RankCoefficients(a, b, judged, coefficient)

        def parts(start: int, stop: int) -> np.ndarray:
            chosen = swaps[start:stop][:, indices]
            if by_rank is not None:
                coefficients = by_rank(chosen)
            else:
                coefficients = [compute(np.where(chosen, *sides), judged) for sides in ((b, a), (a, b))]
            sums = [np.nansum(values, axis=1) for values in coefficients]
            return np.stack([*sums, *(np.isfinite(values).sum(axis=1) for values in coefficients)])

        def gained(start: int, stop: int) -> np.ndarray:
            exchanged, otherwise, *_ = parts(start, stop)
            return exchanged - otherwise

        return _SameSizeExchange(gained, parts, whole=False)

    return exchange


class _RankCoefficients:
    """Spearman or Kendall in each prompt, after an exchange, `(resamples, prompts, m)` bool, and after its opposite.

    Both coefficients are computed from signs of differences of two stories. Each sign is one of four, by the metric that
    gives each of the two scores. Sums of signs are integers.
    """

    def __init__(self, a: np.ndarray, b: np.ndarray, judged: np.ndarray, coefficient: str) -> None:
        # sums of products of ranks are at most the number of stories cubed; float32 is exact up to 2^24
        self._kind = np.float32 if judged.shape[1] <= 256 else np.float64
        order = _signs(judged, judged)
        sides = np.stack([_signs(x, z) for x in (a, b) for z in (a, b)])
        self._spearman = coefficient == "spearman"
        self._ranks = order.sum(axis=2)[:, None].astype(self._kind)
        self._ordered = (
            (self._ranks[:, 0] ** 2).sum(axis=1)
            if self._spearman
            else np.abs(order).sum(axis=(1, 2), dtype=self._kind)
        )
        self._shared = sides if self._spearman else order * sides
        self._untied = None if self._spearman else np.abs(sides)

    def __call__(self, swapped: np.ndarray) -> list[np.ndarray]:
        """Both coefficients, `(resamples, prompts)` each."""
        chosen = swapped.transpose(1, 0, 2)
        every = self._exchanged(chosen, self._shared)
        if self._untied is None:
            parts = [((sums * self._ranks).sum(axis=2), (sums**2).sum(axis=2)) for sums in every]
        else:
            untied = self._exchanged(chosen, self._untied)
            parts = [(s.sum(axis=2), u.sum(axis=2)) for s, u in zip(every, untied, strict=True)]
        return [self._coefficient(shared.astype(float), squares.astype(float)) for shared, squares in parts]

    def _exchanged(self, chosen: np.ndarray, sides: np.ndarray) -> list[np.ndarray]:
        return [sums.astype(self._kind, copy=False) for sums in _exchanged(chosen, sides)]

    def _coefficient(self, shared: np.ndarray, squares: np.ndarray) -> np.ndarray:
        scale = np.sqrt(squares * self._ordered[:, None])
        return np.divide(shared, scale, out=np.full(shared.shape, np.nan), where=scale > 0).T


def _signs(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """`(prompts, m, m)` signs of x_i - z_j."""
    return np.sign(x[:, :, None] - z[:, None, :]).astype(np.float32)


def _exchanged(chosen: np.ndarray, sides: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums over j of the side chosen by i and j, and of the side chosen under the opposite exchange.

    Args:
        chosen: `(prompts, resamples, m)` bool.
        sides: `(4, prompts, m, m)`, i by row: neither is exchanged, only j, only i, both.

    Returns:
        Two arrays in the shape of `chosen`.
    """
    neither, only_j, only_i, both = sides
    # only the chosen j are exchanged, so a sum is that over all j plus the differences at the chosen ones
    unchanged, changed = np.split(
        chosen.astype(sides.dtype)
        @ np.concatenate([only_j - neither, both - only_i], axis=1).transpose(0, 2, 1),
        2,
        axis=2,
    )
    totals = [side.sum(axis=2)[:, None] for side in (neither, only_j, only_i, both)]
    return (
        np.where(chosen, totals[2] + changed, totals[0] + unchanged),
        np.where(chosen, totals[1] - unchanged, totals[3] - changed),
    )
