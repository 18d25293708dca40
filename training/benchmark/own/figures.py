"""The report's figures, as SVG in the page's colors and as PNG."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from openmeva.training.benchmark.figures.style import MAX_CORRELATION, fit_correlations, panel_grid
from openmeva.training.benchmark.results.autos import aspect_columns, column_labels
from openmeva.training.benchmark.results.titles import OTHER, OWN, TRIVIAL, printed_title

# Colors on white; in the page each is a CSS variable, with another value in dark mode.
COLOURS = {"ink": "#1f2328", "soft": "#57606a", "line": "#d9d6cf", "shade": "#f0eee8"}
OWN_COLOURS = ("#0b6e69", "#8a5a9e", "#b4540a", "#2b5fab")
SYSTEMS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#c98a00", "#56b4e9")
MARKERS = ("o", "s", "^", "v", "P", "X", "<", ">", "p")  # the next marker when the colors repeat
LEVELS = (
    ("all", "over all stories"),
    ("within_prompts", "within prompts"),
    ("between_systems", "between systems"),
)
_STYLE: Any = {
    "font.size": 9.5, "axes.titlesize": 10, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.labelsize": 9.5, "svg.fonttype": "none", "svg.hashsalt": "openmeva",
    "text.color": COLOURS["ink"], "axes.labelcolor": COLOURS["ink"], "axes.edgecolor": COLOURS["line"],
    "axes.titlecolor": COLOURS["ink"], "xtick.color": COLOURS["soft"], "ytick.color": COLOURS["ink"],
    "axes.facecolor": "none", "figure.facecolor": "none", "axes.grid": True, "axes.axisbelow": True,
    "grid.color": COLOURS["line"], "grid.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
    "text.parse_math": False,
}  # fmt: skip


@dataclass(frozen=True)
class ReportFigure:
    """A figure: its file name, its caption, and both renderings."""

    name: str
    caption: str
    svg: str
    png: bytes


def level_of(row: Mapping[str, Any], level: str) -> Mapping[str, Any]:
    """The coefficients of a row at a level; empty if it has none."""
    return row if level == "all" else row.get(level) or {}


def forest_plot(name: str, result: Mapping[str, Any], printed: Mapping[str, Any]) -> ReportFigure:
    """All metrics of a judged set, one panel per level: Pearson and its interval; the paper's results below."""
    rows = [(title, row) for title, row in result["rows"].items() if "undefined" not in row]
    rank = {OWN: 2, OTHER: 1, TRIVIAL: 0}
    rows.sort(key=lambda item: (rank[item[1]["kind"]], item[1]["pearson"]))
    paper = [(t, f["pearson"]) for t, f in printed.get("rows", {}).items() if "pearson" in f]
    paper.sort(key=lambda item: item[1])
    levels = [item for item in LEVELS if any("pearson" in level_of(row, item[0]) for _, row in rows)]
    with plt.rc_context(_STYLE):
        height = 0.21 * (len(rows) + len(paper)) + 1.1
        figure, grid = plt.subplots(
            1, len(levels), figsize=(2.2 + 2.5 * len(levels), height), sharey=True, squeeze=False
        )
        own = list(result["metrics"])
        for axes, (level, label) in zip(grid[0], levels, strict=True):
            for position, (title, row) in enumerate(rows, len(paper)):
                style = _own(own.index(title)) if title in own else (COLOURS["soft"], MARKERS[0])
                _point(axes, level_of(row, level), position, style, faint=row["kind"] == TRIVIAL)
            if level == "all":
                for position, (_, value) in enumerate(paper):
                    axes.plot(value, position, "D", markersize=5, mfc="none", mec=COLOURS["soft"])
                ceiling = result.get("noise_ceiling", {}).get("ceiling", {}).get("pearson")
                if ceiling is not None and ceiling < 1:
                    axes.axvspan(ceiling, MAX_CORRELATION, color=COLOURS["shade"], zorder=0, linewidth=0)
            axes.axvline(0, color=COLOURS["soft"], linewidth=0.8, zorder=1)
            if paper:
                axes.axhline(len(paper) - 0.5, color=COLOURS["line"], linewidth=1)
            axes.set_title(label)
            fit_correlations(axes, -1 if level == "between_systems" else -0.4)
            axes.set_xlabel("Pearson")
            axes.grid(visible=False, axis="y")
            axes.tick_params(axis="y", length=0)
            axes.tick_params(axis="x", labeltop=True)  # the lower end of a long figure may be out of view
        labels = [f"{title} (as printed)" for title, _ in paper] + [
            f"{printed_title(title, TRIVIAL)} (trivial)" if row["kind"] == TRIVIAL else title
            for title, row in rows
        ]
        grid[0][0].set_yticks(range(len(labels)), labels)
        for label_, title in zip(
            grid[0][0].get_yticklabels()[len(paper) :], (t for t, _ in rows), strict=True
        ):
            if title in own:
                label_.set(color=_own(own.index(title))[0], fontweight="bold")
        grid[0][0].set_ylim(-0.7, len(labels) - 0.3)
        note = f" Hollow diamonds: {printed['note']}" if paper else ""
        if paper and printed.get("stories", result["n"]) != result["n"]:
            note += f", on {printed['stories']:,} stories, which include these"
        return _picture(
            figure,
            f"forest_{name}",
            f"{result['title']}: agreement with people (Pearson, 95 % intervals); further right is better."
            + (note + "." if note else "")
            + (
                " Shaded: above the noise ceiling set by the raters' disagreement."
                if "noise_ceiling" in result
                else ""
            ),
        )


def scatter_plot(name: str, result: Mapping[str, Any]) -> ReportFigure:
    """Score against judgment, one panel per metric of the user, colored by source model."""
    titles = list(result["metrics"])
    x = np.array(result["judgments"])
    sources = result["sources"]
    systems = list(dict.fromkeys(sources)) if sources else [None]
    jitter = np.random.default_rng(0).uniform(-0.012, 0.012, len(x)) * np.ptp(x)
    with plt.rc_context(_STYLE):
        size = (5.4 if len(titles) == 1 else 4.2, 3.9)
        figure, grid = panel_grid(len(titles), size, gridspec_kw={"hspace": 0.4})
        for axes, title in zip(grid.flat, titles, strict=False):
            y = np.array(result["metrics"][title]["scores"])
            for index, system in enumerate(systems):
                chosen = (
                    np.array([source == system for source in sources]) if sources else np.ones(len(x), bool)
                )
                colour, mark = (OWN_COLOURS[0], MARKERS[0]) if system is None else _look(index, SYSTEMS)
                axes.plot(
                    (x + jitter)[chosen], y[chosen], mark, color=colour, alpha=0.5, markersize=2.5, mew=0
                )
                if system is not None:
                    axes.plot(
                        x[chosen].mean(), y[chosen].mean(), mark, color=colour, markersize=9,
                        mec=COLOURS["ink"], label=system,
                    )  # fmt: skip
            axes.set(title=title, xlabel="people's mean rating", ylabel="score (higher is better)")
        if sources:
            grid[-1][0].legend(
                loc="upper left", bbox_to_anchor=(0, -0.17), ncols=3, frameon=False, fontsize=8.5
            )
        return _picture(
            figure,
            f"scatter_{name}",
            f"{result['title']}: each dot is a story"
            + (", each large point the mean of one system's stories" if sources else "")
            + ". With a good metric, scores rise from left to right"
            + (", also among the dots of one system." if sources else "."),
        )


def drift_plot(judged: Mapping[str, Any]) -> ReportFigure | None:
    """The user's metrics on every judged set, and on each system's stories in it."""
    lines: list[tuple[str, bool, dict[str, Mapping[str, Any]]]] = []
    titles = list(dict.fromkeys(title for result in judged.values() for title in result["metrics"]))
    for result in judged.values():
        lines.append((f"{result['title']} (n = {result['n']})", True, dict(result["rows"])))
        parts = {title: metric.get("by_source", {}) for title, metric in result["metrics"].items()}
        for source in dict.fromkeys(name for cells in parts.values() for name in cells):
            cells = {title: cells[source] for title, cells in parts.items() if source in cells}
            lines.append((f"{source} (n = {next(iter(cells.values()))['n']})", False, cells))
    if len(lines) < 2:
        return None
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 0.3 * len(lines) + 1.0))
        for position, (_, _, cells) in enumerate(reversed(lines)):
            for offset, title in enumerate(titles):
                offset_position = position - 0.14 * (offset - (len(titles) - 1) / 2)
                _point(axes, cells.get(title, {}), offset_position, _own(offset))
        axes.set_yticks(range(len(lines)), [label for label, _, _ in reversed(lines)])
        for label_, (_, is_whole_set, _) in zip(axes.get_yticklabels(), reversed(lines), strict=True):
            label_.set(
                fontweight="bold" if is_whole_set else "normal",
                color=COLOURS["ink" if is_whole_set else "soft"],
            )
        axes.axvline(0, color=COLOURS["soft"], linewidth=0.8, zorder=1)
        axes.set(xlabel="Pearson over all stories", ylim=(-0.7, len(lines) - 0.3))
        axes.grid(visible=False, axis="y")
        fit_correlations(axes)
        _legend(axes, titles)
        return _picture(
            figure,
            "drift",
            "Agreement on each set (bold) and on the stories of each system in it, with 95 % intervals. Further right is "
            "better. Points close together mean that the metric does not depend on the kind of story.",
        )


def aspect_plot(name: str, result: Mapping[str, Any], printed: Mapping[str, Any]) -> ReportFigure:
    """AUTOS: the correlation with the label, by aspect."""
    own = [title for title, row in result["rows"].items() if row["kind"] == OWN]
    columns, cells = aspect_columns(result, printed["columns"])
    labels = column_labels(columns)
    figures = printed[result["corpus"]].get("UNION", [])
    union = dict(zip(printed["columns"], figures, strict=True)) if figures else {}
    invariance = result["test"] == "invariance"
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(6.4, 0.34 * len(columns) + 1.1))
        for position, column in enumerate(reversed(columns)):
            if column in union:
                axes.plot(union[column], position, "D", markersize=5.5, mfc="none", mec=COLOURS["soft"])
            for offset, title in enumerate(own):
                offset_position = position - 0.14 * (offset - (len(own) - 1) / 2)
                _point(axes, cells[title].get(column, {}), offset_position, _own(offset))
        axes.set_yticks(range(len(columns)), [labels[column] for column in reversed(columns)])
        axes.axvline(0, color=COLOURS["soft"], linewidth=0.8, zorder=1)
        axes.set(xlabel="Pearson with the label (1 original, 0 perturbed)")
        axes.grid(visible=False, axis="y")
        fit_correlations(axes)
        _legend(axes, own)
        aim = (
            "Harmless changes: near 0 is good; further right, the metric penalizes them as if they were damage."
            if invariance
            else "Damage: further right is better; at 0 the metric does not notice it."
        )
        note = f" Hollow diamonds: UNION in the paper ({printed['note']}), on other stories." if union else ""
        return _picture(figure, f"profile_{name}", f"{result['title']}. {aim}{note}")


def _look(index: int, colours: Sequence[str]) -> tuple[str, str]:
    """The color and the marker of the first, second, … series; no two series share both."""
    return colours[index % len(colours)], MARKERS[index // len(colours) % len(MARKERS)]


def _own(index: int) -> tuple[str, str]:
    return _look(index, OWN_COLOURS)


def _point(
    axes: Axes, cell: Mapping[str, Any], position: float, style: tuple[str, str], faint: bool = False
) -> None:
    """Draws a coefficient with its interval, if there is one."""
    colour, mark = style
    value = cell.get("pearson")
    if value is None:
        return
    ends = (cell.get("intervals") or {}).get("pearson")
    if ends:
        axes.plot(ends, [position, position], color=colour, linewidth=1.6, alpha=0.4 if faint else 0.7)
    axes.plot(value, position, mark, color=colour, markersize=4 if faint else 5)


def _legend(axes: Axes, titles: Sequence[str]) -> None:
    if len(titles) > 1:
        styles = [_own(index) for index in range(len(titles))]
        handles = [
            axes.plot([], [], mark, color=colour, label=title)[0]
            for (colour, mark), title in zip(styles, titles, strict=True)
        ]
        axes.legend(  # above the axes: inside, it would hide points
            handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=8.5
        )


def _picture(figure: Figure, name: str, caption: str) -> ReportFigure:
    png, svg = io.BytesIO(), io.BytesIO()
    try:
        figure.savefig(png, format="png", dpi=150, bbox_inches="tight", facecolor="white")
        figure.savefig(svg, format="svg", bbox_inches="tight", metadata={"Date": None})
    finally:
        plt.close(figure)
    text = svg.getvalue().decode()
    text = text[text.index("<svg") :]
    for key, colour in {
        **COLOURS,
        **{f"own{k}": own_colour for k, own_colour in enumerate(OWN_COLOURS)},
    }.items():
        text = text.replace(colour, f"var(--{key})")
    return ReportFigure(re.sub(r"[^\w.-]", "_", name), caption, text, png.getvalue())
