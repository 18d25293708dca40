"""The columns passed to a metric, and errors about them in terms of the input's rows and columns."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from openmeva.metrics.core.contexts import begins_with_context
from openmeva.metrics.core.description import read_metrics
from openmeva.metrics.core.inputs import RowError
from openmeva.metrics.core.rows import text_of
from openmeva.training.common.fields import column_of, field_of
from openmeva.training.files import Row, read_rows

COLUMNS = {"story": "predictions", "context": "contexts", "reference": "references"}
_NAMED = {"context": "'context' or 'prompt'", "reference": "'reference'"}


def read_stories(path: str | Path, kind: str | None = None) -> list[Row]:
    """The rows of a file of stories, read by `read_rows`; each has a text in `story`.

    `field_of` gives their contexts and references.

    Raises:
        ValueError: a damaged file, a row without a text in `story` (its line is named), or no rows.
    """
    rows = list(read_rows(path, kind))
    for row in rows:
        if not text_of(row).strip():
            raise ValueError(f"{row.where}: expected a text in 'story', got a blank one")
    return rows


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The columns of rows as arguments of a metric's `compute`: those in all rows, by `field_of`.

    If only some rows have a context, that of the others is blank.

    >>> columns_of([{"story": "He ran.", "prompt": "Tell me."}, {"story": "She sang.", "prompt": None}])
    {'predictions': ['He ran.', 'She sang.'], 'contexts': ['Tell me.', '']}
    """
    columns = {column: [field_of(row, field) for row in rows] for field, column in COLUMNS.items()}
    if any(context is not None for context in columns["contexts"]):
        columns["contexts"] = ["" if context is None else context for context in columns["contexts"]]
    return {
        column: values for column, values in columns.items() if all(value is not None for value in values)
    }


def metric_inputs(
    rows: Sequence[Mapping[str, Any]], metric: str, in_story: bool | None = None
) -> dict[str, list[Any]]:
    """The columns that are passed to a metric; contexts are omitted if the stories already begin with them.

    Otherwise a metric that joins both would read the beginning twice. A metric that requires contexts keeps them. If only
    some stories begin with their context, these keep their text and get a blank context: each story is passed as it
    would be by itself.

    Args:
        rows: rows with `story` and optionally `context` and `reference`.
        metric: the metric's name.
        in_story: whether all stories include their context; None: the result of `all_begin` for these rows.
    """
    columns = columns_of(rows)
    described = read_metrics().get(metric)
    if "contexts" not in columns or (described is not None and "contexts" in described.required):
        return columns
    pairs = list(zip(columns["predictions"], columns["contexts"], strict=True))
    if all_begin(pairs) if in_story is None else in_story:
        del columns["contexts"]
        return columns
    columns["contexts"] = ["" if begins_with_context(story, context) else context for story, context in pairs]
    return columns


def all_begin(pairs: Iterable[tuple[Any, Any]]) -> bool:
    """Whether every story begins with its context, given pairs (story, context).

    >>> all_begin([("Ben ran. He fell.", "Ben ran."), ("Ann sang.", "")])
    False
    """
    return all(begins_with_context(story, context) for story, context in pairs)


def required_fields(metrics: Iterable[str], found: Collection[str] = ()) -> list[str]:
    """Those of `context` and `reference` of which every row needs a text.

    These are the fields that a metric requires, and `reference` if some rows have one and a metric takes it: unlike an
    optional context, a reference cannot be blank.

    Args:
        metrics: names.
        found: fields that some rows have.

    >>> required_fields(["union", "overlap"], ["context"]), required_fields(["ruber_bert"], ["reference"])
    (['reference'], ['context', 'reference'])
    """
    known = read_metrics()
    described = [known[name] for name in metrics if name in known]
    required = {column for metric in described for column in metric.required}
    if "reference" in found and any("references" in metric.columns for metric in described):
        required.add("references")
    return [field for field, column in COLUMNS.items() if column in required]


def missing_text(row: Mapping[str, Any], fields: Iterable[str], names: Collection[str]) -> str:
    """Why a row is refused that lacks a text in one of these fields; empty if it has all of them.

    Args:
        row: by column.
        fields: from `required_fields`.
        names: of the input's columns.

    >>> missing_text({"story": "He ran.", "prompt": None}, ["context"], ["story", "prompt"])
    "expected a text in 'prompt', got None"
    """
    for field in fields:
        value = field_of(row, field)
        if value is None or (isinstance(value, str) and not value.strip()):
            got = "None" if value is None else "a blank one"
            return f"expected a text in {column_of(names, field) or field!r}, got {got}"
    return ""


def check_rows(rows: Sequence[Row], metrics: Sequence[str], name: str) -> None:
    """Refuses rows without the texts that metrics require.

    Args:
        rows: as read.
        metrics: names.
        name: of the input in error messages.

    Raises:
        ValueError: no column for a required field, or a row without a text in it (its line is named).
    """
    names = list(dict.fromkeys(column for row in rows for column in row.values))
    for metric in metrics:
        for field in required_fields([metric]):
            if column_of(names, field) is None:
                raise ValueError(
                    f"{name}: {metric} needs a column {_NAMED[field]}, got {', '.join(names):.200}"
                )
    found = [field for field in COLUMNS if any(field_of(row.values, field) is not None for row in rows)]
    fields = required_fields(metrics, found)
    for row in rows:
        if reason := missing_text(row.values, fields, names):
            raise ValueError(f"{row.where}: {reason}")


def check_fields(metrics: Sequence[str], found: Collection[str]) -> None:
    """Raises a ValueError if a metric requires one of `context` and `reference` that no row has."""
    for metric in metrics:
        for field in required_fields([metric]):
            if field not in found:
                raise ValueError(f"{metric} needs a column {_NAMED[field]} with texts, got none in any row")


@contextmanager
def rows_named(rows: Sequence[Row]) -> Iterator[None]:
    """In errors of a metric, gives the place of a row in its file instead of its index in a column of `compute`.

    Args:
        rows: those passed to the metric, in order.

    >>> with rows_named([Row(7, "a.csv, line 7", {"story": "He ran.", "prompt": 3})]):
    ...     raise RowError("contexts", 0, "expected a string, got int (3)")
    Traceback (most recent call last):
    ...
    ValueError: a.csv, line 7, column 'prompt': expected a string, got int (3)
    """
    try:
        yield
    except RowError as error:
        row, field = rows[error.row], next(name for name in COLUMNS if COLUMNS[name] == error.column)
        column = "" if field == "story" else f", column {column_of(row.values, field) or field!r}"
        raise ValueError(f"{row.where}{column}: {error.reason}") from error
