"""The folder of a run: its settings, the input's parts, finished parts of the output, and finally the report."""

import heapq
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from openmeva.training.files import atomic_replace, read_json, write_table, write_text
from openmeva.training.scale.parts import Parts
from openmeva.training.scale.schemas import conform

UNREAD, MISFITS = "unread", "misfits"
"""Rows of the input that are in no part: invalid rows, and rows that do not fit its columns."""


@dataclass(frozen=True)
class Folder:
    """Output folder: `part-00000.parquet` and so on, `bad.jsonl`, `report.json`, and until the end `.work`.

    A part is done if its marker exists in `.work/done`: it is written last and, like the part, renamed into place.
    """

    path: Path

    @property
    def work(self) -> Path:
        """Temporary folder, removed at the end."""
        return self.path / ".work"

    @property
    def parts(self) -> Parts:
        """The input's parts."""
        return Parts(self.work / "input")

    @property
    def report_file(self) -> Path:
        """The report; exists when the run is finished."""
        return self.path / "report.json"

    @property
    def bad_rows_file(self) -> Path:
        """The skipped rows as JSONL, in input order."""
        return self.path / "bad.jsonl"

    def result(self, number: int) -> Path:
        """A part of the output."""
        return self.path / f"part-{number:05d}.parquet"

    def bad_file(self, of: int | str) -> Path:
        """File of the bad rows of a part, by its number; for `UNREAD` and `MISFITS`, of rows that are in no part."""
        return self.work / "bad" / (f"{of}.jsonl" if isinstance(of, str) else f"part-{of:05d}.jsonl")

    def _marker(self, number: int) -> Path:
        return self.work / "done" / f"part-{number:05d}.json"

    def read_marker(self, number: int) -> dict[str, Any] | None:
        """Content of a part's marker; None if the part is not done."""
        marker = self._marker(number)
        return read_json(marker) if marker.is_file() and self.result(number).is_file() else None

    def mark_done(self, number: int, outcome: Mapping[str, Any]) -> None:
        """Marks a part as done."""
        write_text(self._marker(number), json.dumps(outcome) + "\n")
        self._tries_file(number).unlink(missing_ok=True)

    def _tries_file(self, number: int) -> Path:
        return self.work / "tries" / f"part-{number:05d}"

    def count_try(self, number: int) -> int:
        """Records that a part is started; returns its number of earlier unfinished tries since `reset_tries`."""
        file = self._tries_file(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as out:
            before = out.tell()
            out.write(b".")
        return before

    def reset_tries(self) -> None:
        """Deletes the records of tries of an earlier call."""
        shutil.rmtree(self.work / "tries", ignore_errors=True)

    def first_signature(self, signature: str) -> str:
        """The signature of the run's parts: the first one passed to this method."""
        file = self.work / "signature.json"
        if not file.is_file():
            write_text(file, json.dumps(signature) + "\n")
        known: str = read_json(file)
        return known

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Ensures one run at a time; removes incomplete files of a killed run.

        Raises:
            ValueError: another run is writing here.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.path / ".lock", timeout=0):
                # if the folder is not a run's, such files may be the user's
                pattern = ".*.tmp" if (self.path / "run.json").is_file() else ".run.json.*.tmp"
                for leftover in (*self.path.glob(pattern), *self.work.glob("*/.*.tmp")):
                    if leftover.is_file():
                        leftover.unlink(missing_ok=True)
                yield
        except Timeout as error:
            raise ValueError(
                f"{self.path}: another run is writing here; wait for it, or use another folder"
            ) from error

    @property
    def has_parts(self) -> bool:
        """Whether any part was made here."""
        return self.report_file.is_file() or any(self.path.glob("part-*.parquet"))

    def record_settings(self, settings: Mapping[str, Any], has_identity: bool) -> None:
        """Records the settings of a new run, or compares them with those of the run that has begun here.

        If no part was made yet, other settings replace them, and the input is split again.

        Args:
            settings: settings of the run.
            has_identity: whether they identify its input; otherwise split input is discarded if no part was made yet.

        Raises:
            ValueError: other settings (the message gives the first difference), or a folder that contains other files.
        """
        file = self.path / "run.json"
        new = json.loads(json.dumps(settings, default=str))
        recorded = read_json(file) if file.is_file() else None
        if recorded is None:
            other_files = [path.name for path in self.path.iterdir() if path.name != ".lock"]
            if other_files:
                raise ValueError(
                    f"{self.path}: expected a new folder, or one of an earlier run, got {sorted(other_files)[0]!r} in it"
                )
        elif self.has_parts:
            for name in dict.fromkeys([*recorded, *new]):
                if recorded.get(name) != new.get(name):
                    raise ValueError(
                        f"{self.path}: a run with other settings has begun here: {name} was "
                        f"{json.dumps(recorded.get(name))}, now {json.dumps(new.get(name))}; use another folder"
                    )
        elif recorded != new or not has_identity:
            self.remove_temporary()
        else:  # of an earlier attempt, which made no part
            (self.work / "signature.json").unlink(missing_ok=True)
        if recorded != new:
            write_text(file, json.dumps(new, indent=2) + "\n")

    def report(self) -> dict[str, Any] | None:
        """The content of the report; None if the run is not finished.

        Raises:
            ValueError: a part of a finished run is missing.
        """
        if not self.report_file.is_file():
            return None
        self.remove_temporary()
        report: dict[str, Any] = read_json(self.report_file)
        for number in range(report["parts"]):
            if not (part := self.result(number)).is_file():
                raise ValueError(f"{self.path}: {part.name} of a finished run is missing; use another folder")
        return report

    def first_bad_row(self) -> dict[str, Any] | None:
        """A row that earlier calls skipped, the first of a file of bad rows; None if they skipped none."""
        for file in (self.bad_rows_file, *sorted(self.bad_file(0).parent.glob("*.jsonl"))):
            if file.is_file():
                with file.open(encoding="utf-8") as rows:
                    if line := rows.readline():
                        row: dict[str, Any] = json.loads(line)
                        return row
        return None

    def finish(self, count: int, report: Mapping[str, Any]) -> None:
        """Converts all parts to the same columns, collects the bad rows, and writes the report."""
        schemas = [pq.read_schema(self.result(number)) for number in range(count)]
        schema = pa.unify_schemas(schemas, promote_options="permissive")
        for number, own in enumerate(schemas):
            if not own.equals(schema):
                write_table(self.result(number), conform(pq.read_table(self.result(number)), schema))
        with atomic_replace(self.bad_rows_file) as temporary, temporary.open("w", encoding="utf-8") as out:
            of_parts = (line for number in range(count) for line in _lines(self.bad_file(number)))
            of_input = [_lines(self.bad_file(of)) for of in (UNREAD, MISFITS)]  # each sorted
            out.writelines(heapq.merge(*of_input, of_parts, key=_row_number))
        write_text(self.report_file, json.dumps(report, indent=2) + "\n")
        self.remove_temporary()

    def remove_temporary(self) -> None:
        """Removes temporary files of the run."""
        shutil.rmtree(self.work, ignore_errors=True)


def _row_number(line: str) -> int:
    number: int = json.loads(line)["row"]
    return number


def _lines(path: Path) -> Iterator[str]:
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            yield from lines
