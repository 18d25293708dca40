"""Writes rows to JSONL, CSV, TSV, Parquet and plain text files, each also gzipped, atomically."""

import csv
import gzip
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from openmeva.metrics.core.files import STANDARD_STREAM, atomic_replace, check_writable
from openmeva.metrics.core.formulas import guard_formula
from openmeva.metrics.core.rows import ENDINGS, KINDS, kind_of

MAX_DEPTH = 90  # levels that Arrow reads from a Parquet file, less those of its own


def write_rows(path: str | Path, rows: Iterable[Mapping[str, Any]], column: str = "story") -> int:
    """Writes rows to a file, atomically, or to standard output (`-`); returns their number.

    Args:
        path: its ending gives the kind, JSONL without one; with `.gz` the file is gzipped.
        rows: columns may differ from row to row. In CSV and TSV, a text that a spreadsheet would read as a formula gets
            a leading apostrophe, which `read_rows` removes (`formulas.py`). In Parquet, a column of values of several
            types, or of lists nested too deeply, becomes a column of strings.
        column: the column that a text file contains.

    Raises:
        ValueError: an unknown ending, or a text file of rows without `column`.
    """
    kind = _kind(path)
    if str(path) == STANDARD_STREAM:
        count = _WRITERS[kind](cast("BinaryIO", sys.stdout.buffer), rows, column)
        sys.stdout.buffer.flush()
        return count
    with atomic_replace(path) as temporary, _packed(temporary, str(path).lower().endswith(".gz")) as out:
        return _WRITERS[kind](out, rows, column)


def check_output(
    path: str | Path, column: str | None = "story", sources: Sequence[str | Path | None] = ()
) -> None:
    """Checks whether `write_rows` can write rows to `path`, before a long computation.

    Args:
        path: as in `write_rows`.
        column: the column that a text file would contain; None if the rows have no such column.
        sources: files that must not be replaced, such as the stories from which the rows are made; `-` is standard input,
            which may be a file.

    Raises:
        ValueError: an unknown ending, a text file for rows without such a column, the same file as one of
            `sources`, or an error of `check_writable`.
    """
    if _kind(path) == "txt" and column is None:
        raise ValueError(
            f"{path}: expected {', '.join(name for name in KINDS if name != 'txt')} for rows of several columns, got txt"
        )
    if Path(path).is_file() and any(_is_file(source, os.stat(path)) for source in sources):
        raise ValueError(f"{path}: expected another file than that of the stories, which would be lost")
    check_writable(path)


def _is_file(source: str | Path | None, file: os.stat_result) -> bool:
    """Whether a source is that file."""
    if source is None:
        return False
    if str(source) != STANDARD_STREAM:
        return Path(source).is_file() and os.path.samestat(os.stat(source), file)
    try:
        return os.path.samestat(os.fstat(sys.stdin.fileno()), file)
    except (AttributeError, OSError, ValueError):  # closed, or replaced by an object in memory
        return False


def _kind(path: str | Path) -> str:
    """The kind of file to write; errors as in `write_rows`."""
    kind = kind_of(path)
    ending = Path(str(path).lower().removesuffix(".gz")).suffix
    if kind is None and ending:
        raise ValueError(
            f"{path}: expected an ending among {', '.join(f'.{name}' for name in ENDINGS)}, or none, got {ending}"
        )
    return kind or "jsonl"


@contextmanager
def _packed(path: Path, gzipped: bool) -> Iterator[BinaryIO]:
    with path.open("wb") as file:
        if not gzipped:
            yield file
            return
        # no name and no time: equal rows give equal bytes
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast("BinaryIO", packed)


def json_line(row: Mapping[str, Any]) -> bytes:
    """A row as a line of JSON in UTF-8; lone surrogates stay escaped; dates and the like become strings."""
    try:
        return (json.dumps(row, ensure_ascii=False, default=str) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(row, default=str) + "\n").encode()


def _write_jsonl(out: BinaryIO, rows: Iterable[Mapping[str, Any]], column: str) -> int:
    count = 0
    for row in rows:
        out.write(json_line(row))
        count += 1
    return count


def _write_txt(out: BinaryIO, rows: Iterable[Mapping[str, Any]], column: str) -> int:
    count = 0
    for row in rows:
        count += 1
        if column not in row:
            raise ValueError(f"row {count}: expected {column!r}, which a text file holds, got {sorted(row)}")
        value = "" if row[column] is None else str(row[column])  # a story without a score has an empty line
        text = " ".join(value.replace("\r", "\n").split("\n"))
        out.write(f"{text}\n".encode(errors="replace"))
    return count


def _write_table(separator: str) -> Callable[[BinaryIO, Iterable[Mapping[str, Any]], str], int]:
    def write(out: BinaryIO, rows: Iterable[Mapping[str, Any]], column: str) -> int:
        all_rows = list(rows)
        columns = list(dict.fromkeys(name for row in all_rows for name in row))
        for row in ({name: name for name in columns}, *all_rows):
            out.write(_table_line([row.get(name) for name in columns], separator).encode(errors="replace"))
        return len(all_rows)

    return write


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as the text of a CSV file, as `write_rows` writes it."""
    out = io.BytesIO()
    _write_table(",")(out, rows, "")
    return out.getvalue().decode()


def _table_line(values: Sequence[Any], separator: str) -> str:
    text = io.StringIO(newline="")
    # this terminator, so that cells with either of its characters are quoted
    csv.writer(text, delimiter=separator, lineterminator="\r\n").writerow(map(to_cell, values))
    return text.getvalue().removesuffix("\r\n") + "\n"


def to_cell(value: Any) -> Any:
    """The table cell of a value: lists and mappings as JSON, empty for None, formulas guarded (`guard_formula`)."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return guard_formula(value) if isinstance(value, str) else "" if value is None else value


def _write_parquet(out: BinaryIO, rows: Iterable[Mapping[str, Any]], column: str) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    all_rows = [dict(row) for row in rows]
    columns = list(dict.fromkeys(name for row in all_rows for name in row))
    arrays = [_array([row.get(name) for row in all_rows]) for name in columns]
    pq.write_table(pa.Table.from_arrays(arrays, names=columns), out, compression="zstd")
    return len(all_rows)


def _array(values: Sequence[Any]) -> Any:
    """A Parquet column; values of no Parquet type (mixed types, empty objects, nested too deeply) become strings."""
    import pyarrow as pa

    try:
        array = _inferred(values)
        if parquet_depth(array.type) <= MAX_DEPTH and not has_empty_struct(array.type):
            return array
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        pass
    return string_column(values)


def _inferred(values: Sequence[Any]) -> Any:
    """The values in the type that Arrow infers, or in a wider one that keeps unsigned integers and nanoseconds."""
    import pyarrow as pa

    try:
        array = pa.array(values)
    except OverflowError:
        if not all(value is None or type(value) is int for value in values):  # a fraction would be cut
            raise
        return pa.array(values, pa.uint64())
    if pa.types.is_timestamp(array.type) and any(getattr(value, "nanosecond", 0) for value in values):
        return pa.array(values, pa.timestamp("ns", array.type.tz))
    return array


def string_column(values: Sequence[Any]) -> Any:
    """A Parquet column of strings: the table cells of the values (`to_cell`), null for None."""
    import pyarrow as pa

    texts = (value if value is None or isinstance(value, str) else to_cell(value) for value in values)
    encoded = [text if text is None else f"{text}".encode(errors="replace").decode() for text in texts]
    return pa.array(encoded, pa.string())


def parquet_depth(kind: Any) -> int:
    """Number of levels that an Arrow type takes in a Parquet schema; a list takes two."""
    import pyarrow as pa

    deepest, open_kinds = 0, [(kind, 0)]
    while open_kinds:  # no recursion, for which a type may be too deep
        outer, above = open_kinds.pop()
        is_list = (
            pa.types.is_list(outer) or pa.types.is_large_list(outer) or pa.types.is_fixed_size_list(outer)
        )
        depth = above + (2 if is_list else 1)
        deepest = max(deepest, depth)
        open_kinds += [(outer.field(index).type, depth) for index in range(outer.num_fields)]
    return deepest


def has_empty_struct(kind: Any) -> bool:
    """Whether an Arrow type is, or contains, a struct without fields, which Parquet cannot store."""
    import pyarrow as pa

    inner = [kind.field(index).type for index in range(kind.num_fields)]
    return (pa.types.is_struct(kind) and not inner) or any(map(has_empty_struct, inner))


_WRITERS = {
    "jsonl": _write_jsonl,
    "csv": _write_table(","),
    "tsv": _write_table("\t"),
    "parquet": _write_parquet,
    "txt": _write_txt,
}
