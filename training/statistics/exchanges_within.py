"""What exchanging two metrics' scores does to the mean of their coefficients within prompts."""

from __future__ import annotations

import numpy as np

from openmeva.training.statistics.coefficients import COEFFICIENTS
from openmeva.training.statistics.exchanges_pooled import Exchange, Pair
from openmeva.training.statistics.groups import Groups
from openmeva.training.statistics.levels import SMALLEST

_TABLED = 8  # stories of a prompt up to which all ways to exchange them are computed once: 2^8


def within_prompts_exchange(
    metrics: np.ndarray,
    judgments: np.ndarray,
    swaps: np.ndarray,
    prompts: np.ndarray,
    coefficient: str,
    zeros: bool,
) -> Exchange:
    """Means over prompts of three stories or more.

    A prompt of five stories can be exchanged in 32 ways: its coefficient is computed for each, and a resample looks up
    one a prompt. For larger prompts the sums behind a coefficient are products of matrices.

    Args:
        metrics: `(metrics, n)`, standardised.
        judgments: `(n,)`.
        swaps: `(resamples, n)` bool.
        prompts: `(n,)` labels.
        coefficient: `pearson`, `spearman` or `kendall`.
        zeros: count prompts where a side is constant as 0 (else they are left out).

    Raises:
        ValueError: no prompt has three stories, or all judgments of each are equal and `zeros` is false.
    """
    groups = Groups(prompts)
    large = groups.sizes >= SMALLEST
    if not large.any():
        raise ValueError("no prompt has three stories")
    if not zeros:  # prompts with equal judgments have no coefficient, whatever is exchanged
        judged = groups.table(judgments)
        large &= np.nanmin(judged, axis=1) < np.nanmax(judged, axis=1)
        if not large.any():
            raise ValueError("in every prompt all judgments are equal")
    scores, judged = groups.table(metrics)[:, large], groups.table(judgments)[large]
    swapped = np.nan_to_num(groups.table(swaps)[:, large]).astype(bool)
    compute = COEFFICIENTS[coefficient]

    def mean(values: np.ndarray) -> np.ndarray:
        if zeros:
            return np.nan_to_num(values).mean(axis=1)
        defined = np.isfinite(values).sum(axis=1)
        return np.nan_to_num(values).sum(axis=1) / np.maximum(defined, 1)

    def observed(first: int, second: int) -> float:
        values = [mean(compute(scores[metric], judged)[None])[0] for metric in (first, second)]
        return float(values[0] - values[1])

    def wide(first: int, second: int) -> Pair:
        a, b = scores[first], scores[second]
        by_rank = None if coefficient == "pearson" else _Ranked(a, b, judged, coefficient)

        def differences(start: int, stop: int) -> np.ndarray:
            part = swapped[start:stop]
            if by_rank is not None:
                exchanged, otherwise = by_rank(part)
                return mean(exchanged) - mean(otherwise)
            return mean(compute(np.where(part, b, a), judged)) - mean(compute(np.where(part, a, b), judged))

        return Pair(observed(first, second), differences)

    if groups.largest > _TABLED:
        return wide
    places = np.arange(groups.largest)
    patterns = (np.arange(2**groups.largest)[:, None] >> places & 1).astype(bool)
    codes = swapped @ (1 << places) * len(judged) + np.arange(len(judged))  # places in a table, laid out flat

    def tabled(first: int, second: int) -> Pair:
        # The other metric is exchanged in the complementary way, which stands at the mirrored place.
        table = compute(np.where(patterns[:, None], scores[second], scores[first]), judged)
        gained = np.nan_to_num(table) - np.nan_to_num(table[::-1])

        def differences(start: int, stop: int) -> np.ndarray:
            code = codes[start:stop]
            if zeros or whole:
                return gained.take(code).mean(axis=1)
            return mean(table.take(code)) - mean(table[::-1].take(code))

        whole = bool(np.isfinite(table).all())
        return Pair(observed(first, second), differences)

    return tabled


class _Ranked:
    """Spearman or Kendall in each prompt, exchanged by `(resamples, prompts, m)` bool and the other way round.

    Both rest on signs of differences of two stories, and each of these is one of four, by who gives which score. Sums
    of signs are whole numbers.
    """

    def __init__(self, a: np.ndarray, b: np.ndarray, judged: np.ndarray, coefficient: str) -> None:
        # sums of products of ranks come to the cube of the stories at most, up to 2^24 exact in single precision
        kind = np.float32 if judged.shape[1] <= 256 else np.float64
        order = _signs(judged, judged).astype(kind)
        sides = np.stack([_signs(x, z).astype(kind) for x in (a, b) for z in (a, b)])
        self._spearman = coefficient == "spearman"
        self._ranks = order.sum(axis=2)[:, None]
        self._ordered = (self._ranks[:, 0] ** 2 if self._spearman else np.abs(order).sum(axis=2)).sum(axis=1)
        self._shared = sides if self._spearman else order * sides
        self._untied = np.abs(sides)

    def __call__(self, swapped: np.ndarray) -> list[np.ndarray]:
        """`(resamples, prompts)` each."""
        chosen = swapped.transpose(1, 0, 2)
        every = _exchanged(chosen, self._shared)
        if self._spearman:
            parts = [((sums * self._ranks).sum(axis=2), (sums**2).sum(axis=2)) for sums in every]
        else:
            untied = _exchanged(chosen, self._untied)
            parts = [(s.sum(axis=2), u.sum(axis=2)) for s, u in zip(every, untied, strict=True)]
        return [self._coefficient(shared.astype(float), spread.astype(float)) for shared, spread in parts]

    def _coefficient(self, shared: np.ndarray, spread: np.ndarray) -> np.ndarray:
        scale = np.sqrt(spread * self._ordered[:, None])
        return np.divide(shared, scale, out=np.full(shared.shape, np.nan), where=scale > 0).T


def _signs(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """`(prompts, m, m)` signs of x_i - z_j, 0 for a place without a story."""
    return np.nan_to_num(np.sign(x[:, :, None] - z[:, None, :]))


def _exchanged(chosen: np.ndarray, sides: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums over j of the side that i and j choose, and of the one that they choose the other way round.

    Args:
        chosen: `(prompts, resamples, m)` bool.
        sides: `(4, prompts, m, m)`, of i by row: both keep, only j changes, only i changes, both change.

    Returns:
        Two arrays in the shape of `chosen`.
    """
    own, given, taken, other = sides
    # where only those j change that are chosen, a sum is that of all j, and the difference at the chosen ones
    kept, changed = np.split(
        chosen.astype(sides.dtype) @ np.concatenate([given - own, other - taken], axis=1).transpose(0, 2, 1),
        2,
        axis=2,
    )
    totals = [side.sum(axis=2)[:, None] for side in (own, given, taken, other)]
    return (
        np.where(chosen, totals[2] + changed, totals[0] + kept),
        np.where(chosen, totals[1] - kept, totals[3] - changed),
    )
