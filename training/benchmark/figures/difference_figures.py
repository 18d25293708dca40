"""Figure 2 of OpenMEVA: differences in score against differences in judgment, between sets of stories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from openmeva.metrics.openmeva.differences import significant_pairs
from openmeva.training.benchmark.figures.style import detailed_titles, panel_grid, plain_axes
from openmeva.training.benchmark.tables.number_format import format_number

_REGIONS = (
    ("both significant", "#56B4E9"),
    ("human only", "#E69F00"),
    ("metric only", "#CC79A7"),
    ("neither", "#999999"),
)


def draw_differences(results: Mapping[str, Any], published: Mapping[str, Any]) -> Figure | None:
    """A panel for each of up to three metrics of each judged set that has enough stories.

    Only pairs with a positive difference in judgment are plotted; the others mirror them.
    """
    panels = [
        (result["title"], title, result["sections"][title]["score_differences"])
        for result in results["judged"].values()
        for title in detailed_titles(result, 3)
        if "score_differences" in result["sections"][title]
    ]
    if not panels:
        return None
    figure, grid = panel_grid(len(panels), (3.3, 3.1))
    for axes, (name, title, result) in zip(grid.flat, panels, strict=False):
        _panel(axes, result)
        axes.set_title(f"{title}\n{name}, r² = {format_number(result['r2'] or 0, 2)}", loc="left")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.legend(handles, labels, loc="lower center", ncols=5, frameon=False, markerscale=2)
    return figure


def _panel(axes: plt.Axes, result: Mapping[str, Any]) -> None:
    human, metric, human_significant, metric_significant = significant_pairs(result)
    regions = (
        human_significant & metric_significant,
        human_significant & ~metric_significant,
        ~human_significant & metric_significant,
        ~human_significant & ~metric_significant,
    )
    for (label, colour), chosen in zip(_REGIONS, regions, strict=True):
        keep = chosen & (human > 0)
        axes.plot(
            human[keep], metric[keep], ".", color=colour, markersize=3.5, markeredgewidth=0, label=label
        )
    if np.ptp(human) > 0:
        slope, offset = np.polyfit(human, metric, 1)
        ends = np.array([0, human.max()])
        axes.plot(ends, slope * ends + offset, color="#D55E00", linewidth=1.4, label="linear fit")
    axes.axhline(0, color="#aaaaaa", linewidth=0.7, zorder=0)
    axes.set_xlabel("difference in judgment")
    axes.set_ylabel("difference in score")
    plain_axes(axes)
