"""A replacement of consecutive tokens of a sentence."""

from typing import NamedTuple

NO_SOURCE = -1


class Token(NamedTuple):
    """A token of a rewrite.

    Attributes:
        word: Its word.
        tag: Its Penn Treebank tag.
        source: The index in the sentence of the token that it derives from, -1 for a new one.
        touched: Whether the rewrite changed or inserted it (false for a token that is copied).
    """

    word: str
    tag: str
    source: int = NO_SOURCE
    touched: bool = True


class Rewrite(NamedTuple):
    """Replaces tokens ``start`` (included) to ``end`` (excluded) of a sentence by `tokens`."""

    start: int
    end: int
    tokens: tuple[Token, ...]
