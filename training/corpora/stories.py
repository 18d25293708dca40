"""Readers of story corpora: one story a row, in the order of the file."""

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path


def read_stories(path: str | Path) -> Iterator[str]:
    """Stories of a `.jsonl` (field `story`) or `.txt` file, one a line, plain or gzipped.

    In text files the `</s>` that the plot-guided releases put after sentences is dropped.

    Raises:
        ValueError: a line that is not JSON, lacks a text in `story`, or is blank (with its number).
    """
    path = Path(path)
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        json_lines = path.name.removesuffix(".gz").endswith((".jsonl", ".json"))
        for number, line in enumerate(lines, 1):
            story = _story_of(line, f"{path}, line {number}") if json_lines else line.replace("</s>", " ")
            if not story.strip():
                raise ValueError(f"{path}, line {number}: expected a story, got a blank one")
            yield story.strip()


def _story_of(line: str, where: str) -> str:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where}: expected a JSON object, got {line[:60]!r}") from error
    story = row.get("story") if isinstance(row, dict) else None
    if not isinstance(story, str):
        raise ValueError(f"{where}: expected a text in the field 'story', got {story!r}")
    return story


def story_key(sentences: Sequence[Sequence[str]]) -> int:
    """A number below 2³² for a normalised story, by its first thirty words: equal for equal beginnings."""
    words = [word for sentence in sentences[:30] for word in sentence][:30]
    return zlib.crc32(" ".join(words).encode())


def is_held_out(sentences: Sequence[Sequence[str]], share: float) -> bool:
    """Whether a normalised story belongs to the `share` (0 to 1) that is kept for validation."""
    return story_key(sentences) % 10_000 < 10_000 * share
