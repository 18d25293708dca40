"""Stages of a pipeline: resumable, and computed once.

A stage's result is a Parquet file with a manifest. A stage is identified by its settings, including the checksums of
its inputs: a second run with the same settings does nothing. Unfinished work is kept in parts, each written atomically.
So a killed run resumes with the first missing part, and produces the same file.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_all_start_methods
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock
from rich.progress import track

from openmeva.training.files import atomic_replace, checksum, write_table, write_text
from openmeva.training.processes import map_in_processes

Maker = Callable[[range], list[dict[str, Any]]]
"""Maps a range of items to rows; must return the same rows for the same range."""
MAX_BUFFERED_BYTES = 1 << 26  # bytes of rows held in memory while parts are joined


@dataclass(frozen=True)
class Stage:
    """One stage: where it writes and what its result depends on.

    Attributes:
        folder: folder of the result, `NAME.parquet`, and its manifest, `NAME.json`.
        name: name of the stage.
        settings: everything the result depends on, as plain JSON values.
    """

    folder: Path
    name: str
    settings: dict[str, Any]

    @property
    def digest(self) -> str:
        """Hash of the settings: 12 hexadecimal digits."""
        text = json.dumps(self.settings, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def result(self) -> Path:
        """The stage's result file."""
        return self.folder / f"{self.name}.parquet"

    @property
    def manifest(self) -> Path:
        """The manifest of the result."""
        return self.folder / f"{self.name}.json"

    @property
    def parts(self) -> Path:
        """Folder of unfinished parts; specific to these settings."""
        return self.folder / f".{self.name}-{self.digest}"

    def is_done(self) -> bool:
        """Whether the result for these settings exists and is unchanged."""
        if not self.result.is_file() or not self.manifest.is_file():
            return False
        manifest = json.loads(self.manifest.read_text(encoding="utf-8"))
        return manifest.get("settings") == self.settings and manifest.get("sha256") == checksum(self.result)

    def run(
        self,
        count: int,
        make: Maker,
        chunk: int,
        schema: pa.Schema,
        report: Callable[[pa.Table], dict[str, Any]] | None = None,
        processes: int = 1,
    ) -> Path:
        """Computes the rows of `count` items in parts of `chunk` items, unless the stage is done.

        Args:
            count: number of items, e.g. stories.
            make: computes the rows of a range of items.
            chunk: items per part.
            schema: schema of the rows.
            report: computes further entries of the manifest from all rows, which are then held in memory at once.
            processes: number of parallel processes; 1 is used without fork (Windows). The result is the same.
        """
        with self._alone():
            if self.is_done():
                return self.result
            spans = [range(start, min(start + chunk, count)) for start in range(0, count, chunk)]
            files = [self.parts / f"{span.start:08d}-{span.stop:08d}.parquet" for span in spans]
            jobs = [(span, file) for span, file in zip(spans, files, strict=True) if not file.is_file()]
            if processes > 1 and len(jobs) > 1 and "fork" in get_all_start_methods():
                workers = min(processes, len(jobs))
                with map_in_processes(
                    _make_in_worker, jobs, workers, _start_worker, (make, schema), "fork"
                ) as made:
                    self._wait(made, len(jobs))
            else:
                self._wait((_make_part(make, schema, *job) for job in jobs), len(jobs))
            with atomic_replace(self.result) as temporary:
                rows = _join(files, schema, temporary)
            return self._end(rows, report(pq.read_table(self.result)) if report else {})

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A second run waits for the first, and finds it done; removes incomplete files of a killed run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / f".{self.name}.lock"):
            for own in (self.result.name, self.manifest.name):  # not those of other stages
                for left in self.folder.glob(f".{own}.*.tmp"):
                    left.unlink()
            yield

    def _wait(self, made: Iterable[Path], total: int) -> None:
        for _ in track(made, self.name, total=total):
            pass

    def finish(self, table: pa.Table, report: dict[str, Any]) -> Path:
        """Writes the result and its manifest, and removes the parts."""
        write_table(self.result, table)
        return self._end(table.num_rows, report)

    def _end(self, rows: int, report: dict[str, Any]) -> Path:
        manifest = {
            "settings": self.settings,
            "rows": rows,
            "sha256": checksum(self.result),
            **report,
        }
        write_text(self.manifest, json.dumps(manifest, indent=2) + "\n")
        shutil.rmtree(self.parts, ignore_errors=True)
        return self.result


def _make_part(make: Maker, schema: pa.Schema, span: range, file: Path) -> Path:
    write_table(file, pa.Table.from_pylist(make(span), schema=schema))
    return file


_worker: tuple[Maker, pa.Schema] | None = None  # of this process; set by the pool that started it


def _start_worker(make: Maker, schema: pa.Schema) -> None:
    """Forked, not spawned: models and closures are inherited at no cost, but a child cannot use its parent's threads."""
    import torch  # most users of a stage's rows do not need it

    global _worker
    _worker = make, schema
    torch.set_num_threads(1)


def _make_in_worker(job: tuple[range, Path]) -> Path:
    if _worker is None:
        raise RuntimeError("a worker process was started without its `make` function")
    return _make_part(*_worker, *job)


def _join(files: Iterable[Path], schema: pa.Schema, out: Path) -> int:
    """Writes the rows of several files to one, `MAX_BUFFERED_BYTES` bytes at a time; returns the number of rows."""
    rows, buffered = 0, [schema.empty_table()]
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        for file in files:
            buffered.append(pq.read_table(file, schema=schema))
            if sum(table.nbytes for table in buffered) > MAX_BUFFERED_BYTES:
                rows += _write(writer, buffered)
                buffered = []
        if buffered:
            rows += _write(writer, buffered)
    return rows


def _write(writer: pq.ParquetWriter, tables: list[pa.Table]) -> int:
    table = pa.concat_tables(tables).combine_chunks()
    writer.write_table(table)
    return table.num_rows


def read_stage(path: Path, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """The rows of a stage's file."""
    return pq.read_table(path, columns=list(columns) if columns else None).to_pylist()
