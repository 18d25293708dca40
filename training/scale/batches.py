"""Converts a batch of columns to rows for operations on stories, and collects the reasons why rows are refused."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from openmeva.training.corpora.story_rows import StoryRow, story_row
from openmeva.training.files import Row
from openmeva.training.scale.parts import NUMBER

Batch = Mapping[str, Sequence[Any]]


def rows_of(batch: Batch) -> Iterator[Row]:
    """Rows numbered by their place in the corpus; error messages name them by their place in the batch."""
    names = list(batch)
    for index, values in enumerate(zip(*batch.values(), strict=True)):
        row = dict(zip(names, values, strict=True))
        yield Row(row[NUMBER], f"row {index}", row)


def story_rows(batch: Batch, context: str) -> list[StoryRow]:
    """The stories of a batch with their ids and contexts; without an id, the story's place in the corpus is used.

    Args:
        batch: columns.
        context: context of stories without one: `first_sentence` or `none`.

    Raises:
        ValueError: a story of fewer than two sentences; the message names its row.
    """
    return [story_row(row, context) for row in rows_of(batch)]


def rejection_reasons(read: Callable[[Row], object], batch: Batch) -> dict[int, str]:
    """Reasons why rows are refused, by index in the batch: the error that `read` raises for a row."""
    reasons = {}
    for index, row in enumerate(rows_of(batch)):
        try:
            read(row)
        except ValueError as error:
            reasons[index] = str(error).removeprefix(f"{row.where}: ")
    return reasons
