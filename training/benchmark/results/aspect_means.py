"""The aspects of AUTOS as columns of a table, and means over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def aspect_columns(
    result: Mapping[str, Any], order: Sequence[str]
) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The columns of a part of AUTOS, and the cells of each row by column.

    A column is an aspect in the discrimination test, and an aspect with an origin in the invariance test. The columns are
    sorted as in `order`, others last.
    """
    by_row = {
        title: {
            aspect if result["test"] == "discrimination" else f"{aspect} {origin}": cell
            for aspect, origins in row["aspects"].items()
            for origin, cell in origins.items()
        }
        for title, row in result["rows"].items()
    }
    columns = dict.fromkeys(column for cells in by_row.values() for column in cells)
    return sorted(columns, key=lambda name: order.index(name) if name in order else len(order)), by_row


def mean_known(values: Iterable[float | None], goal: float | None = None) -> float | None:
    """Mean of the known values or, with a goal, of their distances from it, so that opposite errors do not cancel out.

    >>> mean_known([-0.5, 0.25, None]), mean_known([-0.5, 0.25, None], 0.0)
    (-0.125, 0.375)
    """
    known = [value if goal is None else abs(value - goal) for value in values if value is not None]
    return sum(known) / len(known) if known else None


def aspect_means(aspects: Mapping[str, Mapping[str, Any]]) -> dict[str, float | None]:
    """`average` of the aspects' Pearson correlations, and `average_size` of their absolute values; None if none is defined.

    Each aspect has one cell: that of its first origin, if its stories have several.

    >>> aspect_means({"typo": {"pearson": -0.5}, "negation": {"pearson": 0.25}, "lexical": {"pearson": None}})
    {'average': -0.125, 'average_size': 0.375}
    """
    values = [cell.get("pearson") for cell in aspects.values()]
    return {"average": mean_known(values), "average_size": mean_known(values, 0.0)}
