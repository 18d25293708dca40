"""The referenced and the unreferenced part as one score (RUBER, section 3.3)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

BLENDS = ("mean", "geometric", "min", "max")
NORMALIZATIONS = ("calibrated", "batch", "none")


def normalize(values: Sequence[float], low: float, high: float) -> np.ndarray:
    """Values brought to 0..1, `low` to 0 and `high` to 1, clipped; .5 where both are equal.

    >>> normalize([1.0, 2.0, 9.0], 1.0, 3.0).tolist()
    [0.0, 0.5, 1.0]
    """
    array = np.asarray(values, dtype=float)
    if high <= low:
        return np.full(len(array), 0.5)
    return np.clip((array - low) / (high - low), 0.0, 1.0)


def blend(first: np.ndarray, second: np.ndarray, how: str) -> np.ndarray:
    """Two arrays (n,) of values in 0..1 as one: `mean`, `geometric` mean, `min` or `max`."""
    if how == "mean":
        return (first + second) / 2
    if how == "geometric":
        return np.sqrt(first * second)
    return np.minimum(first, second) if how == "min" else np.maximum(first, second)


def hybrid(
    referenced: Sequence[float],
    unreferenced: Sequence[float],
    ranges: dict[str, Any],
    how: str,
    normalization: str,
) -> list[float]:
    """The blended score of each story, 0 to 1.

    Args:
        referenced: one value a story.
        unreferenced: one value a story.
        ranges: `referenced` and `unreferenced`, each `[low, high]`: the checkpoint's calibration.
        how: one of `BLENDS`.
        normalization: `calibrated` by `ranges`, or, as in the paper, `batch`: by the least and the largest
            value among these stories, so that a score depends on its neighbours; or `none`, as UNION's authors
            have it: as they are, a negative cosine as 0.

    Raises:
        ValueError: another blend or normalization.
    """
    if how not in BLENDS:
        raise ValueError(f"blend: expected one of {BLENDS}, got {how!r}")
    if normalization not in NORMALIZATIONS:
        raise ValueError(f"normalization: expected one of {NORMALIZATIONS}, got {normalization!r}")
    parts = {}
    for name, values in (("referenced", referenced), ("unreferenced", unreferenced)):
        if normalization == "calibrated":
            low, high = ranges[name]
        else:
            low, high = (min(values), max(values)) if normalization == "batch" else (0.0, 1.0)
        parts[name] = normalize(values, low, high)
    return blend(parts["referenced"], parts["unreferenced"], how).tolist()
