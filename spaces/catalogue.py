"""The metrics that the Spaces show: how they are called, and what their numbers mean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from openmeva.metrics.core.description import DEFAULT_METRIC, METRICS, MetricDescription, read_metrics
from openmeva.training.benchmark.data.registry import MetricEntry, read_registry

TIERS = SMALL, BASE = "small", "base"
CORPORA = {
    "roc": "Short everyday story (about five sentences)",
    "wp": "Longer story written to a prompt",
}


@dataclass(frozen=True)
class Number:
    """One number of a metric's result.

    Attributes:
        title: the name shown.
        key: key of its list in compute's result.
        meaning: one line for a reader who does not know the metric.
        higher: whether higher is better.
        low, high: ends of the range; `None` where it is unbounded.
    """

    title: str
    key: str
    meaning: str
    higher: bool
    low: float | None
    high: float | None

    @property
    def better(self) -> str:
        """Which direction is better, as in API results: `higher` or `lower`."""
        return "higher" if self.higher else "lower"


@dataclass(frozen=True)
class CatalogueEntry:
    """A metric as the Spaces show it.

    Attributes:
        call: how it is run.
        explains: whether it gives explanations, and is among the metrics that the benchmark runs by default.
        blind: what it does not detect.
    """

    name: str
    meaning: str
    numbers: tuple[Number, ...]
    paper_title: str
    paper_url: str
    call: MetricEntry
    explains: bool = False
    blind: str = ""

    @property
    def title(self) -> str:
        """The metric's name as shown."""
        return self.call.title

    @property
    def referenced(self) -> bool:
        """Whether the metric compares the story with a reference."""
        return "references" in self.call.inputs


def read_catalogue(folder: Path = METRICS, tier: str = SMALL) -> dict[str, CatalogueEntry]:
    """Entries by name, in the metrics' order: the metrics of a folder that score stories and that the benchmark runs.

    Args:
        folder: of the metrics.
        tier: `small`: the default configurations; `base`: the recommended metric on its larger encoder, which must have
            been fetched.

    Raises:
        ValueError: unknown tier; and as `read_metrics` and `read_registry`.
    """
    if tier not in TIERS:
        raise ValueError(f"tier: expected one of {', '.join(TIERS)}, got {tier!r}")
    registry = read_registry(folder)
    tiers = {}
    if tier == BASE:
        registry[DEFAULT_METRIC], tiers[DEFAULT_METRIC] = registry[f"{DEFAULT_METRIC}_{BASE}"], f" ({BASE})"
    return {
        name: _entry(metric, registry[name], tiers.get(name, ""))
        for name, metric in read_metrics(folder).items()
        if metric.outputs and name in registry
    }


def _entry(metric: MetricDescription, call: MetricEntry, tier: str) -> CatalogueEntry:
    numbers = tuple(
        Number(
            output.title + tier,
            key,
            output.meaning or metric.meaning,
            output.better == "higher",
            *(output.range or (None, None)),
        )
        for key, output in metric.outputs.items()
    )
    paper = metric.papers[0]
    explains = metric.explains and not metric.benchmark[metric.name].on_request
    return CatalogueEntry(
        metric.name, metric.meaning, numbers, paper.title, paper.url, call, explains, metric.blind
    )
