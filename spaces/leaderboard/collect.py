"""Extracts the leaderboard's results from a benchmark run: aggregates only, no story and no individual score.

    python -m spaces.leaderboard.collect --results benchmark/results.json
    python -m spaces.leaderboard.collect --results benchmark/results.json runs/autos/results.json
    python -m spaces.leaderboard.collect --results runs/one_metric/results.json --keep

With several runs, later rows replace earlier ones of the same set. With `--keep`, rows that no run measured are kept. A set
of AUTOS that was built again has other stories. With `--other-builds`, rows that were measured on an earlier build are
kept, marked with the number and the digest of its stories. The weights of the checkout are recorded with the results, so
run this right after the benchmark: model cards show only results of their own weights.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.spaces.leaderboard.cells import aspect_cells, rounded, rounded_ends
from openmeva.training.benchmark.data.registry import MetricEntry, read_registry
from openmeva.training.benchmark.data.sets import test_set
from openmeva.training.benchmark.results.titles import OURS, RELEASED, released_title
from openmeva.training.benchmark.scoring.checkpoints import checkpoint_digests
from openmeva.training.benchmark.tables.sections import read_published
from openmeva.training.files import write_text
from openmeva.training.paths import RESULTS, ROOT

Row = Mapping[str, Any]
_BUILD = ("n", "stories")  # which build of AUTOS a row was measured on: number of stories, and their digest


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m spaces.leaderboard.collect",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--results",
        type=Path,
        nargs="+",
        default=[Path("benchmark/results.json")],
        help="result files of `make benchmark`, one or several",
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep rows of --out that no run measured, if their weights have not changed",
    )
    parser.add_argument(
        "--drop-changed",
        action="store_true",
        help="with --keep: drop rows whose weights or set have changed, which are otherwise an error",
    )
    parser.add_argument(
        "--other-builds",
        action="store_true",
        help="with --keep: also keep rows of AUTOS that were measured on another build, each with its number of stories",
    )
    options = parser.parse_args(arguments)
    try:
        runs = [_read(path, "the results of `make benchmark`") for path in options.results]
        old = _read(options.out, "collected results") if options.keep else None
        collected = {**collect(merge_runs(runs), read_published()), "weights": checkpoint_digests(ROOT)}
        if old is not None:
            keep_old_rows(collected, old, options.drop_changed, options.other_builds)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    write_text(options.out, json.dumps(collected, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    sets = [*collected["judged"], *collected["autos"]]
    print(f"{options.out}: {', '.join(sets)}")
    return 0


def _read(path: Path, expected: str) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: expected {expected} ({error})") from error


def merge_runs(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Merges several runs: the union of their sets and rows, where later rows replace earlier ones.

    Raises:
        ValueError: two runs with different stories of one set.
    """
    merged: dict[str, Any] = {"judged": {}, "autos": {}}
    for run in runs:
        for part in ("judged", "autos"):
            for name, result in run[part].items():
                existing = merged[part].get(name, {})
                if existing and existing["n"] != result["n"]:
                    raise ValueError(f"{name}: one run has {existing['n']} rows, another {result['n']}")
                if different := _differences(existing, result):
                    raise ValueError(
                        f"{name}: two runs have {result['n']} stories each, but different {' and '.join(different)}"
                    )
                rows = _rows_of_both(existing.get("rows", {}), result["rows"])
                merged[part][name] = {**existing, **result, "rows": rows, "settings": run["settings"]}
    return merged


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """What differs between the stories of two results on one set, as far as both say; empty if nothing does."""
    keys = ("n", "judgments", "stories")
    return [key for key in keys if key in first and key in second and first[key] != second[key]]


def _rows_of_both(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Rows by title. A released row gets `(released)` in its title where a row of this project has the same title."""
    rows = dict(earlier)
    for title, row in later.items():
        existing = rows.get(title, row)
        if existing["kind"] == OURS and row["kind"] == RELEASED:
            title = released_title(title, {title})
        elif existing["kind"] == RELEASED and row["kind"] == OURS:
            rows[released_title(title, {title})] = existing
        rows[title] = row
    return rows


def keep_old_rows(
    collected: dict[str, Any], old: Mapping[str, Any], drop_changed: bool = False, other_builds: bool = False
) -> None:
    """Adds to `collected`, in place, the sets and the rows of this project's metrics that only `old` has.

    Args:
        collected: results of the new runs.
        old: results collected before.
        drop_changed: whether to drop rows whose weights or set have changed since.
        other_builds: whether to keep rows on another build of AUTOS, with `n` and `stories` of that build.

    Raises:
        ValueError: a row whose weights have changed and that is not dropped (set, row and weights are named), or a set
            whose stories have changed since the row was measured (what differs is named).
    """
    entries = [(entry, title) for entry in read_registry().values() for title in entry.rows]
    for part in ("judged", "autos"):
        for name, old_result in old[part].items():
            new_result = collected[part].get(name)
            different = _differences(old_result, new_result) if new_result is not None else []
            if different and not (other_builds and part == "autos"):
                if drop_changed:
                    continue
                what = "".join(f", other {key}" for key in different if key != "n")
                raise ValueError(
                    f"{name}: {old_result['n']} rows before, {new_result['n']} now{what}: measure every metric again"
                )
            ours = (
                {row["title"] for row in new_result["rows"] if row["kind"] == OURS} if new_result else set()
            )
            kept_rows = [
                row for row in old_result["rows"] if row["kind"] == OURS and row["title"] not in ours
            ]
            for row in list(kept_rows):
                if change := _change(row["title"], test_set(name).corpus, entries, old, collected):
                    if not drop_changed:
                        raise ValueError(f"{name}, {row['title']}: {change}, measure it again")
                    kept_rows.remove(row)
            if different:
                kept_rows = [_with_build(row, old_result, new_result) for row in kept_rows]
            if new_result is None:
                rows = [row for row in old_result["rows"] if row["kind"] != OURS or row in kept_rows]
                collected[part][name] = {**old_result, "rows": rows}
            else:
                new_result["rows"] = _in_order(
                    [*_mark_released(new_result["rows"], kept_rows), *kept_rows], old_result["rows"]
                )
        collected[part] = {name: collected[part][name] for name in (*old[part], *collected[part])}


def _with_build(row: Row, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """A kept row with `n` and `stories` of the build that it was measured on, unless that is the new one again."""
    build = {key: row[key] for key in _BUILD if key in row} or {key: old[key] for key in _BUILD if key in old}
    again = "stories" in build and build["stories"] == new.get("stories")
    return {**({} if again else build), **{key: value for key, value in row.items() if key not in _BUILD}}


def _change(
    title: str,
    corpus: str,
    entries: Sequence[tuple[MetricEntry, str]],
    old: Mapping[str, Any],
    collected: Mapping[str, Any],
) -> str:
    """Why a row no longer holds: its metric is gone, or its weights have changed; blank if it holds.

    A row of cross-validation is no row of a metric, but has the name of one before its brackets.
    """
    name = title.partition(" (")[0]
    metrics = [entry for entry, own in entries if own == title] or [
        entry for entry, own in entries if own.partition(" (")[0] == name
    ]
    if not metrics:
        return "no metric has this row"
    for entry in metrics:
        weights = f"{entry.folder.name}/{entry.configs.get(corpus)}"
        if old["weights"].get(weights) != collected["weights"].get(weights):
            return f"weights {weights} have changed"
    return ""


def _mark_released(rows: Sequence[Row], ours: Sequence[Row]) -> list[Row]:
    """Rows of a run; released rows with the title of a row in `ours` get `(released)` in their title."""
    titles = {row["title"] for row in ours}
    return [
        {**row, "title": released_title(row["title"], titles)} if row["kind"] == RELEASED else row
        for row in rows
    ]


def _in_order(rows: Sequence[Row], old: Sequence[Row]) -> list[Row]:
    """Rows in their previous order, new ones last."""
    positions = {(row["title"], row["kind"]): position for position, row in enumerate(old)}
    return sorted(rows, key=lambda row: positions.get((row["title"], row["kind"]), len(positions)))


def collect(results: Mapping[str, Any], published: Mapping[str, Any]) -> dict[str, Any]:
    """`judged` and `autos` by set, each with the `settings` of the last run that measured it; values have six decimals."""
    return {
        "judged": {name: _judged(name, result, published) for name, result in results["judged"].items()},
        "autos": {name: _autos(result) for name, result in results["autos"].items()},
    }


def _judged(name: str, result: Mapping[str, Any], published: Mapping[str, Any]) -> dict[str, Any]:
    rows = [
        {
            "title": title,
            "kind": row["kind"],
            **{c: rounded(row[c]) for c in COEFFICIENTS},
            "intervals": {c: rounded_ends(row["intervals"][c]) for c in COEFFICIENTS},
            "beats_trivial": row.get("beats_trivial", {}).get("pearson", {}).get("beats"),
        }
        for title, row in result["rows"].items()
        if "undefined" not in row
    ]
    printed = published["correlations"].get(name, {"rows": {}, "note": ""})
    rows += [
        {
            "title": title,
            "kind": "paper",
            **{c: rounded(figures.get(c)) for c in COEFFICIENTS},
            "intervals": {},
        }
        for title, figures in printed["rows"].items()
        if figures.get("pearson") is not None
    ]
    ceiling = result.get("noise_ceiling", {}).get("ceiling", {})
    return {
        "title": result["title"],
        "corpus": test_set(name).corpus,
        "n": result["n"],
        "prompts": result["prompts"],
        "own_references": result.get("own_references", 0),
        "ceiling": {c: rounded(ceiling.get(c)) for c in COEFFICIENTS if c in ceiling},
        "paper_note": printed.get("note", "") if printed["rows"] else "",
        "paper_stories": printed.get("stories") if printed["rows"] else None,
        "judgments": judgments_digest(result["judgments"]),
        "settings": result["settings"],
        "rows": rows,
    }


def judgments_digest(judgments: Sequence[float]) -> str:
    """SHA-256 of a set's judgments, rounded to two decimals, in any order; it identifies the judgments of a set.

    >>> judgments_digest([1.0, 2.333]) == judgments_digest([2.33, 1.0])
    True
    """
    lines = sorted(f"{judgment:.2f}" for judgment in judgments)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _autos(result: Mapping[str, Any]) -> dict[str, Any]:
    rows = []
    for title, row in result["rows"].items():
        rows.append({"title": title, "kind": row["kind"], **aspect_cells(row)})
    return {
        **{
            key: result[key]
            for key in ("title", "corpus", "test", "n", "stories", "settings")
            if key in result
        },
        "rows": rows,
    }


if __name__ == "__main__":
    sys.exit(main())
