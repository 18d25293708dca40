"""Matches rows that come from elsewhere to the stories of a test set: by id, by text, or by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.training.files import Row


def match_rows(rows: Sequence[Row], stories: Sequence[Mapping[str, Any]], title: str) -> list[Row]:
    """The row of each story, matched by `story_id` (or `id`) if rows and stories have one, else by `story`.

    Rows are matched by position only if no row has an id or a story. In AUTOS an id occurs under several aspects, so
    that its rows need an `aspect` in addition to the id. When rows are matched by text, a text that occurs in several
    rows of the set needs only one row.

    Raises:
        ValueError: an id or a text that the set lacks, a duplicate, a story without a row, a wrong number of rows, a
            different story under that id, or ids that only the rows have. The message names the row.
    """
    name = next((column for column in ("story_id", "id") if any(row.has(column) for row in rows)), None)
    if name is not None and all(story.get("story_id") is not None for story in stories):
        return _by_id(rows, stories, title, name)
    row_without_story = next((row for row in rows if not isinstance(row.values.get("story"), str)), None)
    if row_without_story is None:
        return _by_text(rows, stories, title)
    if any(row.has("story") for row in rows):
        value = row_without_story.values.get("story")
        raise ValueError(f"{row_without_story.where}: expected a text in 'story', got {value!r:.60}")
    if name is not None:
        raise ValueError(
            f"{row_without_story.where}: expected a 'story' to match it by, since {title} has no {name!r}, got "
            f"{', '.join(row_without_story.values)}"
        )
    if len(rows) != len(stories):
        raise ValueError(
            f"{file_prefix(rows[0])}expected {len(stories):,} scores, one for each row of {title} in its order, "
            f"got {len(rows):,}"
        )
    return list(rows)


def file_prefix(row: Row) -> str:
    """The file of a row, as the prefix of a message; empty if the row did not come from a file."""
    file = row.where.rpartition(", ")[0]
    return f"{file}: " if file else ""


def _by_id(rows: Sequence[Row], stories: Sequence[Mapping[str, Any]], title: str, name: str) -> list[Row]:
    aspects = "aspect" in stories[0] and len({str(story["story_id"]) for story in stories}) < len(stories)
    story_keys = {_key(story, "story_id", aspects) for story in stories}
    rows_by_key: dict[tuple[str, ...], Row] = {}
    for row in rows:
        for column in (name, "aspect") if aspects else (name,):
            if not row.has(column):
                raise ValueError(f"{row.where}: expected {column!r}, which other rows have, got none")
        key = _key(row.values, name, aspects)
        if key not in story_keys:
            example = " ".join(_key(stories[0], "story_id", aspects))
            raise ValueError(
                f"{row.where}: expected a {name} of {title}, such as {example!r}, got {' '.join(key)[:60]!r}"
            )
        if key in rows_by_key:
            raise ValueError(
                f"{row.where}: expected each {name} once, got {' '.join(key)!r} as in {rows_by_key[key].where}"
            )
        rows_by_key[key] = row
    ordered = _each(
        rows_by_key, [_key(story, "story_id", aspects) for story in stories], title, rows[0], name
    )
    for row, story in zip(ordered, stories, strict=True):
        text = row.values.get("story")
        if isinstance(text, str) and _words(text) != _words(story["story"]):
            raise ValueError(
                f"{row.where}: expected the story of that {name} in {title}, {story['story']!r:.60}, got {text!r:.60}"
            )
    return ordered


def _by_text(rows: Sequence[Row], stories: Sequence[Mapping[str, Any]], title: str) -> list[Row]:
    texts = [_words(str(row.values["story"])) for row in rows]
    story_texts = [_words(story["story"]) for story in stories]
    if texts == story_texts:
        return list(rows)
    known_texts, rows_by_key = set(story_texts), dict[tuple[str, ...], Row]()
    for row, text in zip(rows, texts, strict=True):
        if text not in known_texts:
            raise ValueError(
                f"{row.where}: expected a story of {title}, got another, {row.values['story']!r:.60}"
            )
        if (text,) in rows_by_key:
            raise ValueError(
                f"{row.where}: expected each story once, or all of {title} in its order, got the story of "
                f"{rows_by_key[text,].where} again"
            )
        rows_by_key[text,] = row
    return _each(rows_by_key, [(text,) for text in story_texts], title, rows[0], "story")


def _each(
    rows_by_key: Mapping[tuple[str, ...], Row],
    keys: Sequence[tuple[str, ...]],
    title: str,
    first: Row,
    name: str,
) -> list[Row]:
    absent = [key for key in dict.fromkeys(keys) if key not in rows_by_key]
    if absent:
        raise ValueError(
            f"{file_prefix(first)}expected a score for each of the {len(keys):,} rows of {title}, got none for {name} "
            f"{' '.join(absent[0])[:60]!r} ({len(absent):,} of them lack one)"
        )
    return [rows_by_key[key] for key in keys]


def _key(values: Mapping[str, Any], name: str, aspects: bool) -> tuple[str, ...]:
    return (str(values[name]), str(values.get("aspect"))) if aspects else (str(values[name]),)


def _words(text: str) -> str:
    return " ".join(text.split())
