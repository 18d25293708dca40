"""The figures of a report: nothing is clipped or missing, and no two series look alike."""

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from openmeva.training.benchmark.data.sets import TestSet
from openmeva.training.benchmark.figures.report_figures import draw_overview
from openmeva.training.benchmark.own import figures
from openmeva.training.benchmark.own.figures import aspect_plot, drift_plot, forest_plot, scatter_plot
from openmeva.training.benchmark.own.measure import Sampling, judge_set
from openmeva.training.benchmark.tables.sections import read_published

METRICS, SYSTEMS = 6, 11


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures as matplotlib drew them."""
    figures_drawn: list[Figure] = []
    finish = figures._picture

    def keep(figure: Figure, name: str, caption: str) -> figures.ReportFigure:
        figures_drawn.append(figure)
        return finish(figure, name, caption)

    monkeypatch.setattr(figures, "_picture", keep)
    return figures_drawn


def judged() -> dict[str, Any]:
    """Six metrics on stories of eleven systems; the first is the mean human judgment, negated."""
    rng = np.random.default_rng(0)
    rows = [
        {"story": f"He ran {'home ' * (k % 5)}.", "score": float(rng.uniform(1, 5)), "prompt": f"{k // SYSTEMS}",
         "source_model": f"system {k % SYSTEMS}"}
        for k in range(6 * SYSTEMS)
    ]  # fmt: skip
    own = {
        f"metric {k}": [(k - 1) * row["score"] + float(rng.normal(scale=k)) for row in rows]
        for k in range(METRICS)
    }
    test_set = TestSet("x", "The set", "roc", "judgments", lambda _: rows, "", {})
    return judge_set(test_set, rows, own, {}, Sampling(100, 0))


def test_all_points_lie_inside_the_axes(drawn: list[Figure]) -> None:
    result = judged()
    assert result["rows"]["metric 0"]["pearson"] == pytest.approx(-1)
    cells = {
        "typo": {"human": {"pearson": -0.9, "intervals": {"pearson": [-0.95, -0.8]}}},
        "negation": {"human": {"pearson": 1.0, "intervals": {"pearson": None}}},
    }
    autos = {
        "title": "AUTOS",
        "corpus": "roc",
        "test": "discrimination",
        "rows": {"mine": {"kind": "own", "aspects": cells}},
    }
    forest_plot("x", result, {})
    drift_plot({"x": result})
    aspect_plot("autos_discrimination", autos, read_published()["discrimination"])
    assert len(drawn) == 3
    for figure in drawn:
        for axes in figure.axes:
            low, high = axes.get_xlim()
            values = [x for line in axes.get_lines() for x in np.ravel(line.get_xdata())]
            assert all(low + 0.02 < x < high - 0.02 for x in values)


def test_all_points_lie_inside_the_axes_of_the_benchmark_overview() -> None:
    rows = {
        "PPL": {"kind": "ours", "pearson": -0.717, "intervals": {"pearson": [-0.8, -0.6]}},
        "length": {"kind": "trivial", "pearson": 0.2, "intervals": {"pearson": None}},
        "perfect": {"kind": "released", "pearson": 1.0, "intervals": {"pearson": [1.0, 1.0]}},
    }
    figure = draw_overview({"judged": {"x": {"title": "X", "n": 9, "rows": rows}}}, read_published())
    assert figure is not None
    (axes,) = figure.axes
    assert axes.get_xlim() == pytest.approx((-0.85, 1.03))
    del rows["PPL"]
    figure = draw_overview({"judged": {"x": {"title": "X", "n": 9, "rows": rows}}}, read_published())
    assert figure is not None
    assert figure.axes[0].get_xlim()[0] == -0.4


def test_every_metric_is_drawn_in_a_distinct_style(drawn: list[Figure]) -> None:
    result = judged()
    picture = scatter_plot("x", result)
    assert all(f">{title}<" in picture.svg for title in result["metrics"])
    panel, styles = drawn[0].axes[0], set()
    for line in panel.get_lines():
        if not str(line.get_label()).startswith("_"):
            styles.add((to_hex(line.get_color()), str(line.get_marker())))
    assert len(styles) == SYSTEMS
    drift_plot({"x": result})
    legend = drawn[1].axes[0].get_legend()
    assert legend is not None
    legend_styles = {(to_hex(line.get_color()), str(line.get_marker())) for line in legend.get_lines()}
    assert len(legend_styles) == METRICS
