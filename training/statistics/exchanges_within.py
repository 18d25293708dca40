"""What exchanging two metrics' scores does to the mean of their coefficients within prompts."""

from __future__ import annotations

import numpy as np

from openmeva.training.statistics.coefficients import Coefficient
from openmeva.training.statistics.exchanges_pooled import Exchange, Pair
from openmeva.training.statistics.groups import Groups
from openmeva.training.statistics.levels import SMALLEST

_TABLED = 8  # stories of a prompt up to which all ways to exchange them are computed once: 2^8
_ROWS = 128  # resamples at a time, where they are not


def within_prompts_exchange(
    metrics: np.ndarray,
    judgments: np.ndarray,
    swaps: np.ndarray,
    prompts: np.ndarray,
    coefficient: Coefficient,
    zeros: bool,
) -> Exchange:
    """Means over prompts of three stories or more.

    A prompt of five stories can be exchanged in 32 ways: its coefficient is computed for each, and a resample looks up
    one a prompt.

    Args:
        metrics: `(metrics, n)`, standardised.
        judgments: `(n,)`.
        swaps: `(resamples, n)` bool.
        prompts: `(n,)` labels.
        coefficient: of `coefficients`.
        zeros: count prompts where a side is constant as 0 (else they are left out).

    Raises:
        ValueError: no prompt has three stories.
    """
    groups = Groups(prompts)
    large = groups.sizes >= SMALLEST
    if not large.any():
        raise ValueError("no prompt has three stories")
    scores, judged = groups.table(metrics)[:, large], groups.table(judgments)[large]
    swapped = np.nan_to_num(groups.table(swaps)[:, large]).astype(bool)
    width = groups.largest
    patterns = (
        (np.arange(2**width)[:, None] >> np.arange(width) & 1).astype(bool) if width <= _TABLED else None
    )
    codes = swapped @ (1 << np.arange(width)) if patterns is not None else None
    columns = np.arange(int(large.sum()))

    def mean(values: np.ndarray) -> np.ndarray:
        if zeros:
            return np.nan_to_num(values).mean(axis=1)
        defined = np.isfinite(values).sum(axis=1)
        return np.nan_to_num(values).sum(axis=1) / np.maximum(defined, 1)

    def pair(first: int, second: int) -> Pair:
        a, b = scores[first], scores[second]
        observed = float((mean(coefficient(a, judged)[None]) - mean(coefficient(b, judged)[None]))[0])
        if patterns is None or codes is None:

            def differences(start: int, stop: int) -> np.ndarray:
                parts = [swapped[at : min(at + _ROWS, stop)] for at in range(start, stop, _ROWS)]
                return np.concatenate(
                    [
                        mean(coefficient(np.where(part, b, a), judged))
                        - mean(coefficient(np.where(part, a, b), judged))
                        for part in parts
                    ]
                )

            return Pair(observed, differences)
        table = coefficient(np.where(patterns[:, None], b, a), judged)
        if zeros or np.isfinite(table).all():
            # The other metric is exchanged in the complementary way, which stands at the mirrored place.
            gained = np.nan_to_num(table) - np.nan_to_num(table[::-1])
            return Pair(observed, lambda start, stop: gained[codes[start:stop], columns].mean(axis=1))
        return Pair(
            observed,
            lambda start, stop: (
                mean(table[codes[start:stop], columns]) - mean(table[::-1][codes[start:stop], columns])
            ),
        )

    return pair
