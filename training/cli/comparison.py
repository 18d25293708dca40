"""A comparison of metrics, for people on a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

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
        cells = (f"{row[c]:.3f} {_interval(row.get('intervals', {}).get(c))}" for c in COEFFICIENTS)
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
            escape(f"{test['difference']['pearson']:.3f} {_interval(bootstrap['interval'])}"),
            _number(bootstrap["p_value"]),
            _number(williams.get("t")),
            _number(williams.get("p_value")),
            _number(williams.get("holm")),
        )
    console.print(paired)


def _interval(ends: Any) -> str:
    return f"[{ends[0]:.2f}, {ends[1]:.2f}]" if ends else ""


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
