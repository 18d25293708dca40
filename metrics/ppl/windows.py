"""Overlapping windows over a sequence beyond a model's maximum length: each token is scored once."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Window:
    """Tokens `begin` to `end` are the model's input, tokens `first` to `last` are scored; ends are exclusive."""

    begin: int
    end: int
    first: int
    last: int


def causal_windows(length: int, context_length: int, limit: int) -> list[Window]:
    """Windows of at most `limit` tokens that score tokens `context_length` to `length` from the previous tokens.

    Where the sequence is longer than `limit`, each window scores the tokens after those that the previous window
    scored, with at least half a window of context before the first of them.

    >>> causal_windows(10, 2, 6)
    [Window(begin=0, end=6, first=2, last=6), Window(begin=3, end=9, first=6, last=9), \
Window(begin=4, end=10, first=9, last=10)]
    """
    windows = []
    first = context_length
    while first < length:
        end = min(length, max(0, first - limit // 2) + limit)
        windows.append(Window(max(0, end - limit), end, first, end))
        first = end
    return windows


def centred_windows(length: int, context_length: int, limit: int) -> list[Window]:
    """Windows of at most `limit` tokens that score tokens `context_length` to `length` from both sides.

    Where the sequence is longer than `limit`, a window scores its middle half. A window at the start of the
    sequence also scores the tokens before that half, and a window at the end those after it.
    """
    if length <= limit:
        return [Window(0, length, context_length, length)]
    windows = []
    first = context_length
    while first < length:
        begin = min(max(0, first - limit // 4), length - limit)
        last = length if begin + limit == length else begin + limit - limit // 4
        windows.append(Window(begin, begin + limit, first, last))
        first = last
    return windows
