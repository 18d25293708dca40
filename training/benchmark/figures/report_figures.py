"""The figures of the report, drawn by matplotlib without a display."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from openmeva.training.benchmark.figures.aspect_figures import draw_aspects
from openmeva.training.benchmark.figures.difference_figures import draw_differences
from openmeva.training.benchmark.figures.style import (
    COLOURS,
    KIND_COLOURS,
    MAX_CORRELATION,
    detailed_titles,
    figure_style,
    fit_correlations,
    panel_grid,
    plain_axes,
)
from openmeva.training.benchmark.results.titles import OURS, RELEASED, TRIVIAL, metric_of, printed_title
from openmeva.training.benchmark.tables.level_tables import ROW_KINDS
from openmeva.training.benchmark.tables.number_format import format_number
from openmeva.training.files import atomic_replace

Results = Mapping[str, Any]


def write_figures(results: Results, published: Mapping[str, Any], folder: Path) -> list[tuple[Path, str]]:
    """Draw every figure that the results allow into `folder`; path and caption of each, overview first."""
    drawers: dict[str, tuple[Callable[[Results, Mapping[str, Any]], Figure | None], str]] = {
        "overview": (
            draw_overview,
            "Pearson correlation with human judgments, pooled over stories, and its 95 % interval (bootstrap over prompts). Hollow "
            "diamonds: the papers' results on their whole sets. Dotted: the strongest trivial baseline. Shaded: "
            "above the noise ceiling of the raters.",
        ),
        "scatter": (
            draw_scatter,
            "Metric score against mean human judgment; the line connects the means of quintiles.",
        ),
        "differences": (
            draw_differences,
            "Differences between sets of 200 stories, in judgment and in score (OpenMEVA, Figure 2).",
        ),
        "sources": (draw_sources, "Human judgments by source model (OpenMEVA, Figure 3)."),
        "quality_drift": (
            draw_quality,
            "Pearson on sets biased to low (1) and high (8) quality, mean and standard deviation of 200 samples (UNION, "
            "section 4.4).",
        ),
        "aspects": (draw_aspects, "AUTOS: Pearson with the label, by aspect (OpenMEVA, Tables 6 and 7)."),
    }
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with plt.rc_context(figure_style()):
        for name, (draw, caption) in drawers.items():
            figure = draw(results, published)
            if figure is None:
                continue
            path = folder / f"{name}.png"
            with atomic_replace(path) as temporary:
                figure.savefig(temporary, format="png", dpi=150, bbox_inches="tight")
            plt.close(figure)
            written.append((path, caption))
    return written


def draw_overview(results: Results, published: Mapping[str, Any]) -> Figure | None:
    """One row per metric, one panel per judged set."""
    sets = results["judged"]
    if not sets:
        return None
    heights = {name: len(_ordered(result)) + 1 for name, result in sets.items()}
    # Two columns, filled so that both are about equally long.
    columns: list[list[str]] = [[], []]
    for name in sorted(sets, key=lambda set_name: -heights[set_name]):
        min(columns, key=lambda names: sum(map(heights.__getitem__, names))).append(name)
    columns = [names for names in columns if names]
    longest = max(sum(heights[set_name] + 2 for set_name in names) for names in columns)
    figure = plt.figure(figsize=(6.6 * len(columns), 0.24 * longest + 0.4))
    outer = figure.add_gridspec(1, len(columns), wspace=0.75)
    for column, names in enumerate(columns):
        rows = [heights[set_name] for set_name in names]
        # A blank row keeps panels of a short column as tall as those of the long one.
        blank = max(0.001, longest - sum(height + 2 for height in rows))
        inner = outer[column].subgridspec(len(names) + 1, 1, height_ratios=[*rows, blank], hspace=0.35)
        for row, name in enumerate(names):
            axes = figure.add_subplot(inner[row])
            _forest(axes, name, sets[name], published)
            if row == len(names) - 1:
                axes.set_xlabel("Pearson")
    handles = [
        Line2D([], [], color=KIND_COLOURS[kind], marker="o", markersize=5, label=label)
        for kind, label in ROW_KINDS
    ]
    handles.append(
        Line2D(
            [], [], color="none", marker="D", markeredgecolor="#555555", markersize=6.5, label="in the paper"
        )
    )
    figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 0.03), ncols=4, frameon=False)
    return figure


def _ordered(result: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    rank = {TRIVIAL: 0, RELEASED: 1, OURS: 2}
    rows = [(title, row) for title, row in result["rows"].items() if "undefined" not in row]
    return sorted(
        rows, key=lambda title_and_row: (rank[title_and_row[1]["kind"]], title_and_row[1]["pearson"])
    )


def _forest(axes: plt.Axes, name: str, result: Mapping[str, Any], published: Mapping[str, Any]) -> None:
    rows = _ordered(result)
    printed = published["correlations"].get(name, {"rows": {}})["rows"]
    for position, (title, row) in enumerate(rows):
        low, high = row["intervals"]["pearson"] or (row["pearson"], row["pearson"])
        colour = KIND_COLOURS[row["kind"]]
        axes.plot([low, high], [position, position], color=colour, linewidth=1.6, alpha=0.75)
        axes.plot(row["pearson"], position, "o", color=colour, markersize=5)
        figure = printed.get(metric_of(title), {}).get("pearson")
        if figure is not None and row["kind"] != TRIVIAL:
            axes.plot(
                figure, position, "D", markersize=6.5, markerfacecolor="none", markeredgecolor="#555555"
            )
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    trivial = [abs(row["pearson"]) for _, row in rows if row["kind"] == TRIVIAL]
    if trivial:
        axes.axvline(max(trivial), color=KIND_COLOURS[TRIVIAL], linewidth=0.9, linestyle=":", zorder=0)
    ceiling = result.get("noise_ceiling", {}).get("ceiling", {}).get("pearson", 1)
    if ceiling < 1:
        axes.axvspan(ceiling, MAX_CORRELATION, color="#eeeeee", zorder=0, linewidth=0)
    axes.set_yticks(range(len(rows)), [printed_title(title, row["kind"]) for title, row in rows])
    for label, (_, row) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(KIND_COLOURS[row["kind"]])
        label.set_fontweight("bold" if row["kind"] == OURS else "normal")
    axes.set_ylim(-0.7, len(rows) - 0.3)
    fit_correlations(axes)
    axes.set_title(f"{result['title']} (n = {result['n']})", loc="left")
    plain_axes(axes, grid="x")


def draw_scatter(results: Results, published: Mapping[str, Any]) -> Figure | None:
    """Score against judgment for up to three metrics of each set."""
    panels = [
        (result, title) for result in results["judged"].values() for title in detailed_titles(result, 3)
    ]
    if not panels:
        return None
    figure, grid = panel_grid(len(panels), (3.3, 3.2))
    rng = np.random.default_rng(0)
    for axes, (result, title) in zip(grid.flat, panels, strict=False):
        x, y = np.array(result["judgments"]), np.array(result["scores"][title])
        jitter = rng.uniform(-0.012, 0.012, len(x)) * np.ptp(x)
        axes.plot(x + jitter, y, ".", color=COLOURS[0], alpha=0.3, markersize=4, markeredgewidth=0)
        fifths = np.array_split(np.argsort(x, kind="stable"), 5)
        means = np.array([[x[k].mean(), y[k].mean()] for k in fifths])
        axes.plot(*means.T, "o-", color=COLOURS[1], markersize=4)
        axes.set_title(
            f"{title}\n{result['title']}, r = {format_number(result['rows'][title]['pearson'], 2)}",
            loc="left",
        )
        axes.set_xlabel("human judgment")
        axes.set_ylabel("metric score")
        plain_axes(axes)
    figure.tight_layout()
    return figure


def draw_sources(results: Results, published: Mapping[str, Any]) -> Figure | None:
    """Box plots of the human judgments by source model."""
    panels = [result for result in results["judged"].values() if "sources" in result]
    if not panels:
        return None
    counts = [len(result["sources"]["boxes"]) for result in panels]
    figure, grid = plt.subplots(
        1, len(panels), figsize=(0.75 * sum(counts) + 1.2 * len(panels), 3.2), squeeze=False,
        gridspec_kw={"width_ratios": counts},
    )  # fmt: skip
    for axes, result in zip(grid.flat, panels, strict=True):
        boxes = dict(
            sorted(result["sources"]["boxes"].items(), key=lambda name_and_box: name_and_box[1]["mean"])
        )
        axes.bxp(
            [
                {"label": name, "med": box["median"], "q1": box["q1"], "q3": box["q3"],
                 "whislo": box["min"], "whishi": box["max"], "mean": box["mean"]}
                for name, box in boxes.items()
            ],
            showfliers=False, showmeans=True, patch_artist=True, widths=0.55,
            boxprops={"facecolor": COLOURS[0] + "44", "edgecolor": COLOURS[0]},
            medianprops={"color": COLOURS[0], "linewidth": 2},
            whiskerprops={"color": COLOURS[0]}, capprops={"color": COLOURS[0]},
            meanprops={"marker": "D", "markerfacecolor": COLOURS[1], "markeredgecolor": "none", "markersize":
            5},
        )  # fmt: skip
        axes.set_title(result["title"], loc="left")
        axes.set_ylabel("human judgment")
        axes.tick_params(axis="x", rotation=25)
        plain_axes(axes, grid="y")
    figure.tight_layout()
    return figure


def draw_quality(results: Results, published: Mapping[str, Any]) -> Figure | None:
    """Pearson over the eight biased sets."""
    panels = [result for result in results["judged"].values() if detailed_titles(result, 4)]
    if not panels:
        return None
    figure, grid = plt.subplots(1, len(panels), figsize=(3.2 * len(panels), 3), squeeze=False, sharey=True)
    for axes, result in zip(grid.flat, panels, strict=True):
        for colour, title in zip(COLOURS, detailed_titles(result, 4), strict=False):
            sets = [
                point for point in result["sections"][title]["quality_drift"] if point["pearson"] is not None
            ]
            x = np.array([point["set"] for point in sets])
            y = np.array([point["pearson"] for point in sets])
            deviation = np.array([point["sd"] or 0.0 for point in sets])
            axes.plot(x, y, "o-", color=colour, markersize=4, label=title)
            axes.fill_between(x, y - deviation, y + deviation, color=colour, alpha=0.13, linewidth=0)
        axes.axhline(0, color="#999999", linewidth=0.8)
        axes.set_title(result["title"], loc="left")
        axes.set_xlabel("biased set: low to high quality")
        axes.legend(frameon=False, fontsize=7.5)
        plain_axes(axes, grid="y")
    grid[0][0].set_ylabel("Pearson")
    figure.tight_layout()
    return figure
