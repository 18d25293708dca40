"""Stories with their ids and contexts, read from a user's file; bad lines are told apart, by number."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from openmeva.training.text.story import Story


class StoryRow(TypedDict):
    """A story of a corpus.

    `keep` says how many leading sentences are its context: 1 where it begins with the context, else 0.
    """

    story_id: str
    context: str
    story: str
    keep: int


class BadLinesError(ValueError):
    """Lines that hold no story; the message lists them."""


def read_rows(
    path: str | Path, context: str = "first_sentence", skip_bad: bool = False, limit: int | None = None
) -> tuple[list[StoryRow], list[str]]:
    """The stories of a `.jsonl` or `.txt` file, plain or gzipped, and what was wrong with the other lines.

    Args:
        path: JSON lines with `story` and, where there are any, `story_id` and `context` (or `prompt`); or a
            story a line. In text files `</s>` is dropped.
        context: what stands for a context that a line lacks: `first_sentence`, or `none`.
        skip_bad: leave bad lines out instead of raising.
        limit: read this many stories at most.

    Returns:
        Rows, and a message for each line left out: no JSON, no text in `story`, a blank or one-sentence story,
        or an id that came before.

    Raises:
        BadLinesError: bad lines, unless `skip_bad`.
        ValueError: another `context`, or a damaged file.
    """
    if context not in {"first_sentence", "none"}:
        raise ValueError(f"context: expected 'first_sentence' or 'none', got {context!r}")
    rows: list[StoryRow] = []
    bad: list[str] = []
    seen: set[str] = set()
    for number, line in _lines(Path(path)):
        if limit is not None and len(rows) >= limit:
            break
        try:
            row = _row(line, number, context, _is_json(Path(path)))
            if row["story_id"] in seen:
                raise ValueError(f"story_id {row['story_id']!r} stands above already")
        except ValueError as error:
            bad.append(f"{path}, line {number}: {error}")
            continue
        seen.add(row["story_id"])
        rows.append(row)
    if bad and not skip_bad:
        shown = "\n".join(bad[:10]) + (f"\n… and {len(bad) - 10} more" if len(bad) > 10 else "")
        raise BadLinesError(f"{len(bad)} bad lines:\n{shown}")
    if not rows:
        raise ValueError(f"{path}: expected at least one story, got none")
    return rows, bad


def _row(line: str, number: int, context: str, is_json: bool) -> StoryRow:
    fields: dict[str, object] = {}
    if is_json:
        try:
            fields = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"expected a JSON object, got {line[:60]!r}") from error
        if not isinstance(fields, dict):
            raise ValueError(f"expected a JSON object, got {line[:60]!r}")
        story = fields.get("story")
    else:
        story = " ".join(line.replace("</s>", " ").split())
    if not isinstance(story, str):
        raise ValueError(f"expected a text in the field 'story', got {story!r}")
    story = story.strip()
    if not story:
        raise ValueError("expected a story, got a blank one")
    sentences = Story(story).sentences
    if len(sentences) < 2:
        raise ValueError(f"expected at least two sentences, got {len(sentences)}: {story[:60]!r}")
    given = fields.get("context", fields.get("prompt"))
    if not isinstance(given, str) or not given.strip():
        given = sentences[0].text if context == "first_sentence" else ""
    given = given.strip()
    own_id = fields.get("story_id")
    return {
        "story_id": str(own_id) if own_id is not None else f"{number:06d}",
        "context": given,
        "story": story,
        "keep": int(bool(given) and story.startswith(given)),
    }


def _is_json(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith((".jsonl", ".json"))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as file
        ):
            yield from enumerate(file, 1)
    except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
