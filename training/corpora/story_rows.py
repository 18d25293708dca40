"""Reads stories with ids and contexts from a user's file, and reports bad lines by number."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from openmeva.metrics.core.command import field_of
from openmeva.metrics.openmeva.judged import is_missing
from openmeva.training.corpora.stories import story_of
from openmeva.training.files import Row
from openmeva.training.files import read_rows as read_any
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
    """The stories of a file, and what was wrong with the other rows.

    Args:
        path: a file that `files.read_rows` reads, with `story` and, where there are any, `story_id` (or `id`) and
            `context` (or `prompt`); or a text with a story a line, in which `</s>` is dropped; `-` for standard input. A story
            without an id is called by its place among the rows, from 000001; blank lines are none.
        context: what stands for a context that a line lacks: `first_sentence`, or `none`.
        skip_bad: leave bad lines out instead of raising.
        limit: read this many stories at most.

    Returns:
        Rows, and a message for each row left out: a line that cannot be read, no text in `story`, a blank or one-sentence story,
        or an id that came before.

    Raises:
        BadLinesError: bad lines, unless `skip_bad`.
        ValueError: another `context`, a damaged file.
    """
    check_context(context)
    rows: list[StoryRow] = []
    bad: list[str] = []
    seen: set[str] = set()
    for row in read_any(path, refused=bad.append):
        if limit is not None and len(rows) >= limit:
            break
        try:
            found = story_row(row._replace(number=len(rows) + len(bad) + 1), context)
            if found["story_id"] in seen:
                raise ValueError(f"{row.where}: story_id {found['story_id']!r} stands above already")
        except ValueError as error:
            bad.append(str(error))
            continue
        seen.add(found["story_id"])
        rows.append(found)
    if bad and not skip_bad:
        shown = "\n".join(bad[:10]) + (f"\n… and {len(bad) - 10} more" if len(bad) > 10 else "")
        raise BadLinesError(f"{len(bad)} bad lines:\n{shown}")
    if not rows:
        told = f"; the first bad line: {bad[0]}" if bad else ""
        raise ValueError(f"{path}: expected at least one story, got none{told}")
    return rows, bad


def check_context(context: str) -> None:
    """A ValueError for anything but `first_sentence` and `none`."""
    if context not in {"first_sentence", "none"}:
        raise ValueError(f"context: expected 'first_sentence' or 'none', got {context!r}")


def story_row(row: Row, context: str) -> StoryRow:
    """The story of a row, which is called by `row.number` where it has no id; `context` as in `read_rows`.

    Raises:
        ValueError: no text in `story`, a blank story, or one of a single sentence.
    """
    story = story_of(row)
    if row.plain:
        story = " ".join(story.split())
    sentences = Story(story).sentences
    if len(sentences) < 2:
        raise ValueError(
            f"{row.where}: expected at least two sentences, got {len(sentences)}: {story[:60]!r}"
        )
    given = context_of(row.values, sentences[0].text if context == "first_sentence" else "")
    return {"story_id": id_of(row), "context": given, "story": story, "keep": kept(story, given)}


def context_of(values: Mapping[str, Any], otherwise: str = "") -> str:
    """The context of a row, as `field_of` finds it; `otherwise` where that is no text, or a blank one."""
    given = field_of(values, "context")
    return (given if isinstance(given, str) and given.strip() else otherwise).strip()


def kept(story: str, context: str) -> int:
    """How many leading sentences of a story are its context: 1 where it begins with it, else 0."""
    return int(bool(context) and story.startswith(context))


def id_of(row: Row) -> str:
    """The own id of a row; where it has none, `row.number` in six digits."""
    return own_id(row.values) or f"{row.number:06d}"


def own_id(values: Mapping[str, Any]) -> str | None:
    """The `story_id` of a row, its `id` where that is missing or blank; None where both are.

    >>> own_id({"story_id": None, "id": 7}), own_id({"id": " "})
    ('7', None)
    """
    given = (values.get(name) for name in ("story_id", "id"))
    return next((str(one) for one in given if not is_missing(one) and str(one).strip()), None)
