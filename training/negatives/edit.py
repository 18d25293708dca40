"""The record of one edit in a negative sample."""

from typing import NamedTuple


class NegativeEdit(NamedTuple):
    """Where an operation left its mark.

    Attributes:
        operation: The technique: repetition, substitution, reordering or negation.
        level: "lexical" or "sentence".
        start: Index of the first token of the span in the flattened negative sample.
        end: Index after its last token.
    """

    operation: str
    level: str
    start: int
    end: int
