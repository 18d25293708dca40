"""Scores, reasons and comparisons, for people on a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from openmeva.metrics.core.command import Scored
from openmeva.metrics.core.description import read_metrics

SHOWN = 100  # stories of a table
LEAST_GAIN = 0.01  # what a sentence has to cost to be marked


@dataclass(frozen=True)
class Column:
    """A column of numbers: its heading, what they mean, and a number a story, None where it has none."""

    title: str
    meaning: str
    values: list[float | None]

    @property
    def mean(self) -> float | None:
        """Of the stories that have a number."""
        known = [value for value in self.values if value is not None]
        return sum(known) / len(known) if known else None


def show_scores(
    rows: Sequence[Mapping[str, Any]], found: Sequence[Scored], console: Console | None = None
) -> None:
    """A table: which story, how it begins, and its scores; the mean below."""
    console = console or Console()
    table = Table(show_footer=True)
    table.add_column("", justify="right", style="dim")
    table.add_column("story", footer="mean", no_wrap=True, overflow="ellipsis", ratio=1)
    columns = [column for one in found for column in columns_of(one)]
    for column in columns:
        table.add_column(escape(column.title), _number(column.mean), justify="right", style="cyan")
    for place, row in enumerate(rows[:SHOWN]):
        beginning = " ".join(str(row["story"])[:300].split())
        cells = (_number(column.values[place]) for column in columns)
        table.add_row(name_of(row, place), escape(beginning), *cells)
    console.print(table)
    if len(rows) > SHOWN:
        console.print(f"… and {len(rows) - SHOWN} more: name a file to write all to", style="dim")
    for column in columns:
        missing = column.values.count(None)
        without = f"; {missing} of {len(rows)} stories have none" if missing else ""
        console.print(f"{escape(column.title)}: {column.meaning}{without}", highlight=False)
    for one in found:
        console.print(one.signature, style="dim", soft_wrap=True, markup=False)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def columns_of(one: Scored) -> list[Column]:
    """The numbers of a metric that people are shown, as its description says."""
    described = read_metrics()[one.metric].outputs
    found = []
    for key, output in described.items():
        values = one.lists.get("score" if key == "scores" else key)
        if values is not None:
            ends = f"{output.range[0]:g} to {output.range[1]:g}, " if output.range else ""
            found.append(Column(output.title, f"{ends}{output.better} is better", values))
    return found


def name_of(row: Mapping[str, Any], place: int) -> str:
    """What a story is called: its id, or its place from 1."""
    return str(row.get("story_id", row.get("id", place + 1)))


def show_reasons(rows: Sequence[Mapping[str, Any]], found: Scored, console: Console | None = None) -> None:
    """A story after the other: its score, the sentences that cost it, and the words that the metric would change."""
    console = console or Console()
    for place, (row, reasons) in enumerate(zip(rows, found.explanations or [], strict=True)):
        score = found.lists["score"][place]
        name = escape(name_of(row, place))
        console.print(f"[bold]{name}[/]  {found.metric} [cyan]{score:.3f}[/]", highlight=False)
        console.print(_reasons(reasons))
        console.print()
    console.print("before a sentence: what the score would gain without it", style="dim")
    console.print(found.signature, style="dim", soft_wrap=True, markup=False)


def _reasons(reasons: Mapping[str, Any]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", min_width=8)
    grid.add_column()
    costly = 0
    for sentence in reasons.get("sentences", []):
        costs = sentence["gain"] > LEAST_GAIN
        costly += costs
        gain = f"+{sentence['gain']:.3f}" if costs else ""
        grid.add_row(gain, escape(sentence["text"]), style="red" if costs else "")
    if not costly:
        grid.add_row("", "no sentence costs it", style="dim")
    edits = [f"{edit['token']} → {edit['suggestion'] or '(delete)'}" for edit in reasons.get("edits", [])]
    if edits:
        grid.add_row("", escape(f"it would change: {', '.join(edits[:6])}"))
    return grid
