"""Mean coefficients within prompts of two metrics after their scores are exchanged."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from openmeva.training.statistics.coefficients import COEFFICIENTS
from openmeva.training.statistics.exchanges_pooled import Exchange, Pair
from openmeva.training.statistics.groups import Groups
from openmeva.training.statistics.levels import MIN_STORIES

_MAX_TABULATED = 8  # prompts of up to 8 stories: all 2^8 ways to exchange their scores are computed once
_CELLS = 1_000_000  # scores exchanged at a time; about ten arrays of this size are in memory


# For resamples `start` to `stop`, the sum over prompts of one size of the first metric's coefficient minus the second's,
# after an exchange: `(stop - start,)`.
_Differences = Callable[[int, int], np.ndarray]


def within_prompts_exchange(
    metrics: np.ndarray, judgments: np.ndarray, swaps: np.ndarray, prompts: np.ndarray, coefficient: str
) -> Exchange:
    """Means over prompts of three stories or more; a prompt where a side is constant counts as 0.

    Without these prompts, two metrics' means would be over different prompts.

    The scores of a prompt of five stories can be exchanged in 32 ways: its coefficient is tabulated for each, and a
    resample looks up one entry per prompt. For larger prompts the sums in a coefficient are matrix products.

    Args:
        metrics: `(metrics, n)`, standardised.
        judgments: `(n,)`.
        swaps: `(resamples, n)` bool.
        prompts: `(n,)` labels.
        coefficient: `pearson`, `spearman` or `kendall`.

    Raises:
        ValueError: no prompt has three stories.
    """
    sizes = [indices for _, indices in Groups(prompts).by_size(MIN_STORIES)]
    if not sizes:
        raise ValueError("no prompt has three stories")
    count = sum(map(len, sizes))
    step = max(1, _CELLS // sum(indices.size for indices in sizes))
    exchanges = [
        (_exchange_small_prompts if indices.shape[1] <= _MAX_TABULATED else _exchange_large_prompts)(
            metrics, judgments, swaps, indices, coefficient
        )
        for indices in sizes
    ]

    def observed(metric: int) -> float:
        compute = COEFFICIENTS[coefficient]
        return sum(np.nansum(compute(metrics[metric][one], judgments[one])) for one in sizes) / count

    def pair(first: int, second: int) -> Pair:
        by_size = [exchange(first, second) for exchange in exchanges]

        def at_once(start: int, stop: int) -> np.ndarray:
            return np.sum([differences(start, stop) for differences in by_size], axis=0) / count

        def differences(start: int, stop: int) -> np.ndarray:
            return np.concatenate(
                [at_once(begin, min(begin + step, stop)) for begin in range(start, stop, step)]
            )

        return Pair(float(observed(first) - observed(second)), differences)

    return pair


def _exchange_small_prompts(
    metrics: np.ndarray, judgments: np.ndarray, swaps: np.ndarray, indices: np.ndarray, coefficient: str
) -> Callable[[int, int], _Differences]:
    """The exchange on small prompts; `indices`, `(prompts, m)`, are the indices of their stories."""
    scores, judged = metrics[:, indices], judgments[indices]
    count, size = indices.shape
    patterns = (np.arange(2**size)[:, None] >> np.arange(size) & 1).astype(bool)
    ways = np.zeros((len(swaps), count), dtype=np.uint8)
    for column in range(size):
        ways |= swaps[:, indices[:, column]].view(np.uint8) << column
    codes = ways * np.int32(count)  # indices into a flattened table
    codes += np.arange(count, dtype=np.int32)

    def exchange(first: int, second: int) -> _Differences:
        # The other metric's scores are exchanged in the complementary way, which is at the mirrored index.
        table = COEFFICIENTS[coefficient](np.where(patterns[:, None], scores[second], scores[first]), judged)
        values = np.nan_to_num(table)
        gains = values - values[::-1]
        return lambda start, stop: gains.take(codes[start:stop]).sum(axis=1)

    return exchange


def _exchange_large_prompts(
    metrics: np.ndarray, judgments: np.ndarray, swaps: np.ndarray, indices: np.ndarray, coefficient: str
) -> Callable[[int, int], _Differences]:
    """The exchange on larger prompts."""
    scores, judged = metrics[:, indices], judgments[indices]
    compute = COEFFICIENTS[coefficient]

    def exchange(first: int, second: int) -> _Differences:
        a, b = scores[first], scores[second]
        by_rank = None if coefficient == "pearson" else _RankCoefficients(a, b, judged, coefficient)

        def differences(start: int, stop: int) -> np.ndarray:
            chosen = swaps[start:stop][:, indices]
            if by_rank is not None:
                exchanged, otherwise = by_rank(chosen)
            else:
                exchanged, otherwise = (
                    compute(np.where(chosen, *sides), judged) for sides in ((b, a), (a, b))
                )
            return np.nansum(exchanged, axis=1) - np.nansum(otherwise, axis=1)

        return differences

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
