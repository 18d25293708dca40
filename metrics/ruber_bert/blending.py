"""Combines the referenced and the unreferenced part into one score (RUBER, section 3.3)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

BLENDS = ("mean", "geometric", "min", "max")
NORMALIZATIONS = ("calibrated", "batch", "none")


def normalize(values: Sequence[float], low: float, high: float) -> np.ndarray:
    """Values scaled to 0..1, `low` to 0 and `high` to 1, and clipped; .5 where `low` and `high` are equal.

    >>> normalize([1.0, 2.0, 9.0], 1.0, 3.0).tolist()
    [0.0, 0.5, 1.0]
    """
    array = np.asarray(values, dtype=float)
    if high <= low:
        return np.full(len(array), 0.5)
    return np.clip((array - low) / (high - low), 0.0, 1.0)


def blend(first: np.ndarray, second: np.ndarray, method: str) -> np.ndarray:
    """Elementwise `mean`, `geometric` mean, `min` or `max` of two arrays (n,) of values in 0..1."""
    if method == "mean":
        return (first + second) / 2
    if method == "geometric":
        return np.sqrt(first * second)
    return np.minimum(first, second) if method == "min" else np.maximum(first, second)


def check_blend(method: str, normalization: str) -> None:
    """Raises a ValueError for an unknown blend or normalization (see `hybrid`)."""
    if method not in BLENDS:
        raise ValueError(f"blend: expected one of {BLENDS}, got {method!r}")
    if normalization not in NORMALIZATIONS:
        raise ValueError(f"normalization: expected one of {NORMALIZATIONS}, got {normalization!r}")


def hybrid(
    referenced: Sequence[float],
    unreferenced: Sequence[float],
    ranges: dict[str, Any],
    method: str,
    normalization: str,
) -> list[float]:
    """The blended score of each story, 0 to 1.

    Args:
        referenced: one value per story.
        unreferenced: one value per story.
        ranges: `referenced` and `unreferenced`, each `[low, high]`: the checkpoint's calibration.
        method: one of `BLENDS`.
        normalization: `calibrated`: by `ranges`; `batch`, as in the paper: by the minimum and maximum over these
            stories, so that a score depends on the other stories; `none`: values as they are, a negative cosine
            set to 0. (UNION's authors: `batch` for ROC, `none` for WP, by their released scores.)

    Raises:
        ValueError: an unknown blend or normalization.
    """
    check_blend(method, normalization)
    parts = {}
    for name, values in (("referenced", referenced), ("unreferenced", unreferenced)):
        if normalization == "calibrated":
            low, high = ranges[name]
        else:
            low, high = (min(values), max(values)) if normalization == "batch" else (0.0, 1.0)
        parts[name] = normalize(values, low, high)
    return blend(parts["referenced"], parts["unreferenced"], method).tolist()
