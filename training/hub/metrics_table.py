"""The table in `metrics/README.md`: `python -m training.hub.metrics_table` writes it from each `metric.yaml`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from openmeva.metrics.core.description import MetricDescription, read_metrics
from openmeva.training.files import write_text
from openmeva.training.paths import ROOT

_MARKED = re.compile(r"(<!-- metrics:[^>]*-->\n).*?(<!-- /metrics -->)", re.DOTALL)
_HEAD = "| metric | meaning | score | other inputs | configurations | paper |\n|---|---|---|---|---|---|\n"


def metrics_table(metrics: Mapping[str, MetricDescription]) -> str:
    """A Markdown table, one row per metric; the default configuration is listed first."""
    return _HEAD + "".join(map(_row, metrics.values()))


def _row(metric: MetricDescription) -> str:
    columns = [*metric.required, *(f"{column}, optional" for column in metric.optional)]
    names = [metric.default, *(name for name in metric.configurations if name != metric.default)]
    paper = metric.papers[0]
    cells = (
        f"[{metric.title}]({metric.name}/README.md), `{metric.name}`",
        metric.meaning,
        _scale(metric),
        "; ".join(columns) or "nothing",
        ", ".join(f"`{name}`" for name in names),
        f"[{paper.title}]({paper.url})",
    )
    return f"| {' | '.join(cells)} |\n"


def _scale(metric: MetricDescription) -> str:
    """Range and direction of the metric's first number; scores are such that higher is better."""
    for name, output in metric.outputs.items():
        ends = f"{output.range[0]:g} to {output.range[1]:g}, " if output.range else ""
        description = f"{ends}{output.better} is better"
        return (
            description
            if output.better == "higher"
            else f"`{name}`: {description}; `scores` are their negatives"
        )
    return "a report"


def write_metrics_table(root: Path) -> None:
    """Writes the table of a checkout's metrics between the markers."""
    folder = root / "metrics"
    table = metrics_table(read_metrics(folder))
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8")
    new = _MARKED.sub(lambda match: match[1] + table + match[2], text)
    if new != text:
        write_text(readme, new)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    argparse.ArgumentParser(
        prog="python -m training.hub.metrics_table",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args(arguments)
    write_metrics_table(ROOT)


if __name__ == "__main__":
    main()
