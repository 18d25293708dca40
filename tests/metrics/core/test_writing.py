"""Outputs replace no input, and a failed write replaces nothing."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.metrics.core.rows import read_rows
from openmeva.metrics.core.writing import check_output, write_rows


def test_output_must_not_replace_any_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stories, another input, or a file from which standard input is read."""
    file = tmp_path / "a.txt"
    file.write_text("Ann ran.\n")
    check_output(file, sources=[None, tmp_path / "other.txt", "rules", "-"])
    with pytest.raises(ValueError, match="which would be lost"):
        check_output(file, sources=[tmp_path / "other.txt", tmp_path / "." / "a.txt"])
    with file.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(ValueError, match="which would be lost"):
            check_output(file, sources=["-"])
    check_output(file, sources=["-"])


def test_failed_write_keeps_the_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_rows(path, [{"story": "Ann ran."}])
    written = path.read_bytes()

    def breaking() -> Iterator[dict[str, str]]:
        yield {"story": "x"}
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        write_rows(path, breaking())
    assert path.read_bytes() == written
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_row_without_a_score_is_an_empty_line_of_a_text_file(tmp_path: Path) -> None:
    write_rows(tmp_path / "scores.txt", [{"score": score} for score in (4, None, 2.5)], column="score")
    assert (tmp_path / "scores.txt").read_text() == "4\n\n2.5\n"


@pytest.mark.parametrize("depth", [10, 40, 50, 99, 330, 700])
def test_nested_lists_can_be_read_from_parquet_again(depth: int, tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(depth):
        deep = [deep]
    write_rows(tmp_path / "a.parquet", [{"deep": deep}])
    (row,) = read_rows(tmp_path / "a.parquet")
    found = row.values["deep"]
    assert (json.loads(found) if isinstance(found, str) else found) == deep
    assert isinstance(found, str) == (depth > 44)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**64 - 1, None, 3], pa.uint64()),
        pa.array([1609459200000000001, None, 1609459200000000000], pa.timestamp("ns")),
        pa.array([1609459200000000001, None, 1609459200000000000], pa.timestamp("ns", "Europe/Berlin")),
    ],
    ids=["uint64", "ns", "ns with zone"],
)
def test_values_of_64_bits_keep_their_type_in_parquet(column: pa.Array, tmp_path: Path) -> None:
    pq.write_table(pa.table({"column": column}), tmp_path / "a.parquet")
    write_rows(tmp_path / "b.parquet", [row.values for row in read_rows(tmp_path / "a.parquet")])
    written = pq.read_table(tmp_path / "b.parquet")["column"]
    assert (written.type, written.to_pylist()) == (column.type, column.to_pylist())


def test_integers_of_no_type_become_text_in_parquet(tmp_path: Path) -> None:
    for numbers in ([2**63, -1], [2**63, 1.5], [2**64, None]):
        write_rows(tmp_path / "a.parquet", [{"number": number} for number in numbers])
        found = [row.values["number"] for row in read_rows(tmp_path / "a.parquet")]
        assert found == [None if number is None else str(number) for number in numbers]
