"""The tables of preference sets: the share of pairs that each metric orders as people do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openmeva.training.benchmark.results.titles import TRIVIAL, printed_title
from openmeva.training.benchmark.tables.number_format import format_with_interval
from openmeva.training.benchmark.tables.render import Table


def preference_tables(results: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """A table for each preference set."""
    return [_laid_out(result) for result in results.values()]


def _laid_out(result: Mapping[str, Any]) -> Table:
    within = f"{(result['length_ratio'] - 1) * 100:.0f} %"
    table = Table(
        f"{result['title']}: pairs in which the better story scores higher",
        ["", "all pairs", f"lengths within {within}", "ties"],
        note=f"Share of pairs [95 %]; chance is .500. {result['pairs']:,} pairs; in {result['matched_pairs']:,} of them "
        f"the numbers of words differ by less than {within}.",
    )
    kinds = [row["kind"] for row in result["rows"].values()]
    for index, (title, row) in enumerate(result["rows"].items()):
        if index and kinds[index] != kinds[index - 1]:
            table.rule()
        table.add(
            printed_title(title, row["kind"]),
            format_with_interval(row, "accuracy"),
            format_with_interval(row["matched"], "accuracy"),
            f"{row['ties']:.1%}",
            faint=row["kind"] == TRIVIAL,
        )
    return table
