"""Reads stories with ids and contexts from a user's file, and reports bad lines by line number."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from openmeva.metrics.core.contexts import begins_with_context
from openmeva.training.common.fields import field_of, story_id_of
from openmeva.training.corpora.notices import warn_about_bad_lines
from openmeva.training.corpora.stories import story_of
from openmeva.training.files import Row, read_rows
from openmeva.training.text.story import Story


class StoryRow(TypedDict):
    """A story of a corpus.

    `keep` is the number of leading sentences that are its context: 1 if it begins with the context, else 0.
    """

    story_id: str
    context: str
    story: str
    keep: int


class BadLinesError(ValueError):
    """Lines without a story; the message lists them."""


def read_story_rows(
    path: str | Path, context: str = "first_sentence", skip_bad: bool = False, limit: int | None = None
) -> tuple[list[StoryRow], list[str]]:
    """The stories of a file, and the errors in the other rows.

    Args:
        path: a file that `files.read_rows` reads, with `story` and optionally `story_id` (or `id`) and `context` (or
            `prompt`); or a text file with one story per line, from which `</s>` is removed; `-` for standard input. A
            story without an id gets its row number as id, from 000001; blank lines of JSONL and tables do not count.
        context: the context of a row without one: `first_sentence`, or `none`.
        skip_bad: skip bad lines instead of raising.
        limit: maximum number of stories.

    Returns:
        Rows, and one message for each skipped row: an unreadable line, no text in `story`, a blank story, a story of
        one sentence, or a duplicate id.

    Raises:
        BadLinesError: bad lines, unless `skip_bad`.
        ValueError: an unknown `context`, a damaged file, or no story.
    """
    check_context(context)
    rows: list[StoryRow] = []
    bad: list[str] = []
    seen: set[str] = set()
    for row in read_rows(path, on_bad_line=bad.append):
        try:
            story = story_row(row._replace(number=len(rows) + len(bad) + 1), context)
            if story["story_id"] in seen:
                raise ValueError(f"{row.where}: story_id {story['story_id']!r} is a duplicate")
        except ValueError as error:
            bad.append(str(error))
            continue
        seen.add(story["story_id"])
        rows.append(story)
        if len(rows) == limit:
            break
    if bad and not skip_bad:
        shown = "\n".join(bad[:10]) + (f"\n… and {len(bad) - 10} more" if len(bad) > 10 else "")
        raise BadLinesError(f"{len(bad)} bad lines:\n{shown}\nThey can be skipped (--skip-bad).")
    if not rows:
        first_bad = f"; the first bad line: {bad[0]}" if bad else ""
        raise ValueError(f"{path}: expected at least one story, got none{first_bad}")
    return rows, bad


def usable_rows(path: str | Path, context: str = "first_sentence") -> list[StoryRow]:
    """The stories of a file, as `read_story_rows`; standard error tells how many bad lines were skipped, and the first."""
    rows, bad = read_story_rows(path, context, skip_bad=True)
    warn_about_bad_lines(bad, len(rows) + len(bad))
    return rows


def check_context(context: str) -> None:
    """Raises a ValueError unless `context` is `first_sentence` or `none`."""
    if context not in {"first_sentence", "none"}:
        raise ValueError(f"context: expected 'first_sentence' or 'none', got {context!r}")


def story_row(row: Row, context: str) -> StoryRow:
    """The story of a row; without an id, its id is `row.number`. `context` is as in `read_story_rows`.

    Raises:
        ValueError: no text in `story`, a blank story, or a story of one sentence.
    """
    story = story_of(row)
    if row.is_plain_text:
        story = " ".join(story.split())
    sentences = Story(story).sentences
    if len(sentences) < 2:
        raise ValueError(
            f"{row.where}: expected at least two sentences, got {len(sentences)}: {story[:60]!r}"
        )
    given = context_of(row.values, sentences[0].text if context == "first_sentence" else "")
    return {
        "story_id": id_of(row),
        "context": given,
        "story": story,
        "keep": num_context_sentences(story, given),
    }


def context_of(values: Mapping[str, Any], otherwise: str = "") -> str:
    """The context of a row, as `field_of` finds it; `otherwise` if it is blank or not a text."""
    given = field_of(values, "context")
    return (given if isinstance(given, str) and given.strip() else otherwise).strip()


def num_context_sentences(story: str, context: str) -> int:
    """The number of leading sentences that are the context: 1 if the story begins with it, else 0."""
    return int(begins_with_context(story, context))


def id_of(row: Row) -> str:
    """The id of a row; without one, `row.number` with six digits."""
    return story_id_of(row.values) or f"{row.number:06d}"
