"""A run over a corpus of any size; it can be stopped at any time and resumed."""

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from openmeva.metrics.core.version import __version__
from openmeva.training.files import STANDARD_STREAM, atomic_replace, checksum
from openmeva.training.scale.engines import Engine
from openmeva.training.scale.folder import MISFITS, UNREAD, Folder
from openmeva.training.scale.parts import BadRow, BadRowCallback, InputSummary, Size
from openmeva.training.scale.sources import Source, as_stories, digest_of
from openmeva.training.scale.worker import PartResult, Work


@dataclass(frozen=True)
class Report:
    """The report of a run.

    Attributes:
        out: output folder.
        rows: number of input rows.
        scored, bad: number of rows that were processed (AUTOS writes several for one), and of skipped rows.
        parts: number of output files.
        seconds: duration of the last call, which may have found some parts done.
        stories_per_second: stories per second in the last call.
        outside: share of the workers' time spent on reading, writing and batches, 0 to 1.
        signature: identifies everything that the result depends on.
        finished_before: whether an earlier call had finished the run, so that this one did nothing.
    """

    out: str
    rows: int
    scored: int
    bad: int
    parts: int
    seconds: float
    stories_per_second: float
    outside: float
    signature: str
    finished_before: bool = False

    def __str__(self) -> str:
        bad_note = f", {self.bad} bad (bad.jsonl)" if self.bad else ""
        done_note = (
            "finished before"
            if self.finished_before
            else f"{self.seconds:.1f} s, {self.stories_per_second:.1f} stories/s"
        )
        return f"{self.rows} rows, {self.scored} processed{bad_note}, {done_note} -> {self.out}  [{self.signature}]"


def run(
    source: Source,
    out: str | Path,
    work: Work,
    engine: Engine | None = None,
    bad: str = "stop",
    size: Size | None = None,
) -> Report:
    """Processes all rows of a source and writes Parquet files of bounded size, keeping the input's columns.

    The output depends neither on the engine nor on interruptions of the run.

    Args:
        source: the rows.
        out: a new folder, or that of an interrupted run with the same settings, which is resumed. On a cluster, all
            nodes must see it.
        work: settings of the operation.
        engine: the engine; default: Ray.
        bad: `keep`: rows that cannot be processed are skipped and written to `bad.jsonl` with number and reason;
            `stop`: the first such row ends the run, which can be resumed with `keep`.
        size: maximum size of a part.

    Raises:
        ValueError: the folder is a URL; a bad row (the message says where); settings, contents of files that they name,
            or rows of an input without files that differ from those of a run with a finished part; standard input for
            the folder of an earlier run; a missing part of a finished run; or anything that the operation refuses
            (its settings are checked before any row is read).
        FileNotFoundError: a file that the operation needs is missing.
    """
    if bad not in {"stop", "keep"}:
        raise ValueError(f"bad: expected stop or keep, got {bad!r}")
    if "://" in str(out):
        raise ValueError(f"{out}: expected a folder of this machine, or mounted on it, got a URL")
    engine, size, folder, start = engine or Engine(), size or Size(), Folder(Path(out)), time.perf_counter()
    work.check(engine.name == "plain")
    if work.of_stories:
        source = as_stories(source)
    recorded = _without_keys(asdict(work))
    settings = {
        "work": {"kind": type(work).__name__, **recorded},
        **({"files": {str(file): checksum(file) for file in named}} if (named := files_in(recorded)) else {}),
        "input": source.identity,
        "size": asdict(size),
        "version": __version__,
    }
    with folder.locked():
        folder.record_settings(settings, source.has_identity)
        report, summary = folder.report(), folder.parts.summary()
        if bad == "stop" and (row := folder.first_bad_row()):
            raise ValueError(f"{row['where']}: {row['reason']} (an earlier call with bad=keep skipped it)")
        if not source.has_identity and (report or summary):
            _check_rows(folder.path, source, summary)
        if report:
            return Report(**{**report, "finished_before": True})
        keep = bad == "keep"
        summary = summary or _split_input(folder, source, size, keep)
        markers = {number: folder.read_marker(number) for number in range(summary.parts)}
        before = [PartResult(**marker) for marker in markers.values() if marker]
        missing = [number for number, marker in markers.items() if not marker]
        results: list[PartResult] = []
        folder.reset_tries()
        progress = engine.run(folder.path, work, keep, missing)
        for part in track(
            progress, total=len(missing), disable=not sys.stderr.isatty(), console=Console(stderr=True)
        ):
            if part.fault:
                raise ValueError(part.fault)
            results.append(part)
        result = _report(folder.path, summary, before, results, time.perf_counter() - start)
        folder.finish(summary.parts, asdict(result))
        return result


def _check_rows(out: Path, source: Source, summary: InputSummary | None) -> None:
    """Refuses rows that differ from those of the run that has begun, for a source without an identity of its own.

    Args:
        out: folder of the run.
        source: the rows, read once more for the comparison.
        summary: statistics of the run's rows; None if it is finished.
    """
    if source.identity == [STANDARD_STREAM]:
        raise ValueError(
            f"{out}: expected a new folder for standard input, which cannot be compared with the input of an "
            "earlier run; use a file to be able to resume"
        )
    if summary is None:
        raise ValueError(
            f"{out}: expected a new folder, got that of a finished run, whose rows cannot be compared with these"
        )
    if digest_of(source) != summary.digest:
        raise ValueError(
            f"{out}: expected the rows of the run that has begun here, from the first row on, got others; "
            "use another folder"
        )


def _without_keys(settings: Any) -> Any:
    """The settings to record: without API keys, which are never written to a file."""
    if isinstance(settings, Mapping):
        return {name: _without_keys(value) for name, value in settings.items() if name != "api_key"}
    return settings


def files_in(settings: Any) -> list[Path]:
    """The files that settings name by absolute path, and files in folders named in this way: weights, other stories.

    The key `cache` is ignored: caches are recreated if missing, and do not affect results.

    Args:
        settings: plain values, possibly nested.
    """
    if isinstance(settings, Mapping):
        return sorted({file for key, value in settings.items() if key != "cache" for file in files_in(value)})
    if isinstance(settings, list | tuple):
        return sorted({file for value in settings for file in files_in(value)})
    if not isinstance(settings, str | Path):
        return []
    named = {Path(settings), *map(Path, str(settings).split("+"))}  # of two models, THERE+BACK
    absolute = [path for path in named if path.is_absolute()]
    try:
        return sorted({file for path in absolute for file in (path, *path.glob("*")) if file.is_file()})
    except (OSError, ValueError):  # not a path, but a text that begins with "/"
        return []


def _split_input(folder: Folder, source: Source, size: Size, keep: bool) -> InputSummary:
    """Splits the input into parts; writes invalid rows to a separate file."""
    with ExitStack() as files:

        def refusing(to: str) -> BadRowCallback:
            temporary = files.enter_context(atomic_replace(folder.bad_file(to)))
            out = files.enter_context(temporary.open("w", encoding="utf-8"))

            def refuse(row: BadRow) -> None:
                if not keep:
                    raise ValueError(f"{row.where}: {row.reason}")
                out.write(row.line())

            return refuse

        summary = folder.parts.write(source, size, refusing(UNREAD), refusing(MISFITS))
    folder.parts.note(summary)
    return summary


def _report(
    out: Path, summary: InputSummary, before: Sequence[PartResult], made: Sequence[PartResult], seconds: float
) -> Report:
    every = [*before, *made]
    signatures = sorted({done.signature for done in every})
    if len(signatures) > 1:  # two actors began the run's first parts at the same time
        raise ValueError(
            f"{out}: expected one signature of all parts, got {', '.join(signatures)}; use another folder"
        )
    scored = sum(done.scored for done in every)
    worked = sum(done.seconds for done in every)
    return Report(
        out=str(out),
        rows=summary.rows,
        scored=scored,
        bad=summary.rows - scored,
        parts=summary.parts,
        seconds=round(seconds, 3),
        stories_per_second=round(sum(done.scored for done in made) / seconds, 3),
        outside=round(1 - sum(done.inside for done in every) / worked, 4) if worked else 0.0,
        signature="".join(signatures),
    )
