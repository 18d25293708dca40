"""The table of metrics in the READMEs: `python -m training.hub.metrics_table` writes it from each `metric.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from openmeva.metrics.core.description import MetricDescription, read_metrics
from openmeva.training.files import write_text
from openmeva.training.paths import ROOT

READMES = (
    "README.md",
    "metrics/README.md",
)  # the table is written between the markers, where a file has them
_MARKED = re.compile(r"(<!-- metrics:[^>]*-->\n).*?(<!-- /metrics -->)", re.DOTALL)
_HEAD = "| metric | meaning | score | other inputs | configurations | paper |\n|---|---|---|---|---|---|\n"


def metrics_table(metrics: Mapping[str, MetricDescription], prefix: str = "") -> str:
    """A Markdown table, one row per metric; the default configuration is listed first.

    Args:
        metrics: by name, in order.
        prefix: path from the README to the folder of the metrics, with a trailing slash.
    """
    return _HEAD + "".join(_row(metric, prefix) for metric in metrics.values())


def _row(metric: MetricDescription, prefix: str) -> str:
    columns = [*metric.required, *(f"{column}, optional" for column in metric.optional)]
    names = [metric.default, *(name for name in metric.configurations if name != metric.default)]
    paper = metric.papers[0]
    cells = (
        f"[{metric.title}]({prefix}{metric.name}/README.md), `{metric.name}`",
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


def with_table(text: str, metrics: Mapping[str, MetricDescription], prefix: str) -> str:
    """A README's text with the table between its markers; unchanged where it has none."""
    return _MARKED.sub(lambda match: match[1] + metrics_table(metrics, prefix) + match[2], text)


def main(root: Path = ROOT) -> None:
    """Writes the table into the READMEs of a checkout."""
    metrics = read_metrics(root / "metrics")
    for name in READMES:
        path = root / name
        text = path.read_text(encoding="utf-8")
        new = with_table(text, metrics, "" if name.startswith("metrics/") else "metrics/")
        if new != text:
            write_text(path, new)


if __name__ == "__main__":
    main()
