"""Judge metrics on the papers' test sets, and write a report.

python -m training.benchmark --data ../data
python -m training.benchmark --data ../data --metrics union,ppl --datasets mans_roc --out benchmark
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console

from openmeva.training.benchmark.registry import choose, read_registry
from openmeva.training.benchmark.render import to_terminal
from openmeva.training.benchmark.report import write_report
from openmeva.training.benchmark.run import Settings, run
from openmeva.training.benchmark.sets import TEST_SETS
from openmeva.training.benchmark.tables import main_tables, read_published, section_tables


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.benchmark",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="folder of the papers' data (mans/, union/, plot_guided/)")
    parser.add_argument("--metrics", help="names of metrics, comma-separated; default: all present")
    parser.add_argument("--datasets", help=f"test sets, comma-separated; any of {', '.join(TEST_SETS)}")
    parser.add_argument("--out", type=Path, default=Path("benchmark"), help="folder of the report")
    parser.add_argument("--draws", type=int, default=10_000, help="bootstrap draws")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch-size", type=int, help="handed to the metrics")
    parser.add_argument(
        "--autos-stories", type=int, default=1000, help="original stories of each part of AUTOS; 0 for all"
    )
    parser.add_argument(
        "--all-tables", action="store_true", help="print every table, not the main ones alone"
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 0, or 2 where nothing could be run or an argument is wrong."""
    given = parse(arguments)
    console = Console(width=None if sys.stdout.isatty() else 150)
    try:
        metrics = choose(_names(given.metrics), read_registry())
        names = _names(given.datasets) or list(TEST_SETS)
        unknown = [name for name in names if name not in TEST_SETS]
        if unknown:
            raise ValueError(f"unknown test set {', '.join(unknown)}, expected any of {', '.join(TEST_SETS)}")
        if given.data is not None and not given.data.is_dir():
            raise ValueError(f"--data: no folder {given.data}")
        settings = Settings(
            data=given.data,
            out=given.out,
            draws=given.draws,
            seed=given.seed,
            strict=given.metrics is not None,
            batch_size=given.batch_size,
            autos_stories=given.autos_stories,
            say=lambda line: console.print(line, highlight=False),
        )
        results = run(metrics, [TEST_SETS[name] for name in names], settings)
    except ValueError as error:
        console.print(f"[bold red]{error}[/]", highlight=False)
        return 2
    for name, reason in results["skipped"].items():
        console.print(f"[yellow]left out[/] {name}: {reason}", highlight=False)
    if not results["judged"] and not results["autos"]:
        console.print("[bold red]nothing to run on[/]: give --data FOLDER, or build AUTOS", highlight=False)
        return 2
    published = read_published()
    report = write_report(results, published, given.out)
    tables = main_tables(results, published)
    for table in [*tables, *section_tables(results, published)] if given.all_tables or not tables else tables:
        console.print(to_terminal(table))
    console.print(f"report: {report}", highlight=False)
    return 0


def _names(given: str | None) -> list[str] | None:
    return [name.strip() for name in given.split(",") if name.strip()] if given else None


if __name__ == "__main__":
    sys.exit(main())
