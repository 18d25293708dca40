"""Reads a user's rows and writes results as CSV or JSON lines, within limits, with formulas made harmless."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.core.rows import kind_of, parse_rows
from openmeva.metrics.core.writing import cell
from openmeva.spaces.limits import check_size

TYPES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}
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


def read_rows(name: str, content: bytes) -> list[dict[str, Any]]:
    """Rows of a file's bytes; `name` tells which of `READ` it is. Errors as `read_upload`."""
    check_size(len(content))
    kind = kind_of(name)
    if kind is None or name.lower().endswith(".gz"):
        raise ValueError(
            f"Please give a file that ends in {', '.join(READ)}, not .{name.lower().rsplit('.', 1)[-1][:20]}."
        )
    rows = [row.values for row in parse_rows(io.BytesIO(content), "The file", kind)]
    if not rows:
        raise ValueError("The file has no rows.")
    return rows


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
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def data_link(text: str, kind: str) -> str:
    """`text` as the address of a link, so that a download never lies on the server; kind: csv or jsonl."""
    content = ("\ufeff" if kind == "csv" else "") + text  # the mark by which spreadsheets know UTF-8
    return f"data:{TYPES[kind]};charset=utf-8;base64,{base64.b64encode(content.encode()).decode()}"
