"""Colors and fonts of the report's figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from openmeva.training.benchmark.results.titles import OURS, RELEASED, TRIVIAL

# Okabe and Ito's palette, which is safe for color blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
KIND_COLOURS = {OURS: "#0072B2", RELEASED: "#555555", TRIVIAL: "#D55E00"}
PANELS_PER_ROW = 4
MAX_CORRELATION = 1.03  # end of correlation axes, so that a point at 1 is not clipped


def figure_style() -> Any:
    """Settings for `matplotlib.rc_context`, whose type lists every possible key."""
    return {
        "font.size": 9,
        "axes.titlesize": 9.5,
        "axes.titleweight": "bold",
        "axes.labelsize": 9,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8.5,
        "figure.dpi": 100,
    }


def detailed_titles(result: Mapping[str, Any], most: int) -> list[str]:
    """The metrics in the detailed figures of a set: ours, then the strongest released ones; at most `most`."""
    rows = result["rows"]
    defined = [title for title in result["sections"] if "undefined" not in rows.get(title, {"undefined": ""})]
    rank = {OURS: 0, RELEASED: 1}
    return sorted(defined, key=lambda title: (rank[rows[title]["kind"]], -rows[title]["pearson"]))[:most]


def panel_grid(panels: int, size: tuple[float, float], **options: Any) -> tuple[Figure, np.ndarray]:
    """A figure, and its grid of panels, at most four in a row; panels left over in the last row are removed.

    Args:
        panels: number of panels.
        size: width and height of a panel in inches.
        options: of `subplots`.
    """
    across = min(PANELS_PER_ROW, panels)
    down = -(-panels // across)
    figsize = (size[0] * across, size[1] * down)
    figure, grid = plt.subplots(down, across, figsize=figsize, squeeze=False, **options)
    for axes in grid.flat[panels:]:
        axes.remove()
    return figure, grid


def plain_axes(axes: Axes, grid: str | None = None) -> None:
    """Drop the frame's upper and right side, and draw a light grid along `grid` (x or y)."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#aaaaaa")
    axes.tick_params(color="#aaaaaa")
    if grid in ("x", "y"):
        axes.grid(axis=grid, color="#e6e6e6", linewidth=0.7)  # type: ignore[arg-type]
        axes.set_axisbelow(True)


def fit_correlations(axes: Axes, lowest: float = -0.4) -> None:
    """Sets the limits of a correlation axis: from `lowest`, or from points further left, to `MAX_CORRELATION`."""
    drawn = [float(x) for line in axes.get_lines() for x in np.ravel(line.get_xdata())]
    axes.set_xlim(min([lowest, *(x - 0.05 for x in drawn)]), MAX_CORRELATION)
