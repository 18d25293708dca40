"""Writes correlations with human judgments into READMEs and cards: `python -m training.hub.figures`.

All values come from `spaces/leaderboard/results.json`, which `python -m spaces.leaderboard.collect` writes; `make figures`
runs both. `figures.yaml` next to this file lists the sentences with such values.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from openmeva.training.benchmark.results.titles import OURS, RELEASED, TRIVIAL
from openmeva.training.benchmark.tables.further_tables import autos_tables
from openmeva.training.benchmark.tables.number_format import row_title
from openmeva.training.benchmark.tables.render import to_markdown
from openmeva.training.benchmark.tables.sections import read_published
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.files import write_text
from openmeva.training.hub.results import cell, format_correlation, read_results
from openmeva.training.paths import ROOT

FIGURES_FILE = Path(__file__).with_name("figures.yaml")
PAGES_WITH_TABLES = {"README.md", "datasets/autos/README.md"}
NUMBER = r"-?\.\d+"
_SLOT = re.compile(r"\{([^}]+)\}")
_MARKED = re.compile(r"(<!-- (agreement|autos_\w+):[^>]*-->\n).*?(<!-- /\2 -->)", re.DOTALL)
_SETS = {
    "mans_roc": "MANS-ROC ({n})",
    "mans_wp": "MANS-WP ({n})",
    "union_roc": "UNION's {n} ROC stories",
    "plot_guided_roc": "plot-guided {n}",
}
_OURS = {
    "Plot coherence (base, authors' stories)": "plot coherence `base`",
    "Plot coherence (mix, authors' stories)": "`mix`",
    "UNION": "UNION",
}
_TRIVIAL = {"distinct_1": "distinct-1", "distinct_2": "distinct-2", "distinct_3": "distinct-3"}


class FigureSentences:
    """The sentences with values in texts, from `figures.yaml`.

    Attributes:
        sentences: page, by its path from the root, to its sentences; each value is a slot `{set: row}` or
            `{set: row: coefficient}` (Pearson where none is named).
        other_sources: page to texts with values that no run of the benchmark gives, and their sources.
    """

    def __init__(self) -> None:
        content = yaml.safe_load(FIGURES_FILE.read_text(encoding="utf-8"))
        self.sentences: dict[str, list[str]] = content["sentences"]
        self.other_sources: dict[str, dict[str, str]] = content["elsewhere"]


def figure(results: Mapping[str, Any], slot: str) -> float | None:
    """The value of a slot, `set: row` or `set: row: coefficient`; `None` where no run has measured it.

    Raises:
        ValueError: an unknown set.
    """
    name, title, coefficient = (*slot.split(": "), "pearson")[:3]
    if name not in results["judged"]:
        raise ValueError(f"{slot}: expected a set among {', '.join(results['judged'])}, got {name!r}")
    judged = results["judged"][name]
    row = _row(judged, OURS, title) or _row(judged, TRIVIAL, title)
    return row.get(coefficient) if row else None


def fill_in_sentence(text: str, sentence: str, results: Mapping[str, Any]) -> str:
    """A page's text with the values of a sentence filled in; values that no run has measured are unchanged.

    Raises:
        ValueError: the sentence does not occur in the text exactly once.
    """
    matches = list(pattern(sentence).finditer(text))
    if len(matches) != 1:
        raise ValueError(f"expected once, found {len(matches)} times: {sentence!r}")
    for group, slot in reversed([*enumerate(_SLOT.findall(sentence), 1)]):
        value = figure(results, slot)
        if value is not None:
            begin, end = matches[0].span(group)
            digits = len(text[begin:end].partition(".")[2])
            text = text[:begin] + format_correlation(value, digits) + text[end:]
    return text


def pattern(sentence: str) -> re.Pattern[str]:
    """A pattern of a sentence of `FigureSentences`, with any line breaks, and a group for each value."""
    parts = [re.sub(r"(?:\\?\s)+", r"\\s+", re.escape(part)) for part in _SLOT.split(sentence)[::2]]
    return re.compile(f"({NUMBER})".join(parts))


def agreement_table(results: Mapping[str, Any]) -> str:
    """The README's table: one row per judged set; the best metric is bold if its interval is above 0."""
    head = [
        "stories",
        *_OURS.values(),
        "UNION in the papers, all stories",
        "best trivial baseline",
        "ChatGPT (released)",
    ]
    lines = [_line(head), _line(["---"] * len(head)).replace(" ", "")]
    for name, shown in _SETS.items():
        judged = results["judged"][name]
        ours = [_row(judged, OURS, title) for title in _OURS]
        best = max((row for row in ours if row), key=lambda row: row["pearson"])
        trivial = max(_rows(judged, TRIVIAL), key=lambda row: abs(row["pearson"] or 0))
        lines.append(
            _line(
                [
                    shown.format(n=judged["n"]),
                    *(_own_cell(row, row is best) for row in ours),
                    _plain_cell(_row(judged, "paper", "UNION")),
                    f"{_TRIVIAL.get(trivial['title'], trivial['title'])}, {_plain_cell(trivial)}",
                    _plain_cell(_row(judged, RELEASED, "ChatGPT as judge")),
                ]
            )
        )
    return "".join(lines)


def autos_table(results: Mapping[str, Any], name: str) -> str:
    """The benchmark's table of a part of AUTOS (OpenMEVA, Table 6 or 7), for all metrics that were measured on it.

    A row that was measured on another build of the set shows the number of that build's rows.

    Args:
        results: from `read_results`.
        name: name of the set, e.g. `autos_roc_discrimination`.

    Raises:
        ValueError: a set that has not been measured.
    """
    if name not in results["autos"]:
        raise ValueError(f"{name}: expected a set among {', '.join(results['autos'])}")
    result = results["autos"][name]
    rows = {
        row_title(row, result["n"]): {
            "kind": row["kind"],
            "aspects": {aspect: _origins(cell_values) for aspect, cell_values in row["aspects"].items()},
        }
        for row in result["rows"]
    }
    measured = {**result, "title": f"{result['title']} ({result['n']:,} rows)", "rows": rows}
    return to_markdown(next(autos_tables({name: measured}, read_published()))).replace("−", "-")


def _origins(aspect: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
    """The correlation for each origin, in the format of a benchmark run."""
    return {
        origin: {"pearson": value}
        for origin, value in aspect.get("by_origin", {"": aspect["pearson"]}).items()
    }


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n".replace("|  |", "| |")


def _own_cell(row: Mapping[str, Any] | None, best: bool) -> str:
    if row is None:
        return ""
    value, _, interval = cell(row, "pearson").partition(" ")
    ends = row["intervals"].get("pearson")
    return f"**{value}** {interval}" if best and ends and ends[0] > 0 else f"{value} {interval}"


def _plain_cell(row: Mapping[str, Any] | None) -> str:
    return format_correlation(row["pearson"], 3) if row else ""


def _rows(judged: Mapping[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    return (row for row in judged["rows"] if row["kind"] == kind)


def _row(judged: Mapping[str, Any], kind: str, title: str) -> dict[str, Any] | None:
    return next((row for row in _rows(judged, kind) if row["title"] == title), None)


def fill_in_page(page: str, text: str, results: Mapping[str, Any]) -> str:
    """A page's text with its values and, where it has markers, the tables.

    Raises:
        ValueError: a sentence of `figures.yaml` that does not occur on the page exactly once, or markers of an unknown
            table.
    """
    text = _MARKED.sub(lambda found: f"{found[1]}{_marked(results, found[2])}{found[3]}", text)
    for sentence in FigureSentences().sentences.get(page, ()):
        try:
            text = fill_in_sentence(text, sentence, results)
        except ValueError as error:
            raise ValueError(f"{page}: {error}") from error
    return text


def _marked(results: Mapping[str, Any], name: str) -> str:
    """The table for the markers of that name."""
    return agreement_table(results) if name == "agreement" else autos_table(results, name)


def write_figures(root: Path) -> None:
    """Writes the values into the pages of a checkout.

    Raises:
        ValueError: no results.
    """
    results = read_results(root)
    if results is None:
        raise ValueError("expected spaces/leaderboard/results.json, which spaces.leaderboard.collect writes")
    for page in sorted(PAGES_WITH_TABLES | FigureSentences().sentences.keys()):
        text = (root / page).read_text(encoding="utf-8")
        new = fill_in_page(page, text, results)
        if new != text:
            write_text(root / page, new)
            print(f"{page}: new figures")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    argparse.ArgumentParser(
        prog="python -m training.hub.figures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args(arguments)
    with exit_on_bad_input():
        write_figures(ROOT)


if __name__ == "__main__":
    main()
