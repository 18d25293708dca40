"""Twelve pairs of a good and a damaged story: `python -m training.benchmark.probes.pairs [--metrics NAME …] [--out FILE]`.

The kinds of damage are in no training data: a dull list, an impossible event, a wrong character's action, an unmotivated
ending. There are three pairs of each, written for this project (`datasets/stories/pairs.jsonl`). Prints for each row of
the benchmark in how many pairs the good story scores higher. Twelve pairs only distinguish a metric that notices such
errors from one that does not: by chance, 9 or more of 12 are correct in 7 % of cases.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from openmeva.training.benchmark.data.contexts import split_story
from openmeva.training.benchmark.data.registry import MetricEntry, read_registry, select_entries
from openmeva.training.benchmark.scoring.scores import result_of
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.files import read_rows, write_text
from openmeva.training.paths import STORIES

PAIRS = STORIES.with_name("pairs.jsonl")


class Pair(NamedTuple):
    """A good story and a damaged one with the same beginning."""

    kind: str
    good: str
    damaged: str


def read_pairs(path: Path = PAIRS) -> list[Pair]:
    """The pairs of a file, one per line with `kind`, `good` and `damaged`.

    Raises:
        ValueError: a row lacks one of these (names the line).
    """
    pairs = []
    for row in read_rows(path):
        missing = [name for name in Pair._fields if not isinstance(row.values.get(name), str)]
        if missing:
            raise ValueError(f"{row.where}: expected a text in {', '.join(missing)}")
        pairs.append(Pair(*(row.values[name] for name in Pair._fields)))
    return pairs


def ranked_correctly(entry: MetricEntry, pairs: Sequence[Pair]) -> dict[str, dict[str, int]]:
    """Row title to kind to the number of pairs in which the good story scores higher; a tie counts as incorrect.

    Raises:
        ValueError: the metric needs references, which the pairs lack; or what loading it raises.
    """
    if "references" in entry.inputs:
        raise ValueError(f"{entry.name}: the pairs have no references")
    stories = [story for pair in pairs for story in (pair.good, pair.damaged)]
    columns: dict[str, Any] = {"predictions": stories}
    if entry.needs_contexts:
        parts = [split_story(story) for story in stories]
        columns = {
            "predictions": [part["story"] for part in parts],
            "contexts": [part["prompt"] for part in parts],
        }
    result = result_of(entry, "roc", **columns)
    ranked: dict[str, dict[str, int]] = {}
    for title, key in entry.rows.items():
        counts = ranked.setdefault(title, {})
        for index, pair in enumerate(pairs):
            good, damaged = result[key][2 * index : 2 * index + 2]
            counts[pair.kind] = counts.get(pair.kind, 0) + (good > damaged)
    return ranked


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m training.benchmark.probes.pairs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--metrics",
        nargs="+",
        help="entries of the benchmark; default: all that can score the pairs, except slow ones",
    )
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument(
        "--out",
        type=Path,
        help="JSON of the counts, as the story scorer reads it: spaces/references/pairs.json",
    )
    options = parser.parse_args(arguments)
    with exit_on_bad_input():
        pairs = read_pairs(options.pairs)
        entries = select_entries(options.metrics, read_registry())
    kinds = list(dict.fromkeys(pair.kind for pair in pairs))
    headings = ("", *(kind.replace("_", " ") for kind in kinds), "all")
    table = Table(*headings, title=f"Pairs ranked correctly, of {len(pairs)}")
    rows: dict[str, dict[str, int]] = {}
    for entry in entries:
        with exit_on_bad_input():
            try:
                rows |= ranked_correctly(entry, pairs)
            except ValueError as error:
                if options.metrics:
                    raise
                print(f"skipped: {error}", file=sys.stderr)
    for title, counts in rows.items():
        numbers = [counts[kind] for kind in kinds]
        table.add_row(title, *map(str, numbers), str(sum(numbers)))
    if options.out:
        write_text(options.out, json.dumps({"pairs": len(pairs), "rows": rows}, indent=1) + "\n")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
