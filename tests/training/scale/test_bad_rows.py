"""Rows that cannot be processed: their cost, and that none is lost, whenever a run ends."""

import errno
import json
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from openmeva.training.files import write_rows
from openmeva.training.perturbations.file import PerturbationConfig
from openmeva.training.scale import parts, perturbing
from openmeva.training.scale.folder import MISFITS, UNREAD, Folder
from openmeva.training.scale.parts import BadRow, Size
from openmeva.training.scale.perturbing import Perturbation
from tests.killing import EVERY, count_changes, killed_before, run_to_end
from tests.tiny.work import Counting, WordCounter
from tests.training.scale.test_runs import counted, sums


def test_place_of_a_row_that_quotes_another_place() -> None:
    found = parts._PLACE.match("a.jsonl, line 3: expected a JSON object, got 'Traceback, line 7: boom'")
    assert found is not None
    assert found.groups() == ("a.jsonl, line 3", "expected a JSON object, got 'Traceback, line 7: boom'")


def test_each_row_is_checked_and_processed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = []

    def story_row(row: Any, context: str) -> Any:
        checked.append(row.number)
        return original(row, context)

    original = perturbing.story_row
    monkeypatch.setattr(perturbing, "story_row", story_row)
    monkeypatch.setattr("openmeva.training.scale.batches.story_row", story_row)
    rows = [{"story": "Ben ran." if index % 4 else "Ben sat."} for index in range(200)]
    for row in rows[1::4] + rows[2::4] + rows[3::4]:
        row["story"] += " He fell."
    work = Perturbation(PerturbationConfig("typo"))
    report = counted(rows, tmp_path / "out", work=work, size=Size(200), bad="keep")
    assert (report.scored, report.bad) == (150, 50)
    assert len(checked) <= 2 * len(rows)
    bad_row = json.loads((tmp_path / "out" / "bad.jsonl").read_text().splitlines()[1])
    assert bad_row["row"] == 5
    assert bad_row["reason"].startswith("expected at least two sentences")


def test_memory_does_not_grow_with_bad_rows(tmp_path: Path) -> None:
    peaks = []
    for count in (1_000, 20_000):
        folder = Folder(tmp_path / str(count))
        folder.bad_file(UNREAD).parent.mkdir(parents=True)
        names: tuple[int | str, ...] = (UNREAD, MISFITS, 0)
        for index, name in enumerate(names):
            lines = (BadRow(row, "here", "no reason").line() for row in range(index, count, 3))
            folder.bad_file(name).write_text("".join(lines))
        pq.write_table(pa.table({"story": ["Ben ran."]}), folder.result(0))
        tracemalloc.start()
        folder.finish(1, {})
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        lines_of_bad_rows = folder.bad_rows_file.read_text().splitlines()
        assert [json.loads(line)["row"] for line in lines_of_bad_rows] == list(range(count))
    assert peaks[1] < 1.5 * peaks[0]


def test_killed_run_loses_no_bad_rows(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    path.write_text('{"n": 1, "story": "Ben ran."}\n{\n{"n": "two", "story": "Ann sat."}\n')
    counted(path, tmp_path / "whole", bad="keep")
    changes = count_changes(lambda: counted(path, tmp_path / "0", bad="keep"), tmp_path / "n")
    for change in range(1, changes + 1, -(-EVERY // 4)):
        out = tmp_path / str(change)
        killed_before(change, lambda: counted(path, out, bad="keep"))  # noqa: B023 - called here
        run_to_end(lambda: counted(path, out, bad="keep"))  # noqa: B023
        assert sums(out) == sums(tmp_path / "whole")


class FullDisk(WordCounter):
    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        raise OSError(errno.ENOSPC, "No space left on device", "cache")


@dataclass(frozen=True)
class Writing(Counting):
    """Work that finds the disk full."""

    def start(self, fields: Sequence[str], in_story: bool) -> FullDisk:
        return FullDisk(self)


def test_full_disk_is_reported_in_one_line(tmp_path: Path) -> None:
    write_rows(tmp_path / "stories.jsonl", [{"story": "Ben ran."}])
    with pytest.raises(ValueError, match=r"^part 0: \[Errno 28\] No space left on device: 'cache'$"):
        counted(tmp_path / "stories.jsonl", tmp_path / "out", work=Writing())
