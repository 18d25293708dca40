"""Files read and written in one way; what metrics need of it lies in `metrics/core`, which stands alone.

A file is written to a temporary name and renamed, so that none is ever seen half-written; a line ends at `\\n` alone.
"""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from openmeva.metrics.core.files import STANDARD, read_json, read_lines, replacing, write_text
from openmeva.metrics.core.rows import KINDS, Row, kind_of, parse_object, read_rows, text_of
from openmeva.metrics.core.writing import json_line, write_rows

if TYPE_CHECKING:  # most users of this module need no torch
    from torch import Tensor

__all__ = [
    "KINDS",
    "STANDARD",
    "Row",
    "checksum",
    "json_line",
    "kind_of",
    "parse_object",
    "read_json",
    "read_lines",
    "read_rows",
    "replacing",
    "save_tensors",
    "text_of",
    "write_rows",
    "write_text",
]


def checksum(path: str | Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def save_tensors(path: str | Path, tensors: "dict[str, Tensor]") -> None:
    """Writes a safetensors file, wholly or not at all, readable by everyone where it is new."""
    from safetensors.torch import save_file

    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata={"format": "pt"})
        temporary.chmod(0o644)
