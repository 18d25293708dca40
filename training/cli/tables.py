"""Scores, reasons and comparisons, for people on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from openmeva.metrics.core.command import Scored

SHOWN = 100  # stories of a table
LEAST_GAIN = 0.01  # what a sentence has to cost to be marked
LIKELY = 0.5  # the least probability of a kind of error that is named


def show_scores(
    rows: Sequence[Mapping[str, Any]], found: Sequence[Scored], console: Console | None = None
) -> None:
    """A table: which story, how it begins, and its scores; the mean below."""
    console = console or Console()
    table = Table(show_footer=True)
    table.add_column("", justify="right", style="dim")
    table.add_column("story", footer="mean", no_wrap=True, overflow="ellipsis", ratio=1)
    columns = []
    for one in found:
        for key, values in scores_of(one).items():
            heading = one.metric if key == "score" else f"{one.metric} {key}" if len(found) > 1 else key
            table.add_column(heading, f"{sum(values) / len(values):.3f}", justify="right", style="cyan")
            columns.append(values)
    for place, row in enumerate(rows[:SHOWN]):
        beginning = " ".join(str(row["story"])[:300].split())
        cells = (f"{values[place]:.3f}" for values in columns)
        table.add_row(name_of(row, place), escape(beginning), *cells)
    console.print(table)
    if len(rows) > SHOWN:
        console.print(f"… and {len(rows) - SHOWN} more: name a file to write all to", style="dim")
    for one in found:
        console.print(one.signature, style="dim", soft_wrap=True, markup=False)


def scores_of(one: Scored) -> dict[str, list[float]]:
    """A metric's lists of numbers: `score` alone where it has one, else all of them."""
    if "score" in one.lists:
        return {"score": one.lists["score"]}
    return {
        key.removesuffix("_scores"): values
        for key, values in one.lists.items()
        if all(isinstance(value, int | float) for value in values)
    }


def name_of(row: Mapping[str, Any], place: int) -> str:
    """What a story is called: its id, or its place from 1."""
    return str(row.get("story_id", row.get("id", place + 1)))


def show_reasons(rows: Sequence[Mapping[str, Any]], found: Scored, console: Console | None = None) -> None:
    """A story after the other: its score, the sentences that cost it, and what kinds of errors are likely."""
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
    kinds = {kind: value for kind, value in reasons.get("kinds", {}).items() if value >= LIKELY}
    if kinds:
        said = ", ".join(f"{kind.replace('_', ' ')} ({value:.2f})" for kind, value in kinds.items())
        grid.add_row("", f"likely: {said}", style="yellow")
    edits = [f"{edit['token']} → {edit['suggestion'] or '(delete)'}" for edit in reasons.get("edits", [])]
    if edits:
        grid.add_row("", escape(f"it would change: {', '.join(edits[:6])}"))
    return grid
