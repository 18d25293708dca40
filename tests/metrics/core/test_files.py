"""Files are read by line, with the line ends of their writer, and written atomically."""

import errno
import gzip
import io
import os
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.core.files import (
    STANDARD_STREAM,
    atomic_replace,
    check_writable,
    numbered_lines,
    read_json,
    read_lines,
    write_text,
)


def test_file_is_written_atomically(tmp_path: Path) -> None:
    file = tmp_path / "new" / "a.txt"
    write_text(file, "one\nß\u2028")
    assert file.read_bytes() == "one\nß\u2028".encode()
    with pytest.raises(UnicodeEncodeError):
        write_text(file, "half\ud800")
    with pytest.raises(FileNotFoundError), atomic_replace(file) as temporary:
        temporary.with_name("none").read_text()
    assert file.read_bytes() == "one\nß\u2028".encode()
    assert list(file.parent.iterdir()) == [file]


def test_file_mode_and_symlinks_are_preserved(tmp_path: Path) -> None:
    file, link = tmp_path / "there" / "a.txt", tmp_path / "link.txt"
    write_text(file, "one")
    default_mode = file.stat().st_mode & 0o777
    file.chmod(0o600)
    link.symlink_to(file)
    with atomic_replace(link) as temporary:
        temporary.write_text("two")
        assert temporary.stat().st_mode & 0o777 == 0o600
        assert temporary in file.parent.glob(".a.txt.*.tmp")  # the pattern that cleanup looks for
    assert (link.readlink(), file.read_text(), file.stat().st_mode & 0o777) == (file, "two", 0o600)
    file.chmod(0o444)
    write_text(file, "three")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("three", 0o444)
    file.unlink()
    write_text(link, "four")
    assert (link.readlink(), file.read_text(), file.stat().st_mode & 0o777) == (file, "four", default_mode)
    assert sorted(tmp_path.rglob("*")) == sorted([link, file.parent, file])


def test_pipes_are_written_directly(tmp_path: Path) -> None:
    """Tested with a pipe; devices behave the same, but are unsafe to test."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for path in (pipe, link):
        write_text(path, "one")
        assert os.read(reader, 9) == b"one"
    os.close(reader)
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path, "two")
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == sorted([pipe, link])


def test_unwritable_path_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(**_: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    file = tmp_path / "new" / "a.txt"
    check_writable(file)
    monkeypatch.setattr(tempfile, "TemporaryFile", read_only)
    with pytest.raises(ValueError, match=r"a\.txt: nothing can be written to .* \(Read-only file system\)"):
        check_writable(file)


def test_error_of_a_full_disk_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    for number, named in ((errno.ENOSPC, str(file)), (errno.EIO, None)):
        with pytest.raises(OSError, match="of a write") as raised, atomic_replace(file):
            raise OSError(number, "of a write")
        assert raised.value.filename == named


def test_two_threads_can_write_one_file(tmp_path: Path) -> None:
    barrier = threading.Barrier(2)

    def write(text: str) -> None:
        with atomic_replace(tmp_path / "a.txt") as temporary:
            temporary.write_text(text)
            barrier.wait(10)

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, ["one", "two"]))
    assert (tmp_path / "a.txt").read_text() in ("one", "two")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_end_only_at_line_feeds(pack: object, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(pack("\ufeffone\r\ntwo\u2028\x0b\n\ufefflast".encode()))  # type: ignore[operator]
    assert list(read_lines(file)) == [(1, "one"), (2, "two\u2028\x0b"), (3, "\ufefflast")]


def test_carriage_return_in_a_cell_is_kept_if_the_first_line_has_none() -> None:
    plain, dos = b'a,b\n"one\r\ntwo",3\r\n', b'a,b\r\n"one\ntwo",3\r\n'
    lines = {
        content: [line for _, line in numbered_lines(io.BytesIO(content), "x", table=True)]
        for content in (plain, dos)
    }
    assert lines == {plain: ["a,b", '"one\r', 'two",3\r'], dos: ["a,b", '"one', 'two",3']}
    assert [line for _, line in numbered_lines(io.BytesIO(plain), "x")] == ["a,b", '"one', 'two",3']


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "standard input: expected at least one line, got an empty file"),
        (b"a\nb\xff", r"standard input, line 2: expected UTF-8, got the byte 0xff; save the file as UTF-8"),
        (gzip.compress(b"a" * 99, mtime=0)[:-9], "standard input is damaged"),
    ],
)
def test_standard_input_is_named_in_errors(
    content: bytes, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    with pytest.raises(ValueError, match=said):
        list(read_lines(STANDARD_STREAM))


@pytest.mark.usefixtures("no_collection")
def test_damaged_file_is_reported_with_its_line(tmp_path: Path) -> None:
    file, packed = tmp_path / "a.json", tmp_path / "a.gz"
    file.write_text('{"a":\n1,}')
    packed.write_bytes(b"plain")
    for path, message in (
        (file, r"a\.json, line 2: expected JSON, got "),
        (packed, r"a\.gz is damaged: it is named \.gz and is not gzipped"),
        (tmp_path, r"expected a file, got a folder"),
    ):
        with pytest.raises(ValueError, match=message):
            read_json(path)
    file.write_text("[" * 100_000)
    with pytest.raises(ValueError, match=r"a\.json: expected JSON, got values nested too deeply"):
        read_json(file)
    file.write_text('\ufeff[1,\n"\u2028"]', encoding="utf-8")
    assert read_json(file) == [1, "\u2028"]
