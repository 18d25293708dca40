"""ROCStories as its authors distribute it: five sentences a story, the first of them the context."""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypedDict

from openmeva.metrics.core.text import split_sentences
from openmeva.training.corpora.stories import read_stories

_SENTENCES = [f"sentence{place}" for place in range(1, 6)]


class SourceStory(TypedDict):
    """A human-written story: `story` goes on from `context` in ROC, and answers it (a prompt) in WP."""

    story_id: str
    context: str
    story: str


def read_rocstories(path: str | Path) -> Iterator[SourceStory]:
    """Stories of a file in its order, context (first sentence) and continuation apart.

    Args:
        path: the distributed CSV (`storyid, storytitle, sentence1` to `sentence5`), or `.jsonl` with
            `sentences` (a list) or `story`, or `.txt` with a story a line; plain or gzipped. Where sentences
            are not given, they are split.

    Raises:
        ValueError: a column or field is missing, or a story is blank or has one sentence only (with the
            line).
    """
    path = Path(path)
    name = path.name.removesuffix(".gz").lower()
    if name.endswith(".csv"):
        parts = _csv_sentences(path)
    elif name.endswith((".jsonl", ".json")):
        parts = _json_sentences(path)
    else:
        parts = ((str(number), split_sentences(story)) for number, story in enumerate(read_stories(path), 1))
    for number, (story_id, sentences) in enumerate(parts, 1):
        if len(sentences) < 2 or not all(sentence.strip() for sentence in sentences):
            raise ValueError(f"{path}, story {number}: expected two sentences or more, got {sentences!r}")
        context, *rest = (sentence.strip() for sentence in sentences)
        yield {"story_id": story_id, "context": context, "story": " ".join(rest)}


def _opened(path: Path) -> IO[str]:
    """The text of a plain or gzipped file, without the byte order mark that spreadsheets put before it."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _csv_sentences(path: Path) -> Iterator[tuple[str, list[str]]]:
    with _opened(path) as lines:
        reader = csv.DictReader(lines)
        missing = {"storyid", *_SENTENCES} - set(reader.fieldnames or [])
        if missing:
            raise ValueError(f"{path}: expected the columns {', '.join(sorted(missing))}")
        for row in reader:
            yield row["storyid"], [row[name] or "" for name in _SENTENCES]


def _json_sentences(path: Path) -> Iterator[tuple[str, list[str]]]:
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{where}: expected a JSON object, got {line[:60]!r}") from error
            sentences, story = row.get("sentences"), row.get("story")
            if not sentences and not isinstance(story, str):
                raise ValueError(f"{where}: expected 'sentences' or 'story', got {', '.join(row)}")
            yield str(row.get("story_id", number)), list(sentences or split_sentences(story))
