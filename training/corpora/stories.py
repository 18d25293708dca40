"""Readers of story corpora: one story a row, in the order of the file."""

import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from openmeva.training.files import Row, read_rows, text_of

_LINE_BREAK = re.compile(r"<\s?\\?\s?newline\s?>")


def read_stories(path: str | Path) -> Iterator[str]:
    """Stories of a file that `read_rows` reads: a row a story (column `story`), in a text file a line a story.

    The marks of line breaks in releases of WritingPrompts (`<newline>`, `<\\newline>`) are dropped, and in text files the
    `</s>` that the plot-guided releases put after sentences.

    Raises:
        ValueError: a damaged file, or a row that lacks a text in `story`, or a blank one (with its line).
    """
    for row in read_rows(path, blank_lines=True):
        yield story_of(row)


def story_of(row: Row) -> str:
    """The story of a row, without blanks around it and marks of line breaks, nor `</s>` where the row is a line of text.

    Raises:
        ValueError: no text in `story`, or a blank one.
    """
    story = without_line_breaks(text_of(row))
    if row.plain:
        story = story.replace("</s>", " ")
    if not story.strip():
        raise ValueError(f"{row.where}: expected a story, got a blank one")
    return story.strip()


def without_line_breaks(text: str) -> str:
    """The text without the marks that releases of WritingPrompts put at line breaks; itself where there are none.

    >>> without_line_breaks("He ran . <newline> She slept . <newline>")
    'He ran . She slept .'
    """
    plain, marks = _LINE_BREAK.subn(" ", text)
    return " ".join(plain.split()) if marks else text


def story_key(sentences: Sequence[Sequence[str]]) -> int:
    """A number below 2³² for a story, by its first thirty words: equal for equal beginnings.

    It decides what is held out and what counts as the same story, so it has to be the same in every configuration,
    also where the models read names as they stand: `sentences` are those of a normaliser that knows the names, and
    names, whichever they are, are equal.
    """
    words = [word for sentence in sentences[:30] for word in sentence][:30]
    return zlib.crc32(" ".join(words).encode())


def is_held_out(key: int, share: float) -> bool:
    """Whether the story of a `story_key` belongs to the `share` (0 to 1) that is kept for validation."""
    return key % 10_000 < 10_000 * share
