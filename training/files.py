"""Files are written to a temporary name and renamed, so that none is ever seen half-written."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # most users of this module need no torch
    from torch import Tensor


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`; on success it takes `path`'s place, on an error it is removed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Writes `text` as UTF-8, wholly or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def checksum(path: str | Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def save_tensors(path: str | Path, tensors: "dict[str, Tensor]") -> None:
    """Writes a safetensors file, wholly or not at all, readable by everyone."""
    from safetensors.torch import save_file

    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata={"format": "pt"})
        temporary.chmod(0o644)
