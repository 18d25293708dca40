"""Scores that somebody computed elsewhere, put beside the stories of a test set: every story once, none else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.core.inputs import number_from
from openmeva.training.corpora.judged_file import number_of
from openmeva.training.files import Row, read_rows

# Columns that say which story a row is of, or what is known of it: no scores of a metric.
_DESCRIBING = {
    "story_id", "id", "story", "context", "prompt", "reference", "references", "source_model", "ratings", "raters",
    "error_types", "judgment", "aspect", "technique", "label", "origin", "perturbed_from", "changed_spans", "corpus",
    "explanations", "signature", "warnings",
}  # fmt: skip
NAMED = re.compile(r"_score(?:_\d+)?$")
"""What the columns of `openmeva score` end in where `score` was taken, numbered where the name was, too."""
_NUMBERING = re.compile(r"\s*|Unnamed: \d+|__index_level_\d+__")  # of rows, as pandas writes it


def read_scores(path: str | Path, stories: Sequence[Mapping[str, Any]], title: str) -> dict[str, list[float]]:
    """Column to one score a story, in the order of `stories`.

    Args:
        path: JSONL, CSV, TSV or Parquet with one or more columns of scores; see `score_columns` and `in_order`.
        stories: the rows of a test set.
        title: what the set is called in messages.

    Raises:
        ValueError: what does not fit, with its line.
        OSError: no such file.
    """
    rows = list(read_rows(path))
    if not rows:
        raise ValueError(f"{path}: expected scores, got no rows")
    columns = score_columns(rows)
    ordered = in_order(rows, stories, title)
    return {column: [number_in(row, column) for row in ordered] for column in columns}


def score_columns(rows: Sequence[Row]) -> list[str]:
    """The columns that hold scores: `score`, `…_score`, and others with a number in any cell.

    Columns that describe a story or number the rows do not count, nor does `score` beside `ratings`, whose mean it is, or
    beside a `…_score`: `openmeva score` calls its column so where `score` is what people said.

    Raises:
        ValueError: there is none (which columns there are).
    """
    columns = columns_in(rows)
    found = [
        name
        for name in columns
        if name not in _DESCRIBING
        and not _NUMBERING.fullmatch(name)
        and not (name == "score" and "ratings" in columns)
        and (name.endswith("score") or any(_is_number(row.values.get(name)) for row in rows))
    ]
    if not found:
        raise ValueError(
            f"{rows[0].where}: expected a column of scores, as 'score', got {', '.join(columns)}"
        )
    return [name for name in found if name != "score"] if any(map(NAMED.search, found)) else found


def titled_columns(rows: Sequence[Row]) -> dict[str, str]:
    """What the metric of each of `score_columns` is called, and the column: `union` for `union_score`.

    Raises:
        ValueError: there is none (which columns there are), or two are called alike.
    """
    return titled(score_columns(rows), _file(rows[0]))


def titled(columns: Iterable[str], file: str) -> dict[str, str]:
    """What the metric of each column of scores is called, and the column; `file` begins the message.

    Raises:
        ValueError: two are called alike.
    """
    found: dict[str, str] = {}
    for name in columns:
        title = "your metric" if name == "score" else name.removesuffix("_score")
        if title in found:
            raise ValueError(
                f"{file}expected columns of different metrics, got {found[title]!r} and {name!r}"
            )
        found[title] = name
    return found


def columns_in(rows: Sequence[Row]) -> list[str]:
    """The columns that any row has, in the order in which they come."""
    return list(dict.fromkeys(name for row in rows for name in row.values))


def in_order(rows: Sequence[Row], stories: Sequence[Mapping[str, Any]], title: str) -> list[Row]:
    """The row of each story: by `story_id` (or `id`) where rows and stories have one, else by `story`.

    Rows are taken as they come only where none has an id or a story. Rows of AUTOS, where a story stands under several aspects, give the `aspect` beside the id. A text that stands in
    several rows of the set needs one row only, where it is found by its text.

    Raises:
        ValueError: an id or a text that the set lacks, one that stands twice, a story without a row, another number of
            rows, another story under that id, or ids that only the rows have. Names the row.
    """
    name = next((one for one in ("story_id", "id") if any(_given(row, one) for row in rows)), None)
    if name is not None and all(story.get("story_id") is not None for story in stories):
        return _by_id(rows, stories, title, name)
    without = next((row for row in rows if not isinstance(row.values.get("story"), str)), None)
    if without is None:
        return _by_text(rows, stories, title)
    if any(_given(row, "story") for row in rows):
        came = without.values.get("story")
        raise ValueError(f"{without.where}: expected a text in 'story', got {came!r:.60}")
    if name is not None:
        raise ValueError(
            f"{without.where}: expected a 'story' to find it by, for {title} has no {name!r}, got "
            f"{', '.join(without.values)}"
        )
    if len(rows) != len(stories):
        raise ValueError(
            f"{_file(rows[0])}expected {len(stories):,} scores, one for each row of {title} in its order, "
            f"got {len(rows):,}"
        )
    return list(rows)


def number_in(row: Row, column: str) -> float:
    """The finite number in a column; a ValueError that names the row for anything else."""
    value = row.values.get(column)
    if isinstance(value, bool):
        raise ValueError(f"{row.where}: expected a number in {column!r}, got {value}")
    return number_of(value, column, row)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and number_from(value) is not None


def _given(row: Row, name: str) -> bool:
    return row.values.get(name) not in (None, "")


def _file(row: Row) -> str:
    """The file of a row, as a message begins; nothing where rows came without one."""
    file = row.where.rpartition(", ")[0]
    return f"{file}: " if file else ""


def _by_id(rows: Sequence[Row], stories: Sequence[Mapping[str, Any]], title: str, name: str) -> list[Row]:
    aspects = "aspect" in stories[0]
    known = {_key(story, "story_id", aspects) for story in stories}
    found: dict[tuple[str, ...], Row] = {}
    for row in rows:
        for column in (name, "aspect") if aspects else (name,):
            if not _given(row, column):
                raise ValueError(f"{row.where}: expected {column!r}, which other rows have, got none")
        key = _key(row.values, name, aspects)
        if key not in known:
            example = " ".join(_key(stories[0], "story_id", aspects))
            raise ValueError(
                f"{row.where}: expected a {name} of {title}, as {example!r}, got {' '.join(key)[:60]!r}"
            )
        if key in found:
            raise ValueError(
                f"{row.where}: expected each {name} once, got {' '.join(key)!r} as in {found[key].where}"
            )
        found[key] = row
    ordered = _each(found, [_key(story, "story_id", aspects) for story in stories], title, rows[0], name)
    for row, story in zip(ordered, stories, strict=True):
        text = row.values.get("story")
        if isinstance(text, str) and _words(text) != _words(story["story"]):
            raise ValueError(
                f"{row.where}: expected the story of that {name} in {title}, {story['story']!r:.60}, got {text!r:.60}"
            )
    return ordered


def _by_text(rows: Sequence[Row], stories: Sequence[Mapping[str, Any]], title: str) -> list[Row]:
    texts = [_words(str(row.values["story"])) for row in rows]
    wanted = [_words(story["story"]) for story in stories]
    if texts == wanted:
        return list(rows)
    known, found = set(wanted), dict[tuple[str, ...], Row]()
    for row, text in zip(rows, texts, strict=True):
        if text not in known:
            raise ValueError(
                f"{row.where}: expected a story of {title}, got another, {row.values['story']!r:.60}"
            )
        if (text,) in found:
            raise ValueError(
                f"{row.where}: expected each story once, or all of {title} in its order, got the story of "
                f"{found[text,].where} again"
            )
        found[text,] = row
    return _each(found, [(text,) for text in wanted], title, rows[0], "story")


def _each(
    found: Mapping[tuple[str, ...], Row],
    wanted: Sequence[tuple[str, ...]],
    title: str,
    first: Row,
    name: str,
) -> list[Row]:
    absent = [key for key in dict.fromkeys(wanted) if key not in found]
    if absent:
        raise ValueError(
            f"{_file(first)}expected a score for each of the {len(wanted):,} rows of {title}, got none for {name} "
            f"{' '.join(absent[0])[:60]!r} ({len(absent):,} of them lack one)"
        )
    return [found[key] for key in wanted]


def _key(values: Mapping[str, Any], name: str, aspects: bool) -> tuple[str, ...]:
    return (str(values[name]), str(values.get("aspect"))) if aspects else (str(values[name]),)


def _words(text: str) -> str:
    return " ".join(text.split())
