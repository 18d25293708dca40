"""Rows of a batch of columns, as operations on stories read them, and why some of them cannot be worked on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from openmeva.training.corpora.story_rows import StoryRow, story_row
from openmeva.training.files import Row
from openmeva.training.scale.parts import NUMBER

Batch = Mapping[str, Sequence[Any]]


def rows_of(batch: Batch) -> Iterator[Row]:
    """Rows, numbered by their place in the corpus, which errors call by their place in the batch."""
    names = list(batch)
    for place, values in enumerate(zip(*batch.values(), strict=True)):
        row = dict(zip(names, values, strict=True))
        yield Row(row[NUMBER], f"row {place}", row)


def story_rows(batch: Batch, context: str) -> list[StoryRow]:
    """The stories of a batch with their ids and contexts; without an id, a story's place in the corpus stands for it.

    Args:
        batch: columns.
        context: of stories without one: `first_sentence` or `none`.

    Raises:
        ValueError: a story of fewer than two sentences (its row).
    """
    return [story_row(row, context) for row in rows_of(batch)]


def refused_by(read: Callable[[Row], object], batch: Batch) -> dict[int, str]:
    """Why rows are refused, by place: what `read` raises of each alone."""
    reasons = {}
    for place, row in enumerate(rows_of(batch)):
        try:
            read(row)
        except ValueError as error:
            reasons[place] = str(error).removeprefix(f"{row.where}: ")
    return reasons
