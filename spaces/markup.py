"""HTML of stories and scores for the Spaces; user input is escaped here."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from openmeva.spaces.catalogue import Number


def escape(text: object) -> str:
    """`text` escaped for HTML, including braces and dollar signs, which templates might interpret."""
    return html.escape(str(text)).replace("{", "&#123;").replace("}", "&#125;").replace("$", "&#36;")


def with_tooltip(text: str, meaning: str) -> str:
    """A word with a tooltip, shown on hover and focus and read by screen readers."""
    return (
        f'<span class="om-tip" tabindex="0">{escape(text)}<span role="note">{escape(meaning)}</span></span>'
    )


def format_number(value: float) -> str:
    """A score with two decimals, or as an integer from 100, with a typographic minus sign.

    >>> format_number(0.97312), format_number(-2.5), format_number(1234.5)
    ('0.97', '−2.50', '1,234')
    """
    text = f"{abs(value):,.0f}" if abs(value) >= 100 else f"{abs(value):.2f}"
    return f"−{text}" if value < 0 and float(text.replace(",", "")) else text


def format_change(value: float) -> str:
    """A difference of scores, with its sign unless it rounds to 0.

    >>> format_change(0.25), format_change(-0.25), format_change(0.001)
    ('+0.25', '−0.25', '0.00')
    """
    return f"{'+' if value >= 0.005 else ''}{format_number(value)}"


def missing_score_notes(lacking: Mapping[str, Sequence[str]]) -> str:
    """Metrics without a score, one line per reason; names are HTML."""
    return "".join(
        f'<p class="om-note om-lacking">{", ".join(names)}: {escape(note)}</p>'
        for note, names in lacking.items()
    )


def hint(number: Number) -> str:
    """What a number means, and which direction is better."""
    return f"{number.meaning} {'Higher' if number.higher else 'Lower'} is better."
