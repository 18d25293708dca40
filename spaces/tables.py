"""Reads uploaded rows within limits, and writes results as CSV or JSON lines; spreadsheet formulas are escaped."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from openmeva.metrics.core.inputs import without_surrogates_in
from openmeva.metrics.core.rows import Row, kind_of, parquet_rows, parse_rows
from openmeva.metrics.core.writing import json_line
from openmeva.spaces.limits import MAX_CELL_CHARACTERS, MAX_SCORES, check_size

TYPES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}
DECODED_ROWS = 16  # rows of a Parquet file that are decoded at once
TOO_LONG = (
    f"The file has more than {MAX_CELL_CHARACTERS // 1_000_000} million characters; please give fewer rows, or use the metrics on "
    "your own machine."
)
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_list_view, pa.types.is_large_list_view)
READABLE_ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet", ".txt")
"""File extensions that an upload field accepts."""


def read_upload(path: str | Path) -> list[dict[str, Any]]:
    """Rows of an uploaded file, which is then deleted.

    CSV and TSV have a header; each line of a .txt file is a `story`.

    Raises:
        ValueError: a file that is too large, of another type, not UTF-8, or has an invalid line (with its number).
    """
    path = Path(path)
    try:
        check_size(path.stat().st_size)
        return read_rows(path.name, path.read_bytes())
    finally:
        path.unlink(missing_ok=True)


def read_uploads(*paths: Path) -> list[list[dict[str, Any]]]:
    """Rows of each of Gradio's uploads, which are then deleted together with their folders.

    Uploads with the same bytes and name are one file. Errors as `read_upload`.
    """
    try:
        rows = {path: read_upload(path) for path in dict.fromkeys(paths)}
        return [rows[path] for path in paths]
    finally:
        for path in paths:
            path.unlink(missing_ok=True)
            with suppress(OSError):  # the folder may have the same bytes under another name
                path.parent.rmdir()


def read_rows(name: str, content: bytes) -> list[dict[str, Any]]:
    """Rows of a file's bytes; the extension of `name`, one of `READABLE_ENDINGS`, tells its type. Errors as `read_upload`."""
    check_size(len(content))
    kind = kind_of(name)
    if kind is None or name.lower().endswith(".gz"):
        raise ValueError(
            f"Please give a file that ends in {', '.join(READABLE_ENDINGS)}, not .{name.lower().rsplit('.', 1)[-1][:20]}."
        )
    file = io.BytesIO(content)
    if kind == "parquet":
        _check_unpacked(file)
        unchecked = parquet_rows(file, "The file", at_once=DECODED_ROWS)
    else:
        unchecked = parse_rows(file, "The file", kind)
    rows = list(_bounded(unchecked))
    if not rows:
        raise ValueError("The file has no rows.")
    return rows


def _check_unpacked(file: BinaryIO) -> None:
    """Raises a `ValueError` for a Parquet file that is too large unpacked: by its metadata, or by the length of its texts.

    Millions of equal values are stored in a few bytes, and one row may hold them all in a list. So texts are first read
    as indices of a dictionary. A column whose size would only be known once it is decoded is refused.
    """
    with suppress(pa.ArrowException, OSError):  # reading the file reports the error
        packed = pq.ParquetFile(file)
        metadata = packed.metadata
        groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
        size = sum(group.total_byte_size for group in groups)
        columns = [packed.schema.column(index) for index in range(len(packed.schema))]
        values = sum(
            group.column(index).num_values * max(column.length, 1)  # bytes of a value of fixed length
            for group in groups
            for index, column in enumerate(columns)
        )
        for field in packed.schema_arrow:
            if not _is_measurable(field.type):
                raise ValueError(
                    f"The values in the column {field.name[:60]!r} are nested in a way that is not read here; please give "
                    "texts, numbers, or lists of them."
                )
            values = max(values, metadata.num_rows * _size_if_null(field.type))
        if max(size, values) > MAX_CELL_CHARACTERS:
            raise ValueError(TOO_LONG)
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        characters = 0
        for batch in pq.ParquetFile(file, read_dictionary=texts).iter_batches(DECODED_ROWS):
            characters += sum(map(_text_bytes, batch.columns))
            if characters > 4 * MAX_CELL_CHARACTERS:  # UTF-8 has up to four bytes for a character
                raise ValueError(TOO_LONG)


def _is_measurable(kind: pa.DataType, in_list: bool = False) -> bool:
    """Whether the size of a column of this type is known before its texts are decoded.

    Within lists it is not for two types: a null list of fixed size takes the memory of a full one, and the texts of an
    extension type are not read as indices of a dictionary.
    """
    if isinstance(kind, pa.BaseExtensionType):
        return not in_list and _is_measurable(kind.storage_type)
    if pa.types.is_fixed_size_list(kind):
        return not in_list and _is_measurable(kind.value_type, True)
    if pa.types.is_struct(kind):
        return all(_is_measurable(field.type, in_list) for field in kind)
    if pa.types.is_map(kind):
        return _is_measurable(kind.key_type, True) and _is_measurable(kind.item_type, True)
    if any(is_list(kind) for is_list in _LISTS):
        return _is_measurable(kind.value_type, True)
    return not pa.types.is_nested(kind)


def _size_if_null(kind: pa.DataType) -> int:
    """The memory that a null takes, in values or bytes: items of a list of fixed size, and bytes of fixed length, all exist."""
    if isinstance(kind, pa.BaseExtensionType):
        return _size_if_null(kind.storage_type)
    if pa.types.is_struct(kind):
        return sum(_size_if_null(field.type) for field in kind)
    if pa.types.is_fixed_size_list(kind):
        return int(kind.list_size) * _size_if_null(kind.value_type)
    return int(kind.byte_width) if pa.types.is_fixed_size_binary(kind) else 1


def _text_bytes(values: pa.Array) -> int:
    """The bytes of all texts in an array of a measurable type, also in lists and structures within it."""
    if isinstance(values, pa.ExtensionArray):
        return _text_bytes(values.storage)
    if pa.types.is_dictionary(values.type):
        lengths = pc.take(pc.binary_length(values.dictionary), values.indices)
        return int(pc.sum(lengths).as_py() or 0)
    if pa.types.is_struct(values.type):
        return sum(map(_text_bytes, values.flatten()))
    if pa.types.is_map(values.type):
        return _text_bytes(values.keys) + _text_bytes(values.items)
    if pa.types.is_nested(values.type):
        return _text_bytes(values.flatten())
    return 0 if pa.types.is_primitive(values.type) else int(values.nbytes)


def _bounded(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The values of rows, within the page's limits: a small compressed file may have millions of rows.

    Raises:
        ValueError: more than `MAX_SCORES` rows or `MAX_CELL_CHARACTERS` characters.
    """
    characters = 0
    for number, row in enumerate(rows, 1):
        characters += sum(len(str(value)) for value in row.values.values())
        if number > MAX_SCORES:
            raise ValueError(
                f"The file has more than {MAX_SCORES:,} rows; please give fewer, or use the metrics on your own machine."
            )
        if characters > MAX_CELL_CHARACTERS:
            raise ValueError(TOO_LONG)
        yield without_surrogates_in(row.values)


def to_jsonl(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as JSON lines."""
    return b"".join(map(json_line, rows)).decode()


def data_link(text: str, kind: str) -> str:
    """`text` as a `data:` URL, so that no download is stored on the server; kind: csv or jsonl."""
    content = (
        "\ufeff" if kind == "csv" else ""
    ) + text  # byte order mark, by which spreadsheets detect UTF-8
    return f"data:{TYPES[kind]};charset=utf-8;base64,{base64.b64encode(content.encode(errors='replace')).decode()}"
