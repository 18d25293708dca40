"""Splits rows into parts of bounded size, each a Parquet file, in one pass that holds one part in memory."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from openmeva.metrics.core.inputs import without_surrogates_in
from openmeva.training.common.fields import field_of
from openmeva.training.files import Row, read_json, text_of, write_table, write_text
from openmeva.training.scale.schemas import conform, from_parquet_types, merged_schema, to_parquet_types
from openmeva.training.scale.sources import Digest, Source
from openmeva.training.scoring.columns import COLUMNS, all_begin

NUMBER, WHERE = "__row__", "__where__"
"""Columns added to the input's: a row's number in the whole input, from 1, and its name in error messages."""
_MAX_NESTING = 100  # Parquet takes less, but such a row can still be shown
OPTIONAL = tuple(name for name in COLUMNS if name != "story")


@dataclass(frozen=True)
class Size:
    """Maximum size of a part: rows, and characters of all their texts."""

    rows: int = 2000
    characters: int = 8_000_000


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be processed: number from 1, name in error messages, reason, and values if any."""

    row: int
    where: str
    reason: str
    values: dict[str, Any] | None = None

    def line(self) -> str:
        """The row as a line of JSON; values that JSON cannot represent are written as text."""
        return json.dumps(asdict(self), default=str) + "\n"


BadRowCallback = Callable[[BadRow], None]
"""Called with every bad row; may raise."""


@dataclass
class InputSummary:
    """Statistics collected in the pass.

    Attributes:
        rows: number of rows, including bad ones.
        parts: number of parts.
        filled: number of rows that have a value, for each of `context` and `reference`.
        in_story: whether all stories begin with their context.
        digest: digest of the rows, for a source that has no identity of its own.
    """

    rows: int = 0
    parts: int = 0
    filled: dict[str, int] = field(default_factory=dict)
    in_story: bool = True
    digest: str = ""

    @property
    def fields(self) -> list[str]:
        """Those of `context` and `reference` that occur."""
        return [name for name in OPTIONAL if self.filled.get(name)]


class Parts:
    """Parts of an input in a folder: `part-00000.parquet` and so on, with their statistics and columns.

    Args:
        folder: created if it is missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._summary_file = folder / "facts.json"
        self._columns = folder / "columns.parquet"
        self._wide: set[str] = set()

    def summary(self) -> InputSummary | None:
        """Statistics of the pass; None if it has not been completed."""
        if not self._summary_file.is_file():
            return None
        values = read_json(self._summary_file)
        return InputSummary(**values)

    def read(self, number: int) -> pa.Table:
        """A part's rows, with the columns of the whole input."""
        table, schema = pq.read_table(self._file(number)), pq.read_schema(self._columns)
        return conform(from_parquet_types(table, schema), schema)

    def write(
        self, source: Source, size: Size, refuse: BadRowCallback, misfit: BadRowCallback
    ) -> InputSummary:
        """Reads the source once and writes its parts; they are valid after `note`.

        Args:
            source: the rows.
            size: maximum size of a part.
            refuse: called with invalid rows, in order.
            misfit: called with rows that do not fit the columns of earlier ones, in order.
        """
        summary, schema, digest = InputSummary(), source.schema, Digest(source)
        self._wide = set()
        kept: list[tuple[int, Row]] = []
        characters = 0
        bad: list[BadRow] = []

        def noted(row: BadRow) -> None:
            bad[:] = bad or [row]
            refuse(row)

        for number, row in _numbered(digest, summary, noted):
            kept.append((number, row))
            characters += _characters(row.values)
            if len(kept) >= size.rows or characters >= size.characters:
                schema = self._add(kept, schema, source.schema, summary, misfit)
                kept, characters = [], 0
        if kept:
            schema = self._add(kept, schema, source.schema, summary, misfit)
        if schema is None or not summary.parts:
            first_bad = f"; the first bad row: {bad[0].where}: {bad[0].reason}" if bad else ""
            raise ValueError(f"expected at least one story, got none{first_bad}")
        columns = [
            *to_parquet_types(schema.empty_table()).schema,
            pa.field(NUMBER, pa.int64()),
            pa.field(WHERE, pa.string()),
        ]
        write_table(self._columns, pa.schema(columns).empty_table())
        summary.digest = str(digest)
        return summary

    def note(self, summary: InputSummary) -> None:
        """Records that the pass is complete."""
        write_text(self._summary_file, json.dumps(asdict(summary)) + "\n")

    def _file(self, number: int) -> Path:
        return self.folder / f"part-{number:05d}.parquet"

    def _add(
        self,
        kept: Sequence[tuple[int, Row]],
        schema: pa.Schema | None,
        fixed: pa.Schema | None,
        summary: InputSummary,
        misfit: BadRowCallback,
    ) -> pa.Schema:
        """Writes a part, and returns the columns of all rows so far."""
        table, schema, fitting = _typed(kept, schema, fixed, misfit, self._wide)
        if not fitting:
            return schema
        rows = [row.values for _, row in fitting]
        for name in OPTIONAL:
            count = sum(field_of(row, name) is not None for row in rows)
            summary.filled[name] = summary.filled.get(name, 0) + count
        summary.in_story = summary.in_story and all_begin(
            (row["story"], str(field_of(row, "context") or "")) for row in rows
        )
        table = table.append_column(NUMBER, pa.array([number for number, _ in fitting], pa.int64()))
        table = table.append_column(WHERE, pa.array([row.where for _, row in fitting], pa.string()))
        write_table(self._file(summary.parts), to_parquet_types(table))
        summary.parts += 1
        return schema


def _numbered(source: Digest, summary: InputSummary, refuse: BadRowCallback) -> Iterator[tuple[int, Row]]:
    """Rows with a text in `story`, with their numbers from 1; the others are refused."""

    def refused(message: str) -> None:
        summary.rows += 1
        found = _PLACE.match(message)
        where, reason = (found[1], found[2]) if found else ("", message)
        refuse(BadRow(summary.rows, where, reason))

    for row in source.rows(refused):
        summary.rows += 1
        try:
            if not text_of(row).strip():
                raise ValueError(f"{row.where}: expected a text in 'story', got a blank one")
            if _is_deep(row.values):
                row = row._replace(values={})  # which could not be written as JSON
                raise ValueError(f"{row.where}: expected values nested at most {_MAX_NESTING} deep")
            if NUMBER in row.values or WHERE in row.values:
                raise ValueError(f"{row.where}: expected no column called {NUMBER} or {WHERE}")
        except ValueError as error:
            reason = str(error).removeprefix(f"{row.where}: ")
            refuse(BadRow(summary.rows, row.where, reason, row.values or None))
        else:
            yield summary.rows, row


def _typed(
    kept: Sequence[tuple[int, Row]],
    schema: pa.Schema | None,
    fixed: pa.Schema | None,
    misfit: BadRowCallback,
    wide: set[str],
) -> tuple[pa.Table, pa.Schema, Sequence[tuple[int, Row]]]:
    """A table of the rows that fit, the schema of all rows so far, and the rows in the table."""
    try:
        table = _table([row for _, row in kept], fixed)
        return table, merged_schema(schema, table, wide), kept
    except _MISFITS:
        pass
    fitting: list[tuple[int, Row]] = []
    for number, row in kept:
        plain = row._replace(values=without_surrogates_in(row.values))
        try:
            schema = merged_schema(schema, _table([plain], fixed), wide)
        except _MISFITS as error:
            misfit(BadRow(number, row.where, f"expected values that fit the columns: {error}", row.values))
        else:
            fitting.append((number, plain))
    schema = schema or pa.schema([])
    return _table([row for _, row in fitting], schema), schema, fitting


_PLACE = re.compile(r"(.*?, (?:line|row) \d+): (.*)", re.DOTALL)
_MISFITS = (pa.ArrowException, OverflowError, UnicodeEncodeError)


def _table(rows: Sequence[Row], fixed: pa.Schema | None) -> pa.Table:
    names = fixed.names if fixed else list(dict.fromkeys(name for row in rows for name in row.values))
    records = [{name: row.values.get(name) for name in names} for row in rows]
    try:
        table = pa.Table.from_pylist(records, schema=fixed)
    except OverflowError:
        if fixed:
            raise
        table = pa.table({name: _array([record[name] for record in records]) for name in names})
    for index, column in enumerate(table.schema):
        if pa.types.is_date(
            column.type
        ):  # Arrow takes the type of the first value, and drops the others' times
            values = [row.values.get(column.name) for row in rows]
            if any(isinstance(value, datetime) for value in values):
                times = [
                    value if isinstance(value, datetime | None) else _midnight(value) for value in values
                ]
                table = table.set_column(index, column.name, pa.array(times))
    return table


def _array(values: Sequence[Any]) -> pa.Array:
    """A column; integers beyond 64 bits, as ids may be, become decimals, which unify with smaller integers."""
    try:
        return pa.array(values)
    except OverflowError:
        if not all(value is None or type(value) is int for value in values):
            raise
        digits = 20 if all(abs(value or 0) < 10**20 for value in values) else 38
        return pa.array(values, pa.decimal128(digits, 0))


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def _is_deep(values: Mapping[str, Any]) -> bool:
    """Whether values are nested more deeply than `_MAX_NESTING`, found without recursion."""
    level: list[Any] = list(values.values())
    for _ in range(_MAX_NESTING):
        nested = [value for value in level if isinstance(value, list | dict)]
        level = [
            inner for value in nested for inner in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return False
    return any(isinstance(value, list | dict) for value in level)


def _characters(value: Any) -> int:
    """Number of characters of all texts in a value, also within lists and mappings."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, list) else 0
