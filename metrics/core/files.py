"""Reads files by line and writes them atomically. A line ends only at `\\n`.

Other characters that Python counts as line ends (U+2028, vertical tabs, …) occur within stories.
"""

import codecs
import errno
import gzip
import hashlib
import io
import json
import os
import secrets
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

STANDARD_STREAM = "-"
"""The name of standard input or output."""
ADAPTER, FULL_MODEL = "adapter.safetensors", "model.safetensors"
"""Names of a checkpoint's weights: with a base, which it changes, or on their own."""
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GZIP_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile)


def user_cache() -> Path:
    """The user's cache of this project: `$OPENMEVA_CACHE`, else `openmeva` in `$XDG_CACHE_HOME` or `~/.cache`."""
    variable = os.environ.get("OPENMEVA_CACHE")
    if variable:
        return Path(variable).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "openmeva"


@contextmanager
def atomic_replace(path: str | Path) -> Iterator[Path]:
    """A temporary path next to `path`; on success it replaces `path`, on an error it is removed.

    An existing file keeps its mode. If `path` is a symbolic link, its target is replaced. If `path` is a pipe or a
    device, `path` itself is yielded. An error of a full disk, which names no file where it comes from a write, names
    `path`.
    """
    if Path(path).exists() and not Path(path).is_file():
        yield Path(path)
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    try:
        if mode is not None:
            temporary.touch(0o600)  # a private file is private from its first byte
        yield temporary
        if mode is not None:
            temporary.chmod(mode)
        os.replace(temporary, path)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT) and error.filename is None:
            error.filename = str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def checksum(path: str | Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_text(path: str | Path, text: str) -> None:
    """Writes `text` as UTF-8, atomically."""
    with atomic_replace(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def check_writable(path: str | Path) -> None:
    """Checks whether a file can be written to `path`, before a long computation; `-` is standard output.

    Raises:
        ValueError: a folder, or a path that cannot be written to.
    """
    path = Path(path)
    if str(path) == STANDARD_STREAM or (path.exists() and not path.is_file() and not path.is_dir()):
        return
    if path.is_dir():
        raise ValueError(f"{path}: expected a file to write, got a folder")
    check_folder(Path(os.path.realpath(path)).parent, str(path))


def check_folder(folder: Path, called: str | None = None) -> None:
    """As `check_writable`, for a folder that exists or can be created.

    Raises:
        ValueError: the folder or one of its parents is a file, or it cannot be written to.
    """
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise ValueError(f"{called or folder}: expected a folder at {existing}, got a file")
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise ValueError(
            f"{called or folder}: nothing can be written to {existing} ({error.strerror})"
        ) from error


@contextmanager
def open_decompressed(path: str | Path) -> Iterator[BinaryIO]:
    """The bytes of a file, or of standard input for `-`; gzipped content is decompressed, whatever the name.

    Raises:
        OSError: no such file, or one that cannot be read.
        ValueError: a folder; a damaged or truncated gzip file, or a file named `.gz` that is not gzipped.
    """
    if str(path) == STANDARD_STREAM:
        with decompress_if_gzipped(cast("BinaryIO", sys.stdin.buffer), "standard input") as content:
            yield content
        return
    if Path(path).is_dir():
        raise ValueError(f"{path}: expected a file, got a folder")
    with Path(path).open("rb") as file, decompress_if_gzipped(file, str(path)) as content:
        yield content


@contextmanager
def decompress_if_gzipped(file: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """The bytes of an open file, decompressed if it is gzipped; errors as in `open_decompressed`."""
    buffered = file if hasattr(file, "peek") else io.BufferedReader(cast("io.RawIOBase", file))
    start = cast("io.BufferedReader", buffered).peek(len(_GZIP))[: len(_GZIP)]
    if start != _GZIP:
        if start and name.endswith(".gz"):
            raise ValueError(f"{name} is damaged: it is named .gz and is not gzipped")
        yield buffered
        return
    try:
        with gzip.open(buffered, "rb") as content:
            yield cast("BinaryIO", content)
    except _GZIP_ERRORS as error:
        raise ValueError(f"{name} is damaged: {error}") from error


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of each line of a UTF-8 file, plain or gzipped, or of standard input (`-`).

    The line end (`\\n` or `\\r\\n`) and the byte order mark that spreadsheets write first are removed.

    Raises:
        OSError: no such file.
        ValueError: a folder; a damaged gzip file; an empty file; a line that is not UTF-8 (file and number are named).
    """
    number = 0
    with open_decompressed(path) as content:
        for number, line in numbered_lines(content, display_name(path)):
            yield number, line
    if not number:
        raise ValueError(f"{display_name(path)}: expected at least one line, got an empty file")


def numbered_lines(
    content: BinaryIO, name: str, table: bool = False, refuse: Callable[[ValueError], None] | None = None
) -> Iterator[tuple[int, str]]:
    """As `read_lines`, from an open binary stream.

    Args:
        content: the bytes.
        name: of the stream in error messages.
        table: whether a line may end within a cell: if the first line ends in `\\n`, a `\\r` before the end of another
            line is part of the cell.
        refuse: called with the error of each line that is not UTF-8; unless it raises the error, the line is skipped.

    Raises:
        ValueError: a line that is not UTF-8 (its number is named), UTF-16, or an Excel workbook.
    """
    end = "\r"
    for number, line in enumerate(content, 1):
        if number == 1 and line.startswith(_ZIP):
            raise ValueError(
                f"{name}: expected text, got an Excel workbook (or another zip archive): save it as CSV (UTF-8)"
            )
        if table and number == 1 and not line.endswith(b"\r\n"):
            end = ""
        try:
            text = _decoded(line, number, name).removesuffix(end)
        except ValueError as error:
            if refuse is None or (number == 1 and line.startswith(_UTF16)):
                raise
            refuse(error)
        else:
            yield number, text


def _decoded(line: bytes, number: int, name: str) -> str:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name}, line {number}: expected UTF-8, got the byte 0x{line[error.start]:02x}; save the file as UTF-8"
        ) from error
    text = text.removesuffix("\n")
    return text.removeprefix("\ufeff") if number == 1 else text


def read_json(path: str | Path) -> Any:
    """The value of a JSON file.

    Raises:
        OSError: no such file.
        ValueError: a folder, or contents that are not UTF-8 or not JSON (file and line are named).
    """
    try:
        return json.loads("\n".join(line for _, line in read_lines(path)))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}: expected JSON, got {error.msg}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: expected JSON, got values nested too deeply") from error


def display_name(path: str | Path) -> str:
    """The name of a file in messages."""
    return "standard input" if str(path) == STANDARD_STREAM else str(path)
