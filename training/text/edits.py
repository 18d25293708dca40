"""Character edits of a text; the rest stays unchanged byte for byte."""

from collections.abc import Sequence
from typing import NamedTuple


class Edit(NamedTuple):
    """Replaces characters `start` (included) to `end` (excluded) of the original by `text`."""

    start: int
    end: int
    text: str


class Span(NamedTuple):
    """One change, as character offsets in both texts; one side is empty if text was inserted or deleted."""

    original_start: int
    original_end: int
    start: int
    end: int


def apply_edits(text: str, edits: Sequence[Edit]) -> tuple[str, tuple[Span, ...]]:
    """The edited text and the spans of the changes, in order.

    Edits without effect have no span.

    Raises:
        ValueError: two edits overlap.

    >>> apply_edits("he ran home", [Edit(3, 6, "walked")])
    ('he walked home', (Span(original_start=3, original_end=6, start=3, end=9),))
    """
    parts: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for start, end, new in sorted(edits):
        if start < at:
            raise ValueError(f"expected edits that do not overlap, got one at {start} before {at}")
        parts += (text[at:start], new)
        length += start - at
        if text[start:end] != new:
            spans.append(Span(start, end, length, length + len(new)))
        length += len(new)
        at = end
    parts.append(text[at:])
    return "".join(parts), tuple(spans)
