"""Run the benchmark for the command line: score test sets, print tables, and write a report."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from openmeva.metrics.core.files import check_folder
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.data.own_autos import own_autos
from openmeva.training.benchmark.data.registry import ALL, read_registry, select_entries
from openmeva.training.benchmark.data.sets import TEST_SETS, TestSet, test_set
from openmeva.training.benchmark.report import write_report
from openmeva.training.benchmark.run import Settings, run
from openmeva.training.benchmark.scoring.scores import SCORES_CACHE, check_cache
from openmeva.training.benchmark.tables.render import to_terminal
from openmeva.training.benchmark.tables.sections import main_tables, read_published, section_tables
from openmeva.training.common.command import check_data
from openmeva.training.files import kind_of
from openmeva.training.judged.judged_file import read_judged_file


@dataclass(frozen=True)
class BenchmarkOptions(Settings):
    """What a benchmark run measures and writes, besides its settings, of which `run_benchmark` sets `strict` and `say`.

    Attributes:
        metrics: names in the registry. None: all except those that are `on_request`.
        datasets: names of test sets. None: all that are available, or none if `judged` or `autos` is given.
        judged: the user's own files of judged stories.
        autos: folders of AUTOS built from the user's own stories.
        corpus: `roc` or `wp`: selects the configurations that score those files and folders.
        out: folder of the report.
        all_tables: print every table, not only the main ones.
    """

    metrics: Sequence[str] | None = None
    datasets: Sequence[str] | None = None
    judged: Sequence[Path] = ()
    autos: Sequence[Path] = ()
    corpus: str = "roc"
    out: Path = Path("benchmark")
    all_tables: bool = False


def judged_file_set(path: Path, corpus: str) -> TestSet:
    """A file of judged stories as a test set.

    Raises:
        ValueError: a corpus other than `roc` and `wp`, a damaged file, fewer than three stories, or constant judgments.
    """
    _check_corpus(corpus)
    stem = re.sub(r"\.gz$", "", path.name, flags=re.IGNORECASE)
    name = f"judged_{stem.rpartition('.')[0] if kind_of(path) else stem}"
    rows = read_judged_file(path)  # a damaged file is reported before a metric runs
    try:
        judged = JudgedStories.from_rows(rows)
    except ValueError as error:
        raise ValueError(f"{path}: {error} (rows are counted from 0)") from error
    if len(judged) < 3:
        raise ValueError(f"{path}: expected at least three stories, got {len(judged)}")
    if len(set(judged.scores)) == 1:
        raise ValueError(
            f"{path}: expected stories with different judgments, got {judged.scores[0]:g} for all {len(judged)}"
        )
    return TestSet(
        name, path.name, corpus, "judgments", lambda _: [dict(row) for row in rows], f"the file {path}", {}
    )


def _check_corpus(corpus: str) -> None:
    if corpus not in ("roc", "wp"):
        raise ValueError(f"expected the corpus roc or wp, got {corpus!r}")


def _check_data(options: BenchmarkOptions, sets: Sequence[TestSet]) -> None:
    """Checks that a given data folder holds a judged set, before AUTOS is scored for minutes.

    Raises:
        ValueError: the folder holds none.
    """
    if options.data is None or options.judged or options.autos or options.datasets:
        return
    if not any(target.is_available(options.data) for target in sets if target.judged):
        raise ValueError(
            f"--data: expected judged sets in {options.data} (mans/, union/, plot_guided/), found none"
        )


def requested_sets(options: BenchmarkOptions) -> list[TestSet]:
    """The requested test sets.

    Raises:
        ValueError: an unknown name, a corpus other than `roc` and `wp`, a file or folder that is missing or damaged, or two
            sets of the same name.
    """
    if options.autos:
        _check_corpus(options.corpus)
    own = options.judged or options.autos
    names = list(options.datasets) if options.datasets else [] if own else list(TEST_SETS)
    named = [test_set(name) for name in names]
    judged = [(path, judged_file_set(path, options.corpus)) for path in options.judged]
    autos = [(path, own_set) for path in options.autos for own_set in own_autos(path, options.corpus)]
    paths: dict[str, Path] = {}
    for path, own_set in (*judged, *autos):
        if own_set.name in paths:
            raise ValueError(
                "expected files or folders whose names differ before the extension, got "
                f"{paths[own_set.name]} and {path}"
            )
        paths[own_set.name] = path
    return [*(own_set for _, own_set in (*judged, *autos)), *named]


def run_benchmark(options: BenchmarkOptions) -> Path:
    """Runs the benchmark, prints its tables, and writes the report; returns the report's path.

    Raises:
        ValueError: an unknown metric or test set, a folder that is missing or not writable, a damaged file, or
            nothing to run on.
    """
    console = Console(width=None if sys.stdout.isatty() else 150)
    registry = read_registry()
    metrics = select_entries(list(options.metrics) if options.metrics else None, registry)
    sets = requested_sets(options)
    if options.data is not None:
        check_data(options.data)
    check_folder(options.out)
    _check_data(options, sets)
    settings = replace(
        options,
        strict=ALL not in (options.metrics or (ALL,)),
        sets_are_named=bool(options.datasets),
        say=lambda line: console.print(line, highlight=False, markup=False),
    )
    check_cache(SCORES_CACHE)
    results = run(metrics, sets, settings)
    if not options.metrics:
        slow = [entry.name for entry in registry.values() if entry.on_request]
        results["skipped"] |= dict.fromkeys(
            slow, f"slow: runs only if it is named, or with {ALL!r} (METRICS={ALL})"
        )
    for name, reason in results["skipped"].items():
        console.print(f"[yellow]skipped[/] {escape(name)}: {escape(reason)}", highlight=False)
    if not (results["judged"] or results["preferences"] or results["autos"]):
        raise ValueError("nothing to run on: give --data FOLDER or --judged FILE, or build AUTOS")
    published = read_published()
    report = write_report(results, published, options.out)
    tables = main_tables(results, published)
    if options.all_tables or not tables:
        tables = [*tables, *section_tables(results, published)]
    for table in tables:
        console.print(to_terminal(table))
    console.print(f"report: {report}", highlight=False, markup=False)
    return report
