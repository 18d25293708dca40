"""Judge metrics on the papers' test sets, and write a report.

python -m training.benchmark --data ../data
python -m training.benchmark --data ../data --metrics union,ppl --datasets mans_roc --out benchmark
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from openmeva.training.benchmark.command import Asked, benchmark
from openmeva.training.benchmark.sets import TEST_SETS


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.benchmark",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="folder of the papers' data (mans/, union/, plot_guided/)")
    parser.add_argument(
        "--metrics",
        type=_names,
        action="extend",
        help="names of metrics, with commas or repeated, or all; default: those that take no longer than minutes",
    )
    parser.add_argument(
        "--datasets",
        type=_names,
        action="extend",
        help=f"test sets, with commas or repeated; any of {', '.join(TEST_SETS)}",
    )
    parser.add_argument(
        "--judged",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="judged stories of yours: 'story' with 'ratings' or 'score' a row",
    )
    parser.add_argument(
        "--corpus", choices=("roc", "wp"), default="roc", help="configurations that score --judged"
    )
    parser.add_argument("--out", type=Path, default=Path("benchmark"), help="folder of the report")
    parser.add_argument("--draws", type=int, default=10_000, help="bootstrap draws, 100 or more")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch-size", type=int, help="handed to the metrics")
    parser.add_argument(
        "--autos-stories", type=int, default=100, help="original stories of each part of AUTOS; 0 for all"
    )
    parser.add_argument("--pairs", type=int, default=500, help="of each set of preferences; 0 for all")
    parser.add_argument(
        "--all-tables", action="store_true", help="print every table, not the main ones alone"
    )
    parser.add_argument("--processes", type=int, help="metrics that score at once; a core each unless given")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 0, or 2 where nothing could be run or an argument is wrong."""
    try:
        benchmark(Asked(**vars(parse(arguments))))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _names(given: str) -> list[str]:
    found = [name.strip() for name in given.split(",") if name.strip()]
    if not found:
        raise argparse.ArgumentTypeError(f"expected names with commas between, got {given!r:.60}")
    return found


if __name__ == "__main__":
    sys.exit(main())
