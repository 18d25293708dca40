"""Reads a user's rows and writes results as CSV or JSON lines, within limits, with formulas made harmless."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from openmeva.metrics.core.rows import Row, kind_of, parquet_rows, parse_rows
from openmeva.metrics.core.writing import cell, json_line
from openmeva.spaces.limits import MAX_SCORES, MAX_UNPACKED, check_size

TYPES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}
AT_ONCE = 16  # rows of a Parquet file that are unpacked at once
TOO_LONG = (
    f"The file has more than {MAX_UNPACKED // 1_000_000} million characters; please give fewer rows, or use the metrics on "
    "your own machine."
)
READ = (".csv", ".tsv", ".jsonl", ".parquet", ".txt")
"""Endings of the files that an upload field takes."""


def read_upload(path: str | Path) -> list[dict[str, Any]]:
    """Rows of an uploaded file, which is deleted then: nothing is kept.

    CSV and TSV have a heading; a line of a .txt is a `story`.

    Raises:
        ValueError: a file too large, of another kind, not UTF-8, or with a damaged line (its number).
    """
    path = Path(path)
    try:
        check_size(path.stat().st_size)
        return read_rows(path.name, path.read_bytes())
    finally:
        path.unlink(missing_ok=True)


def read_uploads(*paths: Path) -> list[list[dict[str, Any]]]:
    """Rows of each upload of Gradio's, which are deleted then with the folders that it made for them.

    Uploads of the same bytes and name are one file. Errors as `read_upload`.
    """
    try:
        rows = {path: read_upload(path) for path in dict.fromkeys(paths)}
        return [rows[path] for path in paths]
    finally:
        for path in paths:
            path.unlink(missing_ok=True)
            with suppress(OSError):  # the same bytes may lie there by another name
                path.parent.rmdir()


def read_rows(name: str, content: bytes) -> list[dict[str, Any]]:
    """Rows of a file's bytes; `name` tells which of `READ` it is. Errors as `read_upload`."""
    check_size(len(content))
    kind = kind_of(name)
    if kind is None or name.lower().endswith(".gz"):
        raise ValueError(
            f"Please give a file that ends in {', '.join(READ)}, not .{name.lower().rsplit('.', 1)[-1][:20]}."
        )
    file = io.BytesIO(content)
    if kind == "parquet":
        _check_unpacked(file)
        found = parquet_rows(file, "The file", at_once=AT_ONCE)
    else:
        found = parse_rows(file, "The file", kind)
    rows = list(_bounded(found))
    if not rows:
        raise ValueError("The file has no rows.")
    return rows


def _check_unpacked(file: BinaryIO) -> None:
    """Raises a `ValueError` for a Parquet file that says itself that it would fill the memory."""
    with suppress(pa.ArrowException):  # reading it says what is wrong
        described = pq.ParquetFile(file).metadata
        sizes = (described.row_group(place).total_byte_size for place in range(described.num_row_groups))
        if sum(sizes) > MAX_UNPACKED:
            raise ValueError(TOO_LONG)


def _bounded(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The values of rows, as far as they are no more, and no longer, than a page takes: packed, millions may be a small file.

    Raises:
        ValueError: more than `MAX_SCORES` rows or `MAX_UNPACKED` characters.
    """
    characters = 0
    for number, row in enumerate(rows, 1):
        characters += sum(len(str(value)) for value in row.values.values())
        if number > MAX_SCORES:
            raise ValueError(
                f"The file has more than {MAX_SCORES:,} rows; please give fewer, or use the metrics on your own machine."
            )
        if characters > MAX_UNPACKED:
            raise ValueError(TOO_LONG)
        yield row.values


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV; columns in the order in which they first come up, formulas made harmless."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([cell(name) for name in columns])
    writer.writerows([cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


def to_jsonl(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as JSON lines."""
    return b"".join(map(json_line, rows)).decode()


def data_link(text: str, kind: str) -> str:
    """`text` as the address of a link, so that a download never lies on the server; kind: csv or jsonl."""
    content = ("\ufeff" if kind == "csv" else "") + text  # the mark by which spreadsheets know UTF-8
    return f"data:{TYPES[kind]};charset=utf-8;base64,{base64.b64encode(content.encode(errors='replace')).decode()}"
