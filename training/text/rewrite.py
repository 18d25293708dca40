"""A replacement of some neighbouring tokens of a sentence by others."""

from typing import NamedTuple

NO_SOURCE = -1


class Token(NamedTuple):
    """A token of a rewrite.

    Attributes:
        word: Its word.
        tag: Its Penn Treebank tag.
        source: The position in the sentence of the token it continues, -1 for a new one.
        touched: Whether the rewrite changed or made it (a token carried along is not touched).
    """

    word: str
    tag: str
    source: int = NO_SOURCE
    touched: bool = True


class Rewrite(NamedTuple):
    """Tokens ``start`` (included) to ``end`` (excluded) of a sentence become `tokens`."""

    start: int
    end: int
    tokens: tuple[Token, ...]
