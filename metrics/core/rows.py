"""Reads rows of JSONL, CSV, TSV, Parquet and plain text files, each also gzipped."""

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from openmeva.metrics.core.files import display_name, numbered_lines, open_decompressed
from openmeva.metrics.core.first_line import table_kind, why_no_text
from openmeva.metrics.core.formulas import unguard_formula

_ARRAY = " (a JSON array; write one object per line)"
KINDS = ("jsonl", "csv", "tsv", "parquet", "txt")
ENDINGS = {"jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "csv": "csv", "tsv": "tsv"}
ENDINGS |= {"parquet": "parquet", "txt": "txt", "text": "txt"}
_LONGEST_CELL = 2**31 - 1


class Row(NamedTuple):
    """A row of a file.

    Attributes:
        number: its line number (of a table's row of several lines, that of the last); in Parquet its row
            number, from 1.
        where: its name in error messages.
        values: by column.
        is_plain_text: whether it is a line of plain text, stored as `story`.
    """

    number: int
    where: str
    values: dict[str, Any]
    is_plain_text: bool = False

    def has(self, column: str) -> bool:
        """Whether the row has a value in a column: neither null nor empty.

        >>> row = Row(1, "line 1", {"story": "Ann ran.", "prompt": ""})
        >>> row.has("story"), row.has("prompt")
        (True, False)
        """
        return self.values.get(column) not in (None, "")


def kind_of(path: str | Path) -> str | None:
    """The kind of a file by its ending, `.gz` ignored; None if the ending is unknown.

    >>> kind_of("a.JSONL.gz"), kind_of("-")
    ('jsonl', None)
    """
    name = Path(path).name.lower().removesuffix(".gz")
    return ENDINGS.get(name.rpartition(".")[2]) if "." in name else None


def read_rows(
    path: str | Path,
    kind: str | None = None,
    on_bad_line: Callable[[str], None] | None = None,
) -> Iterator[Row]:
    """Yields the rows of a file, or of standard input (`-`).

    Args:
        path: JSONL; CSV or TSV with a heading; Parquet; or text, whose lines become `{"story": line}`. Gzipped files
            are decompressed.
        kind: one of `KINDS`; default: by the ending, else by the first line that is not blank: JSONL if it begins with
            `{`, CSV or TSV if it is a heading with a column `story`, else text.
        on_bad_line: called, instead of raising an error, with the message of each line that is not a JSON object, is
            not UTF-8 (except in tables), has another number of cells than the heading, or is blank (in a text).

    Raises:
        OSError: no such file.
        ValueError: an unknown kind; a damaged file, or (without `on_bad_line`) one without rows; a heading
            with a column twice; a line that is not UTF-8, not a JSON object, nested too deeply, blank (before a
            story of a text), or has another number of cells than the heading (file and line are named).
    """
    check_kind(kind)
    empty = True
    with open_decompressed(path) as content:
        for row in parse_rows(content, display_name(path), kind or kind_of(path), on_bad_line):
            empty = False
            yield row
    if empty and on_bad_line is None:
        raise ValueError(f"{display_name(path)}: expected at least one row, got none")


def check_kind(kind: str | None) -> None:
    """Raises a ValueError for a format that is neither None nor one of `KINDS`."""
    if kind not in (None, *KINDS):
        raise ValueError(f"expected a format among {', '.join(KINDS)}, got {kind!r}")


def parse_rows(
    content: BinaryIO,
    name: str,
    kind: str | None,
    on_bad_line: Callable[[str], None] | None = None,
) -> Iterator[Row]:
    """As `read_rows`, from an open binary stream, called `name` in error messages."""
    if kind == "parquet":
        yield from parquet_rows(content, name, on_bad_row=on_bad_line)
        return

    def refuse(error: ValueError) -> None:
        if on_bad_line is None:
            raise error
        on_bad_line(str(error))

    def refuse_line(error: ValueError) -> None:
        if kind in ("csv", "tsv"):  # it may be part of a row
            raise error
        refuse(error)

    lines = numbered_lines(content, name, kind in ("csv", "tsv"), refuse_line)
    if kind is None:
        begin = list(_through_first_text(lines))
        first = begin[-1][1] if begin else ""
        kind = "jsonl" if first.lstrip().startswith("{") else table_kind(first)
        if kind == "txt" and (why := why_no_text(first)):
            raise ValueError(
                f"{name}, line {begin[-1][0]}: expected stories, got {why}: name the format ({', '.join(KINDS)})"
            )
        lines = chain(begin, lines)
    if kind in ("csv", "tsv"):
        yield from _table_rows(lines, name, "," if kind == "csv" else "\t", refuse)
        return
    if kind == "txt":
        yield from _text_rows(lines, name, refuse)
        return
    for number, line in lines:
        if not line.strip():
            continue
        label = f"{name}, line {number}"
        try:
            values = parse_object(line, label)
        except ValueError as error:
            refuse(error)
        else:
            yield Row(number, label, values)


def _text_rows(
    lines: Iterator[tuple[int, str]], name: str, refuse: Callable[[ValueError], None]
) -> Iterator[Row]:
    blank: list[int] = []  # refused once a story follows: rows would no longer be numbered like lines
    for number, line in lines:
        if not line.strip():
            blank.append(number)
            continue
        for earlier in blank:
            refuse(ValueError(f"{name}, line {earlier}: expected a story, got a blank line"))
        blank.clear()
        yield Row(number, f"{name}, line {number}", {"story": line}, True)


def _through_first_text(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines up to the first that is not blank."""
    for number, line in lines:
        yield number, line
        if line.strip():
            return


class _RepeatedKeyError(ValueError):
    """A JSON object with a key twice."""


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, which must not have a key twice: all values but the last would be lost."""
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _RepeatedKeyError(f"expected each key once, got {twice[:60]!r} again")
    return values


def parse_object(text: str, label: str) -> dict[str, Any]:
    """Parses a JSON object; raises a ValueError that begins with `label` for anything else."""
    try:
        value = json.loads(text, object_pairs_hook=_each_key_once)
    except _RepeatedKeyError as error:
        raise ValueError(f"{label}: {error}") from error
    except (ValueError, RecursionError) as error:
        hint = _ARRAY if text.startswith("[") else ""
        hint = " (nested too deeply)" if isinstance(error, RecursionError) else hint
        raise ValueError(f"{label}: expected a JSON object, got {text[:60]!r}{hint}") from error
    if not isinstance(value, dict):
        hint = _ARRAY if isinstance(value, list) else ""
        raise ValueError(f"{label}: expected a JSON object, got {text[:60]!r}{hint}")
    return value


def text_of(row: Row, column: str = "story") -> str:
    """The text in a column of a row, unchanged.

    Raises:
        ValueError: the column is missing or not a string.
    """
    if column not in row.values:
        columns = ", ".join(map(repr, row.values)) or "none"
        raise ValueError(f"{row.where}: expected a field {column!r}, got {columns:.200}")
    value = row.values[column]
    if not isinstance(value, str):
        raise ValueError(f"{row.where}: expected a text in the field {column!r}, got {value!r:.60}")
    return value


def _table_rows(
    lines: Iterator[tuple[int, str]], name: str, separator: str, refuse: Callable[[ValueError], None]
) -> Iterator[Row]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader((f"{line}\n" for _, line in lines), delimiter=separator, strict=True)
    heading: list[str] | None = None
    begin = 1
    try:
        for cells in reader:
            label, begin = f"{name}, line {reader.line_num}", reader.line_num + 1
            if not cells:
                continue
            if heading is None:
                heading = cells = [unguard_formula(name) for name in cells]
                twice = [name for name, count in Counter(cells).items() if count > 1]
                if len(cells) == 1 and (";" in cells[0] or "\t" in cells[0]):
                    raise ValueError(
                        f"{label}: expected columns separated by {separator!r}, got {cells[0][:60]!r}: save the table "
                        "with commas, or with tabs as .tsv"
                    )
                if twice:
                    raise ValueError(f"{label}: expected each column once, got {twice[0][:60]!r} again")
                continue
            if len(cells) != len(heading):
                counted = f"expected {len(heading)} cells as in the heading, got {len(cells)}"
                refuse(ValueError(f"{label}: {counted}"))
                continue
            yield Row(reader.line_num, label, dict(zip(heading, map(unguard_formula, cells), strict=True)))
    except csv.Error as error:
        # a quote that is not closed takes in all lines after it
        reaches = f"; the row reaches line {reader.line_num}" if reader.line_num > begin else ""
        raise ValueError(f"{name}, line {begin}: expected a table of cells ({error}{reaches})") from error


def parquet_rows(
    content: BinaryIO,
    name: str,
    at_once: int = 1000,
    on_bad_row: Callable[[str], None] | None = None,
) -> Iterator[Row]:
    """Yields the rows of an open Parquet file, `at_once` of them in memory; errors call the file `name`.

    Args:
        on_bad_row: called, instead of raising an error, with the message of each row with a text that is not UTF-8.

    Raises:
        ValueError: not a Parquet file, a damaged one, one with a column twice, or (without `on_bad_row`) a text that is
            not UTF-8 (the row is named).
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        # its end is read first; a gzipped file would be decompressed again for each backward seek
        seekable = content.seekable() and not isinstance(content, gzip.GzipFile)
        file = content if seekable else io.BytesIO(content.read())
        table = pq.ParquetFile(file)
        if twice := [name for name, count in Counter(table.schema_arrow.names).items() if count > 1]:
            raise ValueError(f"{name}: expected each column once, got {twice[0][:60]!r} again")
        for batch in table.iter_batches(batch_size=at_once):
            for values in _row_values(batch):
                number += 1
                where = f"{name}, row {number}"
                if isinstance(values, dict):
                    yield Row(number, where, values)
                elif on_bad_row is None:
                    raise ValueError(f"{where}: expected UTF-8, got {values.object[:60]!r}")
                else:
                    on_bad_row(f"{where}: expected UTF-8, got {values.object[:60]!r}")
    except (pa.ArrowException, OSError, OverflowError) as error:  # the last: a date that Python lacks
        if isinstance(error, OSError) and error.errno:  # not about the content
            raise
        raise ValueError(f"{name} is damaged or no Parquet file: {error}") from error


def _row_values(batch: Any) -> Iterator[dict[str, Any] | UnicodeDecodeError]:
    """The rows of an Arrow batch; an error for each with a text that is not UTF-8, which Arrow does not check."""
    try:
        yield from batch.to_pylist()
    except UnicodeDecodeError as error:
        if batch.num_rows == 1:
            yield error
        else:
            for index in range(batch.num_rows):
                yield from _row_values(batch.slice(index, 1))
