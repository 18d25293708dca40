"""Numbers as the tables print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def number(value: float | None, digits: int = 3) -> str:
    """A coefficient without its leading zero, as all tables, cards and pages print it; a dash for None.

    If two digits would print 0, a third is added that may show the sign.

    >>> number(-0.0412), number(None), number(1.0), number(-0.004, 2), number(-0.0004), number(0.0, 2)
    ('−.041', '–', '1.000', '−.004', '.000', '.00')
    """
    if value is None:
        return "–"
    text = f"{abs(value):.{digits}f}"
    if value and digits < 3 and not float(text):
        text = f"{abs(value):.3f}"
    return ("−" if value < 0 and float(text) else "") + text.removeprefix("0")


def interval(ends: Sequence[float] | None) -> str:
    """The ends of an interval in brackets; empty for None.

    >>> interval([-0.004, 0.23])
    '[−.004, .23]'
    """
    return f"[{number(ends[0], 2)}, {number(ends[1], 2)}]" if ends else ""


def with_interval(cell: Mapping[str, Any], coefficient: str) -> str:
    """`.369 [.280, .452]`, or a dash."""
    if coefficient not in cell:
        return "–"
    ends = (cell.get("intervals") or {}).get(coefficient)
    return f"{number(cell[coefficient])} {interval(ends)}".rstrip()


def p_value(value: float | None) -> str:
    """Three digits, or `<.001`.

    >>> p_value(0.0000004), p_value(0.0312)
    ('<.001', '.031')
    """
    if value is None:
        return "–"
    return "<.001" if value < 0.0005 else number(value)


def title_on(row: Mapping[str, Any], stories: int) -> str:
    """A row's title, with its number of stories if that differs from the table's (another build of the set).

    >>> title_on({"title": "UNION", "n": 1200}, 1198), title_on({"title": "PPL"}, 1198)
    ('UNION (1,200 rows)', 'PPL')
    """
    return row["title"] if row.get("n", stories) == stories else f"{row['title']} ({row['n']:,} rows)"
