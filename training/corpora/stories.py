"""Readers of story corpora: one story per row, in file order."""

import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from openmeva.training.files import Row, read_rows, text_of

_LINE_BREAK = re.compile(r"<\s?\\?\s?newline\s?>")


def read_stories(path: str | Path) -> Iterator[str]:
    """Stories of a file that `read_rows` reads: one story per row (column `story`), or per line of a text file.

    The line-break tokens in releases of WritingPrompts (`<newline>`, `<\\newline>`) are removed; in text files, so is
    the `</s>` that the plot-guided releases put after sentences.

    Raises:
        ValueError: a damaged file, or a row whose `story` is blank or not a text (with its line).
    """
    for row in read_rows(path):
        yield story_of(row)


def story_of(row: Row) -> str:
    """The story of a row, stripped, without line-break tokens and, in a line of a text file, without `</s>`.

    Raises:
        ValueError: `story` is blank or not a text.
    """
    story = without_line_breaks(text_of(row))
    if row.is_plain_text:
        story = story.replace("</s>", " ")
    if not story.strip():
        raise ValueError(f"{row.where}: expected a story, got a blank one")
    return story.strip()


def without_line_breaks(text: str) -> str:
    """The text without the line-break tokens of WritingPrompts' releases.

    >>> without_line_breaks("He ran . <newline> She slept . <newline>")
    'He ran . She slept .'
    """
    plain, marks = _LINE_BREAK.subn(" ", text)
    return " ".join(plain.split()) if marks else text


def story_key(sentences: Sequence[Sequence[str]]) -> int:
    """A hash of a story's first thirty words, below 2³²: equal for equal beginnings.

    It decides which stories are held out and which count as the same, so it must be equal in every configuration,
    also if the models read the original names. Therefore `sentences` come from a normaliser with the list of names,
    and all names of a kind (male, female or neutral) count as equal.
    """
    words = [word for sentence in sentences[:30] for word in sentence][:30]
    return zlib.crc32(" ".join(words).encode())


def is_held_out(key: int, share: float) -> bool:
    """Whether the story with this `story_key` is in the `share` (0 to 1) that is held out for validation."""
    return key % 10_000 < 10_000 * share
