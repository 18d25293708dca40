"""Windows of whole sentences over long texts, and batches of texts of similar length."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Progress = Callable[[Iterable[Any], int], Iterable[Any]]
"""Shows progress: takes the batches and the number of their items, and yields the same batches."""


def sentence_windows(lengths: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Overlapping windows: spans of sentences, end exclusive, of at most `limit` tokens each, that cover all sentences.

    One span if everything fits. Otherwise each span begins at or past the middle of the previous one, so
    neighbours overlap by about half if sentences are short. `lengths` are token counts, none above `limit`.

    >>> sentence_windows([4, 4, 4, 4], 8)
    [(0, 2), (1, 3), (2, 4)]
    """
    windows: list[tuple[int, int]] = []
    start, count = 0, len(lengths)
    while True:
        end, total = start, 0
        while end < count and (end == start or total + lengths[end] <= limit):
            total += lengths[end]
            end += 1
        windows.append((start, end))
        if end == count:
            return windows
        middle, passed = start, 0
        while middle < end and passed < total / 2:
            passed += lengths[middle]
            middle += 1
        start = max(middle, start + 1)
        while sum(lengths[start : end + 1]) > limit:  # it must end after the previous one
            start += 1


def length_batches(
    lengths: Sequence[int], batch_size: int, progress: Progress | None = None
) -> Iterable[list[int]]:
    """Indices of `lengths` in batches of similar length, longest first (so that memory peaks in the first batch).

    With `progress`, they can be iterated over once.

    >>> list(length_batches([3, 9, 5], 2))
    [[1, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    return progress(batches, len(lengths)) if progress else batches
