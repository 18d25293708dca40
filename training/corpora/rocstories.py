"""ROCStories as its authors distribute it: five sentences per story, the first of them the context."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from openmeva.metrics.core.text import split_sentences
from openmeva.training.corpora.stories import read_stories
from openmeva.training.files import kind_of, read_rows

_SENTENCES = [f"sentence{index}" for index in range(1, 6)]


class SourceStory(TypedDict):
    """A human-written story: `story` continues `context` in ROC, and responds to it (a prompt) in WP."""

    story_id: str
    context: str
    story: str


def read_rocstories(path: str | Path) -> Iterator[SourceStory]:
    """Stories of a file in its order, split into context (first sentence) and continuation.

    Args:
        path: the distributed CSV (`storyid, storytitle, sentence1` to `sentence5`) or one with `story`, or `.jsonl` with
            `sentences` (a list) or `story`, or `.txt` with one story per line; plain or gzipped. A `story` is
            split into sentences.

    Raises:
        ValueError: a missing column or field, or a story that is blank or has one sentence only (with its
            number or line).
    """
    path = Path(path)
    parts: Iterator[tuple[str, list[str]]]
    if kind_of(path) in (None, "txt"):
        parts = ((str(number), split_sentences(story)) for number, story in enumerate(read_stories(path), 1))
    else:
        parts = _given_sentences(path)
    for number, (story_id, sentences) in enumerate(parts, 1):
        if len(sentences) < 2 or not all(sentence.strip() for sentence in sentences):
            raise ValueError(f"{path}, story {number}: expected two sentences or more, got {sentences!r}")
        context, *rest = (sentence.strip() for sentence in sentences)
        yield {"story_id": story_id, "context": context, "story": " ".join(rest)}


def _given_sentences(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Ids and sentences of the rows, from the distributed table's columns or the fields `sentences` or `story`."""
    table = kind_of(path) == "csv"
    for row in read_rows(path):
        if table and "story" not in row.values:
            missing = {"storyid", *_SENTENCES} - set(row.values)
            if missing:
                raise ValueError(f"{path}: expected the columns {', '.join(sorted(missing))}, or story")
            yield row.values["storyid"], [row.values[name] for name in _SENTENCES]
            continue
        sentences, story = row.values.get("sentences"), row.values.get("story")
        if not sentences and not isinstance(story, str):
            raise ValueError(f"{row.where}: expected 'sentences' or 'story', got {', '.join(row.values)}")
        if sentences and not (isinstance(sentences, list) and all(isinstance(s, str) for s in sentences)):
            raise ValueError(f"{row.where}: expected a list of texts in 'sentences', got {sentences!r:.60}")
        yield str(row.values.get("story_id", row.number)), list(sentences or split_sentences(str(story)))
