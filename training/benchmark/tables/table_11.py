"""OpenMEVA's Table 11: every metric on both corpora of MANS, the paper's results next to this project's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.training.benchmark.results.titles import OURS
from openmeva.training.benchmark.tables.number_format import format_number, format_with_interval
from openmeva.training.benchmark.tables.render import Table

SETS = ("mans_roc", "mans_wp")


def table_11(results: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[Table]:
    """The table, in the paper's groups and order; nothing if neither corpus of MANS was run.

    A row that the paper lacks is in its group without a paper result; metrics of this project that the layout does
    not name come last. The row of a metric that was not run holds only the paper's result.
    """
    judged = {name: results["judged"][name] for name in SETS if name in results["judged"]}
    if not judged:
        return
    layout = published["table_11"]
    columns = [""]
    for name in SETS:
        columns += [f"{judged[name]['title'] if name in judged else name}, r [95 %]", "paper"]
    counts = ", ".join(f"{result['n']} stories of {result['title']}" for result in judged.values())
    table = Table("Metrics by kind (OpenMEVA, Table 11)", columns, note=f"{counts}. {layout['note']}.")
    shown: set[str] = set()
    for group, titles in layout["groups"].items():
        table.rule()
        table.add(group, *[""] * (len(columns) - 1))
        for title in titles:
            names = [title, *layout["ours"].get(title, [])]
            present = [name for name in names if any(_ours(result, name) for result in judged.values())]
            shown.update(present)
            for name in present or [title]:
                label = title if name == title else f"{title}: {name}"
                table.add(f"  {label}", *_cells(judged, published, name, title), faint=not present)
    further = [t for result in judged.values() for t, row in result["rows"].items() if row["kind"] == OURS]
    further = [title for title in dict.fromkeys(further) if title not in shown]
    if further:
        table.rule()
        table.add("Further metrics of this project", *[""] * (len(columns) - 1))
        for title in further:
            table.add(f"  {title}", *_cells(judged, published, title, title))
    yield table


def _ours(result: Mapping[str, Any], title: str) -> Mapping[str, Any] | None:
    row = result["rows"].get(title)
    return row if row is not None and row["kind"] == OURS else None


def _cells(judged: Mapping[str, Any], published: Mapping[str, Any], name: str, title: str) -> Iterator[str]:
    """This project's coefficient and the paper's, for each corpus of MANS."""
    for key in SETS:
        row = _ours(judged[key], name) if key in judged else None
        yield "" if row is None else format_with_interval(row, "pearson")
        printed = published["correlations"][key]["rows"].get(title, {}).get("pearson")
        printed = None if "(log" in name else printed  # the paper's result is for perplexity itself
        yield "" if printed is None else format_number(printed, 4)
