"""One table, three renderings: Markdown, LaTeX, and the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import rich.table
from rich.markup import escape

# Characters with a meaning in Markdown, but not the brackets of intervals, `_` within a name or `<` before a number.
_MARKS = re.compile(r"[\\`*|~#]|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<!\w)_|_(?!\w)|(?<=\])(?=[(:\[])|^[>+-](?=\s)")


@dataclass
class Table:
    """Text cells under a title.

    Attributes:
        title: what the table shows.
        columns: headings; the first column holds the row names.
        rows: cells, as many as columns.
        note: explanation printed below.
        rules: indices in `rows` before which a rule is drawn.
        faint: indices of rows that are only for comparison.
    """

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    note: str = ""
    rules: set[int] = field(default_factory=set)
    faint: set[int] = field(default_factory=set)

    def add(self, *cells: str, faint: bool = False) -> None:
        """Append a row.

        Raises:
            ValueError: the number of cells differs from that of the columns.
        """
        if len(cells) != len(self.columns):
            raise ValueError(f"{self.title}: expected {len(self.columns)} cells, got {len(cells)}")
        if faint:
            self.faint.add(len(self.rows))
        self.rows.append(list(cells))

    def rule(self) -> None:
        """Draw a rule before the next row."""
        if self.rows:
            self.rules.add(len(self.rows))


def to_markdown(table: Table) -> str:
    """A pipe table under a heading; an empty row stands for a rule.

    A note may contain Markdown; all other text is escaped by `plain`.

    >>> print(to_markdown(Table("T", ["a", "b"], [["x", "1"]])))
    ### T
    <BLANKLINE>
    | a | b |
    |:--|--:|
    | x | 1 |
    <BLANKLINE>
    """
    lines = [f"### {plain(table.title)}", "", "| " + " | ".join(map(plain, table.columns)) + " |"]
    lines.append("|:--|" + "--:|" * (len(table.columns) - 1))
    for place, row in enumerate(table.rows):
        if place in table.rules:
            lines.append("|" + " |" * len(table.columns))
        cells = [plain(cell) for cell in row]
        if place in table.faint:
            cells = [f"*{cell}*" if cell else "" for cell in cells]
        lines.append("| " + " | ".join(cells) + " |")
    if table.note:
        lines += ["", table.note]
    return "\n".join([*lines, ""])


def plain(text: str) -> str:
    r"""Text on one line, escaped so that Markdown shows it literally.

    >>> print(plain("a|b <i> *c* [d](e) d_1 [.28, .45] <.001"))
    a\|b \<i> \*c\* [d]\(e) d_1 [.28, .45] <.001
    """
    return _MARKS.sub(r"\\\g<0>", re.sub(r"\s*[\r\n]\s*", " ", text))


def to_latex(table: Table) -> str:
    """A `table` environment with booktabs rules.

    >>> print(to_latex(Table("A_b", ["a", "b"], [["x", "-1"]])).splitlines()[6])
    x & $-$1 \\\\
    """
    lines = ["\\begin{table}", "\\centering", "\\begin{tabular}{l" + "r" * (len(table.columns) - 1) + "}"]
    lines += ["\\toprule", _row(map(_escape, table.columns)), "\\midrule"]
    for place, row in enumerate(table.rows):
        if place in table.rules:
            lines.append("\\midrule")
        cells = [_escape(cell) for cell in row]
        if place in table.faint:
            cells = [f"\\textit{{{cell}}}" if cell else "" for cell in cells]
        lines.append(_row(cells))
    caption = _escape(f"{table.title}. {table.note}" if table.note else table.title)
    return "\n".join(
        [*lines, "\\bottomrule", "\\end{tabular}", f"\\caption{{{caption}}}", "\\end{table}", ""]
    )


def _row(cells: Iterable[str]) -> str:
    """A row of a tabular. LaTeX would read a leading `[` or `*` as an argument of the command before it."""
    line = " & ".join(cells) + " \\\\"
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def to_terminal(table: Table) -> rich.table.Table:
    """A table for `rich.print`."""
    shown = rich.table.Table(
        title=escape(table.title), caption=escape(table.note) or None, title_justify="left"
    )
    for place, column in enumerate(table.columns):
        shown.add_column(escape(column), justify="left" if place == 0 else "right", no_wrap=place == 0)
    for place, row in enumerate(table.rows):
        if place in table.rules:
            shown.add_section()
        shown.add_row(*map(escape, row), style="dim" if place in table.faint else None)
    return shown


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "†": r"$\dagger$",
    "²": "$^2$", "α": r"$\alpha$", "κ": r"$\kappa$", "τ": r"$\tau$", "ρ": r"$\rho$", "Δ": r"$\Delta$",
    "–": "--", "±": r"$\pm$", "≤": r"$\le$", "‡": r"$\ddagger$", "·": r"$\cdot$", "’": "'",
}  # fmt: skip


def _escape(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return (
        "$-$" + escaped[1:]
        if escaped[:1] == "-" and escaped[1:2].isdigit() | (escaped[1:2] == ".")
        else escaped
    )
