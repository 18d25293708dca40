"""Tables of scores and explanations on a terminal."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from openmeva.metrics.core.description import read_metrics
from openmeva.metrics.core.repetition import repetition_note
from openmeva.training.common.fields import story_id_of
from openmeva.training.scoring.results import MetricResult

MAX_ROWS = 100  # stories in a table
NAME, STORY = 16, 16  # widths in cells: of a name on a narrow terminal; the minimum for a story's beginning
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
MIN_GAIN = 0.01  # a sentence is marked if the score gains more without it
# the number printed before a sentence, by its key in a metric's explanation
MEANINGS = {
    "gain": "gain in score without it",
    "nll": "the mean loss of its tokens in nats, lower is better",
}


@dataclass(frozen=True)
class Column:
    """A column of numbers: its heading, their meaning, and one number per story (None if it has none)."""

    title: str
    meaning: str
    values: list[float | None]

    @property
    def mean(self) -> float | None:
        """The mean over the stories that have a number."""
        numbers = [value for value in self.values if value is not None]
        return sum(numbers) / len(numbers) if numbers else None


def show_scores(
    rows: Sequence[Mapping[str, Any]], results: Sequence[MetricResult], console: Console | None = None
) -> None:
    """Prints a table with each story's name, beginning and scores, and the mean below.

    Scores are never truncated: on a narrow terminal, headings wrap, and if that is not enough, rows wrap.
    """
    console = console or Console()
    columns = [column for result in results for column in columns_of(result)]
    names = [_printable(row_name(row, index)) for index, row in enumerate(rows[:MAX_ROWS])]
    name_width = min(max(NAME, console.width // 4), max(map(cell_len, names), default=0))
    used_width = name_width + 3 * (len(columns) + 2) + 1  # padding and border take three cells per column
    widths = _widths(columns, console.width - used_width - STORY)
    story_width = max(STORY, console.width - used_width - sum(widths))
    table = Table(show_footer=True, width=used_width + sum(widths) + story_width)
    table.add_column("", justify="right", style="dim", width=name_width, no_wrap=True)
    table.add_column("story", footer="mean", width=story_width, no_wrap=True)
    for column, width in zip(columns, widths, strict=True):
        heading_and_mean = escape(column.title), _number(column.mean)
        table.add_column(*heading_and_mean, justify="right", style="cyan", width=width, overflow="fold")
    for index, name in enumerate(names):
        beginning = " ".join(_printable(str(rows[index]["story"])[:300]).split())
        cells = (_number(column.values[index]) for column in columns)
        table.add_row(escape(name), escape(beginning), *cells)
    console.print(table, crop=False, no_wrap=True, overflow="ignore")
    if len(rows) > MAX_ROWS:
        console.print(f"… and {len(rows) - MAX_ROWS} more: give an output file to get all", style="dim")
    for column in columns:
        missing = column.values.count(None)
        missing_note = f"; {missing} of {len(rows)} stories have none" if missing else ""
        console.print(f"{escape(column.title)}: {column.meaning}{missing_note}", highlight=False)
    for result in results:
        console.print(result.signature, style="dim", soft_wrap=True, markup=False)


def _widths(columns: Sequence[Column], available: int) -> list[int]:
    """Widths of number columns: for headings on one line, one word per line, or only the numbers, as space allows."""
    numbers = [
        max(len(_number(value)) for value in (column.mean, *column.values[:MAX_ROWS])) for column in columns
    ]
    words = [max(map(len, column.title.split())) for column in columns]
    lines = [len(column.title) for column in columns]
    for headings in (lines, words):
        widths = [max(pair) for pair in zip(numbers, headings, strict=True)]
        if sum(widths) <= available:
            return widths
    return numbers


def _printable(text: str) -> str:
    """The text with spaces for what a terminal cannot print, or takes for a command: control characters, surrogates."""
    return _UNPRINTABLE.sub(" ", text)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def columns_of(result: MetricResult) -> list[Column]:
    """The columns of a metric that are shown, as its description says."""
    described = read_metrics()[result.metric].outputs
    columns = []
    for key, output in described.items():
        values = result.lists.get("score" if key == "scores" else key)
        if values is not None:
            ends = f"{output.range[0]:g} to {output.range[1]:g}, " if output.range else ""
            columns.append(Column(output.title, f"{ends}{output.better} is better", values))
    return columns


def row_name(row: Mapping[str, Any], index: int) -> str:
    """A story's name: its id, or its row number from 1."""
    return story_id_of(row) or str(index + 1)


def show_reasons(
    rows: Sequence[Mapping[str, Any]], result: MetricResult, console: Console | None = None
) -> None:
    """Prints each story's score, its sentences with their effect, and the words that the metric would change."""
    console = console or Console()
    shown: set[str] = set()
    for index, (row, reasons) in enumerate(zip(rows, result.explanations or [], strict=True)):
        score = result.lists["score"][index]
        name = escape(_printable(row_name(row, index)))
        console.print(f"[bold]{name}[/]  {result.metric} [cyan]{score:.3f}[/]", highlight=False)
        grid, kinds = _reasons(reasons)
        console.print(grid)
        console.print()
        shown |= kinds
    for kind in sorted(shown):
        console.print(f"before a sentence: {MEANINGS[kind]}", style="dim")
    console.print(result.signature, style="dim", soft_wrap=True, markup=False)


def _reasons(reasons: Mapping[str, Any]) -> tuple[Table, set[str]]:
    """A story's sentences and the metric's edits as a grid, and the keys of `MEANINGS` that occur in it."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", min_width=8)
    grid.add_column()
    shown = set()
    for sentence in reasons.get("sentences", []):
        number, kind = "", ""
        if sentence.get("gain", 0) > MIN_GAIN:
            number, kind = f"+{sentence['gain']:.3f}", "gain"
        elif sentence.get("nll") is not None:
            number, kind = _number(sentence["nll"]), "nll"
        shown |= {kind} - {""}
        grid.add_row(number, escape(_printable(sentence["text"])), style="red" if kind == "gain" else "")
    if not shown:
        grid.add_row("", "no sentence lowers its score", style="dim")
    if note := repetition_note(reasons.get("repetition", 0.0)):
        grid.add_row("", note)
    edits = [f"{edit['token']} → {edit['suggestion'] or '(delete)'}" for edit in reasons.get("edits", [])]
    if edits:
        grid.add_row("", escape(_printable(f"it would change: {', '.join(edits[:6])}")))
    return grid, shown
