"""A comparison of metrics, for people on a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from openmeva.training.benchmark.cells import interval, number, p_value, with_interval

COEFFICIENTS = ("pearson", "spearman", "kendall")


def show_comparison(found: Mapping[str, Any], console: Console | None = None) -> None:
    """Two tables: how close each is to people, and the best against the others."""
    console = console or Console()
    table = Table(
        title=f"{escape(str(found['judgments']))}: {found['n']} stories, {found['prompts']} prompts"
    )
    for heading in ("", *(f"{name.title()} [95 %]" for name in COEFFICIENTS)):
        table.add_column(escape(heading))
    for name, row in found["rows"].items():
        if "undefined" in row:
            continue
        cells = (with_interval(row, c) for c in COEFFICIENTS)
        table.add_row(escape(name), *map(escape, cells), style="dim" if row["kind"] == "trivial" else "")
    console.print(table)
    pairs = found["pairs"]
    paired = Table(title=f"{escape(pairs['best'])} against")
    for heading in ("", "difference of Pearson [95 %]", "bootstrap p", "Williams t", "p", "p after Holm"):
        paired.add_column(escape(heading))
    for name, test in pairs["against"].items():
        bootstrap, williams = test["bootstrap"]["pearson"], test["williams"]
        paired.add_row(
            escape(name),
            escape(f"{number(test['difference']['pearson'])} {interval(bootstrap['interval'])}"),
            p_value(bootstrap["p_value"]),
            number(williams.get("t")),
            p_value(williams.get("p_value")),
            p_value(williams.get("holm")),
        )
    console.print(paired)
