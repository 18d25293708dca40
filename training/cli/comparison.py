"""A comparison of metrics as tables on a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from openmeva.metrics.openmeva.comparison import SIGNIFICANCE
from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.training.benchmark.results.titles import OURS, TRIVIAL
from openmeva.training.benchmark.results.verdicts import UNCLEAR
from openmeva.training.benchmark.tables.number_format import (
    few_prompts_note,
    format_interval,
    format_number,
    format_p_value,
    format_with_interval,
)

# key in a row: the question that the level answers; the first level is the row itself
QUESTIONS = {
    "": "pooled: does a higher score mean a better story, whatever the prompt?",
    "within_prompts": "mean over prompts: which of the stories for one prompt is better?",
    "between_systems": "between systems: which system writes better stories?",
}


def show_comparison(comparison: Mapping[str, Any], console: Console | None = None) -> None:
    """Prints agreement with human judgments, one table per level, and tests of the best against the others."""
    console = console or Console()
    title = f"{comparison['judgments']}: {comparison['n']} stories, {comparison['prompts']} prompts"
    for level, meaning in QUESTIONS.items():
        _show_level(level, f"{title}; {meaning}", comparison["rows"], console)
    pairs = comparison["pairs"]
    coefficient = pairs["coefficient"]
    paired = Table(title=f"{escape(pairs['best'])} against each other metric (p after Holm's correction)")
    headings = ["", f"difference of {coefficient.title()} [95 %]", "bootstrap p", "PERM-BOTH p"]
    if coefficient == "pearson":
        headings += ["Williams t", "Williams p"]
    for heading in headings:
        paired.add_column(escape(heading), overflow="fold")
    for name, test in pairs["against"].items():
        bootstrap, permutation, williams = (
            test["bootstrap"][coefficient],
            test["permutation"],
            test["williams"],
        )
        cells = [
            f"{format_number(test['difference'][coefficient])} {format_interval(bootstrap['interval'])}",
            *(format_p_value(p_values["holm"]) for p_values in (bootstrap, permutation)),
        ]
        if coefficient == "pearson":
            cells += [format_number(williams.get("t")), format_p_value(williams.get("holm"))]
        paired.add_row(escape(name), *map(escape, cells))
    console.print(paired)
    for name, test in pairs["against"].items():
        clearly = "not clearly" if test["verdict"] == UNCLEAR else "clearly"
        console.print(
            f"{escape(pairs['best'])} is {clearly} closer to people than {escape(name)}.", highlight=False
        )
    console.print(
        f"A difference is clear if bootstrap p and PERM-BOTH p are both below {format_number(SIGNIFICANCE, 2)}.",
        highlight=False,
    )
    for name, row in comparison["rows"].items():
        ends = (row.get("intervals") or {}).get(coefficient)
        if row["kind"] == OURS and ends and ends[1] < 0:
            console.print(
                f"Note: {escape(name)} ranks stories opposite to people. If lower is better, use --lower-is-better.",
                highlight=False,
            )
    if len(pairs["against"]) > 1:
        console.print(
            "Note: the best metric was chosen on the same stories; the more metrics there are, the more this favors it.",
            highlight=False,
        )
    if few := few_prompts_note(comparison["prompts"]):
        console.print(f"Note: {few}.", highlight=False)


def _show_level(level: str, title: str, rows: Mapping[str, Any], console: Console) -> None:
    """Prints one row per metric at one level; nothing if no row has that level."""
    table = Table(title=escape(title), title_justify="left")
    for heading in ("", *(f"{name.title()} [95 %]" for name in COEFFICIENTS)):
        table.add_column(escape(heading), overflow="fold")
    for name, row in rows.items():
        values = row.get(level, {}) if level else row
        if COEFFICIENTS[0] in values:
            cells = (format_with_interval(values, c) for c in COEFFICIENTS)
            table.add_row(escape(name), *map(escape, cells), style="dim" if row["kind"] == TRIVIAL else "")
    if table.row_count:
        console.print(table)
