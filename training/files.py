"""Reading and writing files. The parts that metrics need are in `metrics/core`, which does not depend on this package.

A file is written under a temporary name and renamed, so it is never seen incomplete. Only `\\n` ends a line.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from openmeva.metrics.core.files import (
    STANDARD_STREAM,
    atomic_replace,
    checksum,
    read_json,
    read_lines,
    write_text,
)
from openmeva.metrics.core.rows import Row, kind_of, read_rows, text_of
from openmeva.metrics.core.writing import json_line, write_rows

if TYPE_CHECKING:  # most users of this module need neither pyarrow nor torch
    import pyarrow as pa
    from torch import Tensor

__all__ = [
    "STANDARD_STREAM",
    "Row",
    "atomic_replace",
    "check_finite",
    "checksum",
    "json_line",
    "kind_of",
    "read_json",
    "read_lines",
    "read_rows",
    "save_tensors",
    "text_of",
    "write_rows",
    "write_table",
    "write_text",
]


def check_finite(path: str | Path, tensors: "Mapping[str, Tensor]") -> None:
    """Checks weights before they are written to `path`.

    Raises:
        ValueError: values that are not finite, as after a training that diverged.
    """
    import torch

    if bad := [name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()]:
        raise ValueError(
            f"{path}: not written, because {len(bad)} of {len(tensors)} tensors are not finite, first {bad[0]}. If a "
            "training diverged, try a lower learning_rate"
        )


def save_tensors(path: str | Path, tensors: "dict[str, Tensor]") -> None:
    """Writes a safetensors file atomically; a new file is readable by everyone.

    Raises:
        ValueError: values that are not finite, as after a training that diverged; an earlier file is kept.
        OSError: the disk is full; an earlier file is kept.
    """
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    check_finite(path, tensors)
    with atomic_replace(path) as temporary:
        try:
            save_file(tensors, temporary, metadata={"format": "pt"})
        except SafetensorError as error:
            raise OSError(f"{path}: not written: {error}") from error
        temporary.chmod(0o644)


def write_table(path: str | Path, table: "pa.Table") -> None:
    """Writes a Parquet file atomically."""
    import pyarrow.parquet as pq

    with atomic_replace(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
