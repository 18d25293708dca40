"""Stages run once, and resume where they were interrupted."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from openmeva.training import stages
from openmeva.training.files import checksum
from openmeva.training.stages import Stage, read_stage

SCHEMA = pa.schema([("square", pa.int64())])


class Squares:
    """Rows of squares; stops after a number of calls."""

    def __init__(self, calls: int = 99) -> None:
        self.left, self.made = calls, list[int]()

    def __call__(self, span: range) -> list[dict[str, Any]]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.made += list(span)
        return [{"square": n * n} for n in span]


def test_killed_stage_resumes_and_writes_the_same_file(tmp_path: Path) -> None:
    whole = Stage(tmp_path / "whole", "squares", {"seed": 1})
    whole.run(10, Squares(), 3, SCHEMA)
    killed = Stage(tmp_path / "killed", "squares", {"seed": 1})
    with pytest.raises(KeyboardInterrupt):
        killed.run(10, Squares(calls=2), 3, SCHEMA)
    assert not killed.is_done()
    rest = Squares()
    killed.run(10, rest, 3, SCHEMA, lambda table: {"total": table.num_rows})
    assert rest.made == [6, 7, 8, 9]
    assert checksum(killed.result) == checksum(whole.result)
    assert [row["square"] for row in read_stage(killed.result)] == [n * n for n in range(10)]
    assert '"total": 10' in killed.manifest.read_text()
    assert not killed.parts.exists()


@pytest.mark.parametrize("held", [1, 60, 10_000])
def test_parts_of_any_size_are_joined(held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "MAX_BUFFERED_BYTES", held)
    stage = Stage(tmp_path, "squares", {})
    stage.run(10, Squares(), 3, SCHEMA)
    assert [row["square"] for row in read_stage(stage.result)] == [n * n for n in range(10)]
    assert '"rows": 10' in stage.manifest.read_text()
    empty = Stage(tmp_path, "nothing", {})
    empty.run(0, Squares(), 3, SCHEMA)
    assert read_stage(empty.result) == []


def test_run_removes_only_its_own_partial_files(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "squares", {})
    leftover, other_file = tmp_path / ".squares.parquet.1f.tmp", tmp_path / ".squares.bin.2e.tmp"
    for path in (leftover, other_file):
        path.write_text("half")
    stage.run(4, Squares(), 2, SCHEMA)
    assert not leftover.exists()
    assert other_file.exists(), "another process may be writing it"


def test_several_processes_write_the_same_file(tmp_path: Path) -> None:
    single, parallel = (Stage(tmp_path / name, "squares", {}) for name in ("alone", "together"))
    single.run(10, Squares(), 3, SCHEMA)
    squares = Squares()
    parallel.run(10, squares, 3, SCHEMA, processes=2)
    assert not squares.made, "other processes do the work"
    assert checksum(parallel.result) == checksum(single.result)


def test_single_process_is_used_if_fork_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked, single = (Stage(tmp_path / name, "squares", {}) for name in ("forked", "alone"))
    forked.run(10, Squares(), 3, SCHEMA, processes=2)
    monkeypatch.setattr(stages, "get_all_start_methods", lambda: ["spawn"])
    squares = Squares()
    single.run(10, squares, 3, SCHEMA, processes=2)
    assert squares.made == list(range(10))
    assert checksum(single.result) == checksum(forked.result)


def test_worker_error_is_raised_and_other_parts_are_kept(tmp_path: Path) -> None:
    def make(span: range) -> list[dict[str, Any]]:
        if 4 in span:
            raise ValueError("no square of 4")
        return [{"square": n * n} for n in span]

    stage = Stage(tmp_path, "squares", {})
    with pytest.raises(ValueError, match="no square of 4"):
        stage.run(6, make, 2, SCHEMA, processes=2)
    assert not stage.is_done()
    rest = Squares()
    stage.run(6, rest, 2, SCHEMA)
    assert {4, 5} <= set(rest.made)
    assert [row["square"] for row in read_stage(stage.result)] == [n * n for n in range(6)]


def test_second_run_does_nothing_and_changed_settings_restart(tmp_path: Path) -> None:
    Stage(tmp_path, "squares", {"seed": 1}).run(4, Squares(), 2, SCHEMA)
    Stage(tmp_path, "squares", {"seed": 1}).run(4, Squares(calls=0), 2, SCHEMA)
    again = Squares()
    Stage(tmp_path, "squares", {"seed": 2}).run(4, again, 2, SCHEMA)
    assert again.made == [0, 1, 2, 3]


def test_damaged_result_is_recreated(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "squares", {})
    stage.run(4, Squares(), 2, SCHEMA)
    stage.result.write_bytes(b"")
    assert not stage.is_done()
    stage.run(4, Squares(), 2, SCHEMA)
    assert len(read_stage(stage.result)) == 4
