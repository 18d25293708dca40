"""Files are read by lines that end where their writer ended them, and are written whole or not at all."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from openmeva.metrics.core.files import STANDARD, numbered_lines, read_json, read_lines, replacing, write_text


def test_a_file_is_written_whole_or_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "new" / "a.txt"
    write_text(file, "one\nß\u2028")
    assert file.read_bytes() == "one\nß\u2028".encode()
    with pytest.raises(UnicodeEncodeError):
        write_text(file, "half\ud800")
    with pytest.raises(FileNotFoundError), replacing(file) as temporary:
        temporary.with_name("none").read_text()
    assert file.read_bytes() == "one\nß\u2028".encode()
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_line_ends_at_a_line_feed_alone(pack: object, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(pack("\ufeffone\r\ntwo\u2028\x0b\n\ufefflast".encode()))  # type: ignore[operator]
    assert list(read_lines(file)) == [(1, "one"), (2, "two\u2028\x0b"), (3, "\ufefflast")]


def test_a_return_within_a_cell_stays_where_the_first_line_has_none() -> None:
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
        list(read_lines(STANDARD))


def test_a_damaged_file_is_named_with_its_line(tmp_path: Path) -> None:
    file, packed = tmp_path / "a.json", tmp_path / "a.gz"
    file.write_text('{"a":\n1,}')
    packed.write_bytes(b"plain")
    for path, said in (
        (file, r"a\.json, line 2: expected JSON, got "),
        (packed, r"a\.gz is damaged: it is named \.gz and is not gzipped"),
        (tmp_path, r"expected a file, got a folder"),
    ):
        with pytest.raises(ValueError, match=said):
            read_json(path)
    file.write_text("[" * 100_000)
    with pytest.raises(ValueError, match=r"a\.json: expected JSON, got values nested too deeply"):
        read_json(file)
    file.write_text('\ufeff[1,\n"\u2028"]', encoding="utf-8")
    assert read_json(file) == [1, "\u2028"]
