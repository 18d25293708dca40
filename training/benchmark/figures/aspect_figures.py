"""A heat map of AUTOS aspects by metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from openmeva.training.benchmark.results.autos import aspect_columns
from openmeva.training.benchmark.results.titles import printed_title
from openmeva.training.benchmark.tables.number_format import format_number


def draw_aspects(results: Mapping[str, Any], published: Mapping[str, Any]) -> Figure | None:
    """One heat map per test: Pearson of each row (metrics, then trivial baselines) with the label, by aspect and
    origin."""
    if not results["autos"]:
        return None
    maps = [(name, *_matrix(result, published)) for name, result in results["autos"].items()]
    heights = [len(rows) + 2.5 for _, rows, _, _ in maps]
    widest = max(len(columns) for _, _, columns, _ in maps)
    figure, grid = plt.subplots(
        len(maps), 1, figsize=(0.85 * widest + 2.5, 0.42 * sum(heights)), squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )  # fmt: skip
    for axes, (name, rows, columns, values) in zip(grid.flat, maps, strict=True):
        axes.imshow(values, cmap="RdBu", vmin=-0.8, vmax=0.8, aspect="auto")
        axes.set_xticks(range(len(columns)), [c.replace("_", " ").replace(" ", "\n") for c in columns])
        axes.set_yticks(
            range(len(rows)),
            [printed_title(row, results["autos"][name]["rows"][row]["kind"]) for row in rows],
        )
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                axes.text(column, row, format_number(value, 2), ha="center", va="center", fontsize=8,
                          color="white" if abs(value) > 0.5 else "#222222")  # fmt: skip
        good = "blue is good" if results["autos"][name]["test"] == "discrimination" else "white is good"
        axes.set_title(f"{results['autos'][name]['title']} ({good})", loc="left")
    figure.tight_layout()
    return figure


def _matrix(
    result: Mapping[str, Any], published: Mapping[str, Any]
) -> tuple[list[str], list[str], np.ndarray]:
    columns, by_row = aspect_columns(result, published[result["test"]]["columns"])
    values = [
        [cells.get(column, {}).get("pearson", np.nan) for column in columns] for cells in by_row.values()
    ]
    return list(by_row), columns, np.array(values)
