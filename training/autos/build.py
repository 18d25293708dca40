"""Builds AUTOS: both splits of a configuration, in parts from which an interrupted build resumes.

Writes `<out>/<config>/discrimination.parquet` and `invariance.parquet`.
"""

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout
from rich.progress import track

from openmeva.training.autos.builder import AutosBuilder, BuiltRows, Row
from openmeva.training.autos.phrase_limits import limit_phrases
from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.corpora.story_rows import StoryRow
from openmeva.training.files import checksum, write_table
from openmeva.training.paths import ROOT
from openmeva.training.perturbations.aspects.registry import ASPECTS
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, INVARIANCE
from openmeva.training.processes import map_in_processes

SPAN = pa.struct([(name, pa.int32()) for name in ("original_start", "original_end", "start", "end")])
SCHEMA = pa.schema(
    [
        ("story_id", pa.string()),
        ("context", pa.string()),
        ("story", pa.string()),
        ("aspect", pa.string()),
        ("technique", pa.string()),
        ("label", pa.int8()),
        ("origin", pa.string()),
        ("perturbed_from", pa.string()),
        ("changed_spans", pa.list_(SPAN)),
    ]
)
SPLITS = (DISCRIMINATION, INVARIANCE)
CHUNK = 250
VERSION = "4"  # of the format of the parts, and of the perturbation rules
# The code that rows depend on: parts that other rules made are not reused.
_RULES = tuple(
    ROOT / name for name in ("training/autos", "training/perturbations", "training/text", "metrics/core")
)
UNFILTERED_COUNTS = (
    b"perturbed_before_filter"  # key in the files' metadata: JSON, aspect to number of stories
)
BUILD_SETTINGS = b"build"  # key in the files' metadata: JSON, the build's key and settings

# Stage to the function that builds its rows.
_STAGES: dict[str, Callable[[AutosBuilder, Sequence[StoryRow]], BuiltRows]] = {
    "discrimination": lambda builder, rows: builder.discrimination(rows),
    "invariance": lambda builder, rows: builder.invariance(rows, "human"),
    "invariance of incoherent stories": lambda builder, rows: builder.invariance(rows, "discrimination"),
}


def build(
    rows: Sequence[StoryRow],
    builder: AutosBuilder,
    folder: Path,
    settings: str = "",
    progress: bool = True,
    processes: int = 1,
    recorded: Mapping[str, Any] | None = None,
    check: Callable[[], object] = lambda: None,
) -> dict[str, pa.Table]:
    """Write both splits to a folder; returns them.

    Stories are processed in parts of 250, each kept in `<folder>/.parts` until the end: an interrupted build resumes from
    them, if the code is the same. Files are written atomically. The number of processes does not affect the rows. At the end, phrases that are too
    frequent in paraphrases are limited (`phrase_limits.py`), which needs the complete set.

    Args:
        rows: stories from `read_rows`, with unique ids.
        builder: makes the rows.
        folder: folder of the configuration; created if missing.
        settings: other settings that the rows depend on; parts with different settings are not reused.
        progress: whether to show a progress bar.
        processes: number of processes that build parts in parallel.
        recorded: human-readable settings, kept in the files' metadata with the build's key.
        check: raises an error if the existing content of the folder must not be replaced; called under the lock.

    Raises:
        ValueError: another build is writing to the folder.
    """
    key = build_key(rows, builder.seed, settings)
    parts = folder / ".parts" / f"{key}-{rules_checksum(_RULES)[:16]}"

    def made(stage: str, stories: Sequence[StoryRow]) -> BuiltRows:
        stage_rows = _in_parts(stories, builder, stage, parts, progress, processes)
        return limit_phrases(stage_rows, stories, rows, builder)

    with _locked(folder):
        check()
        human = made("discrimination", rows)
        incoherent = sample_perturbed(human.rows, len(rows), builder.seed)
        from_human = made("invariance", rows)
        from_incoherent = made("invariance of incoherent stories", stories_to_perturb_again(incoherent, rows))
        built = json.dumps({"key": key, "settings": dict(recorded or {})})
        tables = {
            "discrimination": _table(human, built),
            "invariance": _table(
                BuiltRows(
                    from_human.rows + from_incoherent.rows,
                    from_human.unfiltered_counts + from_incoherent.unfiltered_counts,
                ),
                built,
            ),
        }
        for split, content in tables.items():
            write_table(folder / f"{split}.parquet", content)
        shutil.rmtree(parts)
        if not any(parts.parent.iterdir()):  # otherwise it has parts of another build, which may resume
            parts.parent.rmdir()
    return tables


def build_key(rows: Sequence[StoryRow], seed: int, settings: str) -> str:
    """Identifies a build: 16 hexadecimal digits of a hash of everything that its rows depend on."""
    return hashlib.sha256(json.dumps([VERSION, settings, seed, list(rows)]).encode()).hexdigest()[:16]


def rules_checksum(folders: Iterable[Path]) -> str:
    """SHA-256 over the Python files of folders, with their names: 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))):
        digest.update(f"{path.relative_to(ROOT)}\0{checksum(path)}\n".encode())
    return digest.hexdigest()


def existing_builds(folder: Path) -> list[dict[str, Any]]:
    """Key and settings of both files of a configuration, `{}` for a file without them; empty unless both files exist."""
    files = [folder / f"{split}.parquet" for split in SPLITS]
    return [_recorded_build(file) for file in files] if all(file.is_file() for file in files) else []


def _recorded_build(file: Path) -> dict[str, Any]:
    try:
        recorded: dict[str, Any] = json.loads((pq.read_schema(file).metadata or {}).get(BUILD_SETTINGS, "{}"))
    except pa.ArrowException:  # damaged
        return {}
    return recorded


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Locks the folder against other builds; removes the temporary files of a killed build."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / ".lock", timeout=0):
            for split in SPLITS:
                for leftover in folder.glob(f".{split}.parquet.*.tmp"):
                    leftover.unlink()
            yield
    except Timeout as error:
        raise ValueError(
            f"{folder}: another build is writing here; wait for it, or choose another --out"
        ) from error


def sample_perturbed(rows: Sequence[Row], count: int, seed: int) -> list[Row]:
    """At most `count` of the perturbed rows, sampled by seed, in their order."""
    import numpy as np

    perturbed = [row for row in rows if row["label"] == 0]
    chosen = BufferedRandom(np.random.default_rng(seed)).shuffled(range(len(perturbed)))[:count]
    return [perturbed[index] for index in sorted(chosen)]


def stories_to_perturb_again(perturbed: Sequence[Row], rows: Sequence[StoryRow]) -> list[StoryRow]:
    """Perturbed stories of `rows` as stories to be perturbed again, with their number of unchanged leading sentences."""
    keep = {row["story_id"]: row["keep"] for row in rows}
    return [
        {
            "story_id": row["story_id"],
            "context": row["context"],
            "story": row["story"],
            "keep": keep[row["perturbed_from"]],
        }
        for row in perturbed
    ]


def _in_parts(
    rows: Sequence[StoryRow],
    builder: AutosBuilder,
    stage: str,
    folder: Path,
    progress: bool,
    processes: int,
) -> BuiltRows:
    stage_folder = folder / stage.replace(" ", "_")
    jobs = [
        (stage, rows[start : start + CHUNK], stage_folder / f"{start:07d}.parquet")
        for start in range(0, len(rows), CHUNK)
    ]
    missing = [job for job in jobs if not job[2].is_file()]
    if processes > 1 and len(missing) > 1:
        workers = min(processes, len(missing))
        with map_in_processes(_make_in_worker, missing, workers, _start_worker, (builder,)) as paths:
            _consume(paths, stage, len(missing), progress)
    else:
        _consume((_make_part(builder, *job) for job in missing), stage, len(missing), progress)
    result = BuiltRows([], Counter())
    for *_, path in jobs:
        content = pq.read_table(path, schema=SCHEMA)
        result.rows.extend(content.to_pylist())
        result.unfiltered_counts.update(json.loads(pq.read_schema(path).metadata[UNFILTERED_COUNTS]))
    return result


def _consume(paths: Iterable[Path], title: str, total: int, progress: bool) -> None:
    for _ in track(paths, title, total=total, disable=not progress or not total):
        pass


def _make_part(builder: AutosBuilder, stage: str, rows: Sequence[StoryRow], path: Path) -> Path:
    write_table(path, _table_with_counts(*_STAGES[stage](builder, rows)))
    return path


_worker: AutosBuilder | None = None  # of this process; set by the pool that started it


def _start_worker(builder: AutosBuilder) -> None:
    global _worker
    _worker = builder


def _make_in_worker(job: tuple[str, Sequence[StoryRow], Path]) -> Path:
    if _worker is None:
        raise RuntimeError("a worker process was started without its builder")
    return _make_part(_worker, *job)


def _table(result: BuiltRows, built: str) -> pa.Table:
    """A table of the rows, by aspect in the order of the registry; the order within an aspect is kept."""
    order = {name: index for index, name in enumerate(ASPECTS)}
    table = _table_with_counts(
        sorted(result.rows, key=lambda row: order[row["aspect"]]), result.unfiltered_counts
    )
    return table.replace_schema_metadata({**table.schema.metadata, BUILD_SETTINGS: built})


def _table_with_counts(rows: Sequence[Row], unfiltered_counts: Counter[str]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), SCHEMA).replace_schema_metadata(
        {UNFILTERED_COUNTS: json.dumps(unfiltered_counts)}
    )
