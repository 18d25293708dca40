"""Means over the aspects of AUTOS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def aspect_means(aspects: Mapping[str, Mapping[str, Any]]) -> dict[str, float | None]:
    """`average` of the aspects' Pearson correlations, and `average_size` of their absolute values; None if none is defined.

    Each aspect has one cell: that of its first origin, if its stories have several.

    >>> aspect_means({"typo": {"pearson": -0.5}, "negation": {"pearson": 0.25}, "lexical": {"pearson": None}})
    {'average': -0.125, 'average_size': 0.375}
    """
    defined = [cell["pearson"] for cell in aspects.values() if cell.get("pearson") is not None]
    return {
        "average": sum(defined) / len(defined) if defined else None,
        "average_size": sum(map(abs, defined)) / len(defined) if defined else None,
    }
