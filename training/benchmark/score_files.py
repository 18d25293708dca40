"""Read scores computed elsewhere and match them to the stories of a test set, one score per story."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.core.inputs import parse_number
from openmeva.training.corpora.judged_file import number_of
from openmeva.training.files import Row, read_rows

# Columns that identify or describe a story; they hold no scores of a metric.
_DESCRIBING = {
    "story_id", "id", "story", "context", "prompt", "reference", "references", "source_model", "ratings", "raters",
    "error_types", "judgment", "aspect", "technique", "label", "origin", "perturbed_from", "changed_spans", "corpus",
    "explanations", "signature", "warnings", "pair", "split", "group",
}  # fmt: skip
METRIC_SCORE_SUFFIX = re.compile(r"_score(?:_\d+)?$")
"""Suffix of the columns that `openmeva score` adds to a file with a `score`; numbered if that name is taken, too."""
# Row numbers, as pandas writes them.
_NUMBERING = re.compile(r"\s*|Unnamed: \d+|__index_level_\d+__|index|level_\d+")


def read_scores(path: str | Path, stories: Sequence[Mapping[str, Any]], title: str) -> dict[str, list[float]]:
    """Column to its scores, one per story, in the order of `stories`.

    Args:
        path: JSONL, CSV, TSV or Parquet with one or more columns of scores; see `score_columns` and `match_rows`.
        stories: the rows of a test set.
        title: name of the set in messages.

    Raises:
        ValueError: a row does not fit (names its line).
        OSError: no such file.
    """
    rows = list(read_rows(path))
    if not rows:
        raise ValueError(f"{path}: expected scores, got no rows")
    columns = score_columns(rows)
    ordered = match_rows(rows, stories, title)
    return {column: [finite_number(row, column) for row in ordered] for column in columns}


def score_columns(rows: Sequence[Row]) -> list[str]:
    """The columns that hold scores: those whose names end in `score`, and others with a number in any cell.

    Columns that describe a story or number the rows are excluded. So is `score` if there are `ratings`, whose mean it
    is, or if there is a `…_score`: `openmeva score` uses that name if `score` holds human judgments.

    Raises:
        ValueError: there is no such column (lists the columns).
    """
    columns = column_names(rows)
    score_names = [
        name
        for name in columns
        if name not in _DESCRIBING
        and not _NUMBERING.fullmatch(name)
        and not (name == "score" and "ratings" in columns)
        and (name.endswith("score") or any(_is_number(row.values.get(name)) for row in rows))
    ]
    if not score_names:
        raise ValueError(
            f"{rows[0].where}: expected a column of scores, such as 'score', got {', '.join(columns)}"
        )
    return (
        [name for name in score_names if name != "score"]
        if any(map(METRIC_SCORE_SUFFIX.search, score_names))
        else score_names
    )


def columns_by_metric(rows: Sequence[Row]) -> dict[str, str]:
    """Metric name to column, for each of `score_columns`: `union` for `union_score`.

    Raises:
        ValueError: there is no such column (lists the columns), or two have the same metric name.
    """
    return name_metrics(score_columns(rows), _file(rows[0]))


def name_metrics(columns: Iterable[str], file: str) -> dict[str, str]:
    """Metric name to column of scores; `file` is the prefix of the error message.

    Raises:
        ValueError: two columns have the same metric name.
    """
    columns_by_title: dict[str, str] = {}
    for name in columns:
        title = "your metric" if name == "score" else name.removesuffix("_score")
        if title in columns_by_title:
            raise ValueError(
                f"{file}expected columns of different metrics, got {columns_by_title[title]!r} and {name!r}"
            )
        columns_by_title[title] = name
    return columns_by_title


def column_names(rows: Sequence[Row]) -> list[str]:
    """The columns that any row has, in order of first appearance."""
    return list(dict.fromkeys(name for row in rows for name in row.values))


def match_rows(rows: Sequence[Row], stories: Sequence[Mapping[str, Any]], title: str) -> list[Row]:
    """The row of each story, matched by `story_id` (or `id`) if rows and stories have one, else by `story`.

    Rows are matched by position only if no row has an id or a story. In AUTOS a story occurs under several aspects, so
    that its rows need an `aspect` in addition to the id. When rows are matched by text, a text that occurs in several
    rows of the set needs only one row.

    Raises:
        ValueError: an id or a text that the set lacks, a duplicate, a story without a row, a wrong number of rows, a
            different story under that id, or ids that only the rows have. The message names the row.
    """
    name = next((column for column in ("story_id", "id") if any(_given(row, column) for row in rows)), None)
    if name is not None and all(story.get("story_id") is not None for story in stories):
        return _by_id(rows, stories, title, name)
    row_without_story = next((row for row in rows if not isinstance(row.values.get("story"), str)), None)
    if row_without_story is None:
        return _by_text(rows, stories, title)
    if any(_given(row, "story") for row in rows):
        value = row_without_story.values.get("story")
        raise ValueError(f"{row_without_story.where}: expected a text in 'story', got {value!r:.60}")
    if name is not None:
        raise ValueError(
            f"{row_without_story.where}: expected a 'story' to match it by, since {title} has no {name!r}, got "
            f"{', '.join(row_without_story.values)}"
        )
    if len(rows) != len(stories):
        raise ValueError(
            f"{_file(rows[0])}expected {len(stories):,} scores, one for each row of {title} in its order, "
            f"got {len(rows):,}"
        )
    return list(rows)


def finite_number(row: Row, column: str) -> float:
    """The finite number in a column; for anything else a ValueError that names the row."""
    value = row.values.get(column)
    if isinstance(value, bool):
        raise ValueError(f"{row.where}: expected a number in {column!r}, got {value}")
    return number_of(value, column, row)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and parse_number(value) is not None


def _given(row: Row, name: str) -> bool:
    return row.values.get(name) not in (None, "")


def _file(row: Row) -> str:
    """The file of a row, as the prefix of a message; empty if the row did not come from a file."""
    file = row.where.rpartition(", ")[0]
    return f"{file}: " if file else ""


def _by_id(rows: Sequence[Row], stories: Sequence[Mapping[str, Any]], title: str, name: str) -> list[Row]:
    aspects = "aspect" in stories[0]
    story_keys = {_key(story, "story_id", aspects) for story in stories}
    rows_by_key: dict[tuple[str, ...], Row] = {}
    for row in rows:
        for column in (name, "aspect") if aspects else (name,):
            if not _given(row, column):
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
            f"{_file(first)}expected a score for each of the {len(keys):,} rows of {title}, got none for {name} "
            f"{' '.join(absent[0])[:60]!r} ({len(absent):,} of them lack one)"
        )
    return [rows_by_key[key] for key in keys]


def _key(values: Mapping[str, Any], name: str, aspects: bool) -> tuple[str, ...]:
    return (str(values[name]), str(values.get("aspect"))) if aspects else (str(values[name]),)


def _words(text: str) -> str:
    return " ".join(text.split())
