"""Numbers as the tables print them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def number(value: float | None, digits: int = 3, bound: bool = False) -> str:
    """A correlation without its leading zero; a dash where there is none.

    A bound of an interval keeps its sign where it is rounded to 0: on which side of 0 it lies is what it is read for.

    >>> number(-0.0412), number(None), number(1.0), number(-0.004, 2), number(-0.004, 2, bound=True)
    ('−.041', '–', '1.000', '.00', '−.00')
    """
    if value is None:
        return "–"
    text = f"{abs(value):.{digits}f}".removeprefix("0")
    return f"−{text}" if value < 0 and (bound or float(f"{value:.{digits}f}")) else text


def with_interval(cell: Mapping[str, Any], coefficient: str, digits: int = 3) -> str:
    """`.369 [.280, .452]`, or a dash."""
    if coefficient not in cell:
        return "–"
    text = number(cell[coefficient], digits)
    ends = (cell.get("intervals") or {}).get(coefficient)
    return f"{text} [{number(ends[0], 2, bound=True)}, {number(ends[1], 2, bound=True)}]" if ends else text


def p_value(value: float | None) -> str:
    """Three digits, or that it is smaller.

    >>> p_value(0.0000004), p_value(0.0312)
    ('<.001', '.031')
    """
    if value is None:
        return "–"
    return "<.001" if value < 0.0005 else number(value)
