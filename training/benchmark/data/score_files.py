"""Reads scores computed elsewhere and matches them to the stories of a test set, one score per story."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.core.inputs import parse_number
from openmeva.training.benchmark.data.row_matching import file_prefix, match_rows
from openmeva.training.files import Row, kind_of, read_rows
from openmeva.training.judged.judged_file import number_of

# Columns that identify or describe a story; they hold no scores of a metric.
_DESCRIBING = {
    "story_id", "id", "story", "context", "prompt", "reference", "references", "source_model", "ratings", "raters",
    "error_types", "judgment", "aspect", "technique", "label", "origin", "perturbed_from", "changed_spans", "corpus",
    "explanations", "signature", "warnings", "pair", "split", "group", "system", "model",
}  # fmt: skip
_RATINGS = re.compile(r"\s*(rating|rater|annotator)[ _-]?\d*\s*", re.IGNORECASE)  # of people
METRIC_SCORE_SUFFIX = re.compile(r"_score(?:_\d+)?$")
"""Suffix of the columns that `openmeva score` adds to a file with a `score`; numbered if that name is taken, too."""
FURTHER_OUTPUTS = {
    "perplexities", "word_perplexities", "nll", "log_scores", "corrected_scores", "corrected_log_scores",
    "repeated_shares",
}  # fmt: skip
"""Columns that `openmeva score --metric ppl` writes beside the score: the same in other units, or opposite in sign."""
# Row numbers, as pandas writes them.
_NUMBERING = re.compile(r"\s*|Unnamed: \d+|__index_level_\d+__|index|level_\d+")


def split_column(name: str) -> tuple[str, str]:
    """The file and the column of `FILE:COLUMN`; the column is empty where none is named."""
    path, separator, column = name.rpartition(":")
    return (path, column) if separator and not Path(name).exists() else (name, "")


def read_scores(
    path: str | Path,
    stories: Sequence[Mapping[str, Any]],
    title: str,
    column: str = "",
    say: Callable[[str], None] | None = None,
) -> dict[str, list[float]]:
    """Column to its scores, one per story, in the order of `stories`.

    Args:
        path: as in `score_rows`; see `match_rows` for how its rows find their stories.
        stories: the rows of a test set.
        title: name of the set in messages.
        column: the only column to read; default: `score_columns`.
        say: called with a line on columns that were left out.

    Raises:
        ValueError: a row does not fit (names its line), or there is no such column.
        OSError: no such file.
    """
    rows = score_rows(path)
    if column:
        check_column(path, column, rows)
    columns = [column] if column else score_columns(rows, say)
    ordered = match_rows(rows, stories, title)
    return {name: [finite_number(row, name) for row in ordered] for name in columns}


def score_rows(path: str | Path) -> list[Row]:
    """The rows of a file of scores: JSONL, CSV, TSV, Parquet, or text with a `score` on each line.

    Raises:
        ValueError: a line that cannot be read (named), or no rows.
        OSError: no such file.
    """
    rows = list(read_rows(path))
    if not rows:
        raise ValueError(f"{path}: expected scores, got no rows")
    if kind_of(path) == "txt":  # as `openmeva score` writes it
        return [row._replace(values={"score": row.values["story"]}) for row in rows]
    return rows


def score_columns(rows: Sequence[Row], say: Callable[[str], None] | None = None) -> list[str]:
    """The columns that hold scores: those whose names end in `score`, and others with a number in any cell.

    Columns that describe a story or number the rows are excluded. So is `score` if there are `ratings`, whose mean it
    is, or if there is a `…_score`: `openmeva score` uses that name if `score` holds human judgments. Beside others,
    constants are left out, such as a seed, and beside a score the further outputs of perplexity.

    Args:
        rows: the rows of a file.
        say: called with a line that names the columns that were left out, if any.

    Raises:
        ValueError: there is no such column (lists the columns).
    """
    columns = column_names(rows)
    numeric = [
        name
        for name in columns
        if name not in _DESCRIBING
        and not _NUMBERING.fullmatch(name)
        and not _RATINGS.fullmatch(name)
        and not (name == "score" and "ratings" in columns)
        and (name.endswith("score") or any(_is_number(row.values.get(name)) for row in rows))
    ]
    if not numeric:
        raise ValueError(
            f"{rows[0].where}: expected a column of scores, such as 'score', got {', '.join(columns)}"
        )
    if any(map(METRIC_SCORE_SUFFIX.search, numeric)):
        numeric = [name for name in numeric if name != "score"]
    has_score = any(name.endswith("score") or METRIC_SCORE_SUFFIX.search(name) for name in numeric)
    chosen = [
        name
        for name in numeric
        if name.endswith("score")
        or (
            not (has_score and name.removeprefix("ppl_") in FURTHER_OUTPUTS)
            and len({str(row.values.get(name)) for row in rows}) > 1
        )
    ] or numeric
    if say and (left_out := [name for name in numeric if name not in chosen]):
        say(
            f"{file_prefix(rows[0])}scores of {', '.join(chosen)}; not taken as a metric: {', '.join(left_out)} "
            "(FILE:COLUMN names one)"
        )
    return chosen


def columns_by_metric(rows: Sequence[Row]) -> dict[str, str]:
    """Metric name to column, for each of `score_columns`: `union` for `union_score`.

    Raises:
        ValueError: there is no such column (lists the columns), or two have the same metric name.
    """
    return name_metrics(score_columns(rows), file_prefix(rows[0]))


def name_metrics(columns: Iterable[str], file: str) -> dict[str, str]:
    """Metric name to column of scores; `file` is the prefix of the error message.

    Raises:
        ValueError: two columns have the same metric name.
    """
    columns_by_title: dict[str, str] = {}
    for name in columns:
        title = metric_title(name)
        if title in columns_by_title:
            raise ValueError(
                f"{file}expected columns of different metrics, got {columns_by_title[title]!r} and {name!r}"
            )
        columns_by_title[title] = name
    return columns_by_title


def metric_title(column: str) -> str:
    """The name of the metric whose scores a column holds.

    >>> metric_title("union_score"), metric_title("score")
    ('union', 'your metric')
    """
    return "your metric" if column == "score" else column.removesuffix("_score")


def check_column(path: str | Path, column: str, rows: Sequence[Row]) -> None:
    """Raises a ValueError if no row has the column."""
    if column not in (names := column_names(rows)):
        raise ValueError(f"{path}: expected a column, got {column!r}; the file has {', '.join(names)}")


def negate(scores_by_set: Iterable[dict[str, list[float]]], names: Sequence[str]) -> list[str]:
    """Negates, in place, the scores where lower is better; returns their titles.

    Args:
        scores_by_set: title to scores, for each test set.
        names: titles, or `all`.

    Raises:
        ValueError: no scores have that name.
    """
    every = list(scores_by_set)
    titles = list(dict.fromkeys(title for scores in every for title in scores))
    unknown = [name for name in names if name not in (*titles, "all")]
    if unknown:
        raise ValueError(f"no scores are called {', '.join(unknown)}, only {', '.join(titles)}")
    negated = [title for title in titles if title in names or "all" in names]
    for scores in every:
        for title in negated:
            if title in scores:
                scores[title] = [-value for value in scores[title]]
    return negated


def column_names(rows: Sequence[Row]) -> list[str]:
    """The columns that any row has, in order of first appearance."""
    return list(dict.fromkeys(name for row in rows for name in row.values))


def finite_number(row: Row, column: str) -> float:
    """The finite number in a column; for anything else a ValueError that names the row."""
    value = row.values.get(column)
    if isinstance(value, bool):
        raise ValueError(f"{row.where}: expected a number in {column!r}, got {value}")
    return number_of(value, column, row)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and parse_number(value) is not None
