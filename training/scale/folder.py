"""The folder of a run: its settings, the input's parts, finished parts of the output, and the report at last."""

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

from openmeva.training.files import read_json, replacing, write_text
from openmeva.training.scale.parts import Parts
from openmeva.training.scale.schemas import conform
from openmeva.training.stages import write_table

UNREAD, MISFITS = "unread", "misfits"
"""Rows of the input that are in no part: those that are none, and those that fit none of its columns."""


@dataclass(frozen=True)
class Folder:
    """Where a run writes: `part-00000.parquet` and on, `bad.jsonl` and `report.json`; `.work` goes at the end.

    A part is done where its marker lies in `.work/done`: it is written last, by rename, as the part itself is.
    """

    path: Path

    @property
    def work(self) -> Path:
        """What lies there until the end."""
        return self.path / ".work"

    @property
    def parts(self) -> Parts:
        """The input's parts."""
        return Parts(self.work / "input")

    @property
    def report_file(self) -> Path:
        """The report; it is there when everything is done."""
        return self.path / "report.json"

    @property
    def bad_rows_file(self) -> Path:
        """The rows that were left out, as JSONL, in the input's order."""
        return self.path / "bad.jsonl"

    def result(self, number: int) -> Path:
        """A part of the output."""
        return self.path / f"part-{number:05d}.parquet"

    def bad_file(self, of: int | str) -> Path:
        """The bad rows of a part, by its number; of `UNREAD` and `MISFITS`: those that are in no part."""
        return self.work / "bad" / (f"{of}.jsonl" if isinstance(of, str) else f"part-{of:05d}.jsonl")

    def _marker(self, number: int) -> Path:
        return self.work / "done" / f"part-{number:05d}.json"

    def done(self, number: int) -> dict[str, Any] | None:
        """What the marker of a part says; None where it is not done."""
        marker = self._marker(number)
        return read_json(marker) if marker.is_file() and self.result(number).is_file() else None

    def mark(self, number: int, said: Mapping[str, Any]) -> None:
        """Marks a part as done."""
        write_text(self._marker(number), json.dumps(said) + "\n")
        self._tries(number).unlink(missing_ok=True)

    def _tries(self, number: int) -> Path:
        return self.work / "tries" / f"part-{number:05d}"

    def tried(self, number: int) -> int:
        """Notes that a part is begun; how often that was before since `begin`, and it was not done."""
        file = self._tries(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as out:
            before = out.tell()
            out.write(b".")
        return before

    def begin(self) -> None:
        """Forgets what came of the tries of an earlier call."""
        shutil.rmtree(self.work / "tries", ignore_errors=True)

    def signed(self, signature: str) -> str:
        """The signature of the run's parts; the first one that is asked for."""
        file = self.work / "signature.json"
        if not file.is_file():
            write_text(file, json.dumps(signature) + "\n")
        known: str = read_json(file)
        return known

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """One run at a time; what a killed one had half-written goes.

        Raises:
            ValueError: another run is writing here.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.path / ".lock", timeout=0):
                # in a folder that is no run's, files of that name may be the user's
                own = ".*.tmp" if (self.path / "run.json").is_file() else ".run.json.*.tmp"
                for left in (*self.path.glob(own), *self.work.glob("*/.*.tmp")):
                    if left.is_file():
                        left.unlink(missing_ok=True)
                yield
        except Timeout as error:
            raise ValueError(
                f"{self.path}: another run is writing here; wait for it, or give another folder"
            ) from error

    @property
    def begun(self) -> bool:
        """Whether anything was made here."""
        return self.report_file.is_file() or any(self.path.glob("part-*.parquet"))

    def settle(self, settings: Mapping[str, Any], known_again: bool) -> None:
        """Notes the settings of a new run, or compares them with those of the run that has begun here.

        Where no part was made yet, other settings take the place of those, and the input is cut anew for them.

        Args:
            settings: of the run.
            known_again: whether they tell its input from others; else what was cut of it is no use before a part is made.

        Raises:
            ValueError: other settings (the first difference is told), or a folder with something else in it.
        """
        file = self.path / "run.json"
        asked = json.loads(json.dumps(settings, default=str))
        known = read_json(file) if file.is_file() else None
        if known is None:
            others = [path.name for path in self.path.iterdir() if path.name != ".lock"]
            if others:
                raise ValueError(
                    f"{self.path}: expected a new folder, or one of an earlier run, got {sorted(others)[0]!r} in it"
                )
        elif self.begun:
            for name in dict.fromkeys([*known, *asked]):
                if known.get(name) != asked.get(name):
                    raise ValueError(
                        f"{self.path}: a run with other settings has begun here: {name} was "
                        f"{json.dumps(known.get(name))}, now {json.dumps(asked.get(name))}; give another folder"
                    )
        elif known != asked or not known_again:
            self.tidy()
        if known != asked:
            write_text(file, json.dumps(asked, indent=2) + "\n")

    def report(self) -> dict[str, Any] | None:
        """What the report says; None where the run is not over.

        Raises:
            ValueError: a part of a run that is over is gone.
        """
        if not self.report_file.is_file():
            return None
        self.tidy()
        said: dict[str, Any] = read_json(self.report_file)
        for number in range(said["parts"]):
            if not (part := self.result(number)).is_file():
                raise ValueError(f"{self.path}: {part.name} of a finished run is gone; give another folder")
        return said

    def finish(self, count: int, report: Mapping[str, Any]) -> None:
        """Gives all parts the same columns, gathers the bad rows, and writes the report."""
        schemas = [pq.read_schema(self.result(number)) for number in range(count)]
        schema = pa.unify_schemas(schemas, promote_options="permissive")
        for number, own in enumerate(schemas):
            if not own.equals(schema):
                write_table(self.result(number), conform(pq.read_table(self.result(number)), schema))
        with replacing(self.bad_rows_file) as temporary, temporary.open("w", encoding="utf-8") as out:
            of_parts = (line for number in range(count) for line in _lines(self.bad_file(number)))
            of_input = [_lines(self.bad_file(of)) for of in (UNREAD, MISFITS)]  # each in order
            out.writelines(heapq.merge(*of_input, of_parts, key=_place))
        write_text(self.report_file, json.dumps(report, indent=2) + "\n")
        self.tidy()

    def tidy(self) -> None:
        """Removes what only a run under way needs."""
        shutil.rmtree(self.work, ignore_errors=True)


def _place(line: str) -> int:
    number: int = json.loads(line)["row"]
    return number


def _lines(path: Path) -> Iterator[str]:
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            yield from lines
