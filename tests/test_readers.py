"""Every reader of a user's file: damage raises an error that names file and line, and stories are read completely."""

import gzip
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openmeva.spaces.tables import read_upload
from openmeva.training.paths import ROOT
from tests.every_reader import READERS, Reader, entries

every_reader = pytest.mark.parametrize("reader", READERS.values(), ids=READERS)


def error_message(reader: Reader, path: Path) -> str:
    """The message of the `ValueError` (or missing-file error) raised by reading; it names the file."""
    with pytest.raises((ValueError, OSError)) as caught:
        list(reader.read(path))
    message = str(caught.value)
    assert type(caught.value) is not UnicodeDecodeError, message
    named = "The file" if reader.read is read_upload else str(path)
    assert named in message, message
    return message


@every_reader
def test_valid_file_is_read_completely(reader: Reader, tmp_path: Path) -> None:
    assert len(list(reader.read(reader.write(tmp_path, reader.bytes())))) == 3
    if reader.packed:
        packed = replace(reader, name=f"{reader.name}.gz")
        assert len(list(reader.read(packed.write(tmp_path, gzip.compress(reader.bytes()))))) == 3
    if not reader.whole:
        crlf = reader.bytes().replace(b"\n", b"\r\n")
        assert len(list(reader.read(reader.write(tmp_path, crlf)))) == 3


@every_reader
def test_empty_binary_or_missing_file_is_reported(reader: Reader, tmp_path: Path) -> None:
    for content in (b"", b"\n", bytes(range(256)) * 40, b"\x89PNG\r\n\x1a\n\0\0"):
        error_message(reader, reader.write(tmp_path, content))
    (tmp_path / reader.name).unlink(missing_ok=True)
    if reader.read is read_upload:
        return
    with pytest.raises((ValueError, OSError), match=tmp_path.name):  # no such file
        list(reader.read(tmp_path / reader.name))
    (tmp_path / reader.name).mkdir()
    with pytest.raises((ValueError, OSError), match=tmp_path.name):
        list(reader.read(tmp_path / reader.name))


@every_reader
def test_damaged_gzip_is_reported(reader: Reader, tmp_path: Path) -> None:
    whole = gzip.compress(reader.bytes(), mtime=0)
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 255
    for content in (
        whole[:-20],
        whole[:15],
        bytes(flipped),
        whole[:2] + b"\1" + whole[3:],
        whole[:-8] + bytes(8),
    ):
        error_message(reader, reader.write(tmp_path, content))
    if reader.packed:
        error_message(reader, replace(reader, name=f"{reader.name}.gz").write(tmp_path, reader.bytes()))


@pytest.mark.usefixtures("no_collection")
@every_reader
def test_invalid_line_is_reported(reader: Reader, tmp_path: Path) -> None:
    """Latin-1 and invalid rows as the second row, whose line the message names."""
    index = reader.first + 1
    before, after = reader.lines[:index], reader.lines[index + 1 :]
    latin = reader.lines[index].encode() + b"caf\xe9"
    for bad in (latin, *(line.encode() for line in reader.bad)):
        lines = [*(line.encode() for line in before), bad, *(line.encode() for line in after)]
        if reader.whole and bad != latin:
            lines = [bad]
        message = error_message(reader, reader.write(tmp_path, b"\n".join(lines) + b"\n"))
        assert len(message) < 600
        if not (reader.whole and bad != latin):
            named = (f"line {index + 1}", f"row {index + 1}", "sheet 2", "story 2")
            assert any(name in message for name in named), message


@pytest.mark.parametrize("changes", [{"text": None}, {"score": [1, 2, 3, 4, float("nan")]}, {"score": None}])
def test_invalid_entry_of_mans_is_reported(changes: dict[str, Any], tmp_path: Path) -> None:
    reader = replace(READERS["mans"], lines=entries(**changes))
    assert "entry 7" in error_message(reader, reader.write(tmp_path, reader.bytes()))


@pytest.mark.parametrize(
    "folder", ["corpora", "judged", "negatives", "grammar", "ruber_bert", "plot_guided/plots"]
)
def test_corpus_packages_open_files_only_with_shared_readers(folder: str) -> None:
    """They use `training.files`, whose readers are tested above."""
    for path in (ROOT / "training" / folder).rglob("*.py"):
        calls = re.findall(
            r"\bopen\(|read_text\(|read_table\(|read_csv\(|gzip\.", path.read_text(encoding="utf-8")
        )
        assert not calls or path.name == "storyer.py", f"{path}: {calls}"  # a pickle, see test_supply
