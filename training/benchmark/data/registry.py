"""The metrics that the benchmark can run, as each metric's `metric.yaml` describes them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from openmeva.metrics.core.description import METRICS, BenchmarkEntry, MetricDescription, read_metrics
from openmeva.training.paths import ROOT

ALL = "all"  # every metric, including those that are `on_request`


@dataclass(frozen=True)
class MetricEntry:
    """One way in which the benchmark runs a metric.

    Attributes:
        name: of the entry; a metric may have several entries.
        title: as printed; published results of that name are printed next to it.
        configs: corpus of the test set (`roc`, `wp`) to the configuration that is loaded.
        inputs: arguments of compute in addition to predictions: contexts, references.
        joins_context: whether the configuration decides if the context is joined to the story (roc) or is no part
            of it (wp). The benchmark then joins it itself when a configuration scores the other corpus.
        needs_contexts: whether compute refuses stories without a context. If a ROC set has none, the first sentence
            of each story is its context.
        outputs: row name to key of compute's result, for metrics that return several scores (default: `scores`).
        options: further arguments of compute.
        explanations: whether those of compute(explain=True) are evaluated.
        explains: whether the metric says how much each sentence lowers the score.
        sections: rows in the further tables (empty: all), for metrics that return many scores.
        module: folder of the module; metrics/<name> if blank.
        configurations: all configurations of the module; the weights of each have their own folder.
        on_request: whether it runs only if requested by name, or with `all`.
        with_references: another entry of the module. If a set has references, its result includes this entry's rows.
        shared_outputs: keys of compute's result that other entries take from this entry's.
    """

    name: str
    title: str
    configs: dict[str, str]
    inputs: tuple[str, ...] = ()
    joins_context: bool = False
    needs_contexts: bool = False
    outputs: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    explanations: bool = False
    explains: bool = False
    sections: tuple[str, ...] = ()
    module: str = ""
    configurations: tuple[str, ...] = ()
    on_request: bool = False
    with_references: MetricEntry | None = None
    shared_outputs: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the module."""
        return ROOT / (self.module or f"metrics/{self.name}")

    @property
    def rows(self) -> dict[str, str]:
        """Row of the tables to key of compute's result."""
        return self.outputs or {self.title: "scores"}


def read_registry(folder: Path = METRICS) -> dict[str, MetricEntry]:
    """The entries of all metrics in a folder by name, in the metrics' order.

    Raises:
        ValueError: as `read_metrics`, or two entries of one name.
    """
    entries: dict[str, MetricEntry] = {}
    for metric in read_metrics(folder).values():
        for name, described in metric.benchmark.items():
            if name in entries:
                raise ValueError(f"{entries[name].folder} and {metric.folder} both have an entry {name!r}")
            entries[name] = _entry(name, described, metric)
        for name, described in metric.benchmark.items():
            if described.with_references:
                partner = described.with_references
                if partner not in metric.benchmark:
                    raise ValueError(
                        f"{metric.folder}: {name} with_references: expected an entry, got {partner!r}"
                    )
                shared = tuple(entries[name].rows.values())
                entries[partner] = replace(entries[partner], shared_outputs=shared)
                entries[name] = replace(entries[name], with_references=entries[partner])
    return entries


def _entry(name: str, described: BenchmarkEntry, metric: MetricDescription) -> MetricEntry:
    default_configs = {
        corpus: c for c, configuration in metric.configurations.items() for corpus in configuration.corpora
    }
    inputs = metric.columns if described.inputs is None else described.inputs
    return MetricEntry(
        name=name,
        title=described.title,
        configs=dict(described.configs or default_configs),
        inputs=inputs,
        joins_context=metric.joins_context,
        needs_contexts="contexts" in metric.required,
        outputs=dict(described.rows),
        options=dict(described.options),
        explanations=described.explanations,
        explains=metric.explains,
        sections=described.sections,
        module=str(metric.folder),
        configurations=tuple(metric.configurations),
        on_request=described.on_request,
    )


def select_entries(names: list[str] | None, entries: dict[str, MetricEntry]) -> list[MetricEntry]:
    """The entries with these names; all of them for `all`; without names, all that are not `on_request`.

    Raises:
        ValueError: an unknown name (lists the known ones).
    """
    unknown = [name for name in names or [] if name not in (*entries, ALL)]
    if unknown:
        raise ValueError(
            f"unknown metric {', '.join(unknown)}, expected any of {', '.join(entries)}, or {ALL}"
        )
    every = ALL in (names or ())
    if names and not every:
        return [entries[name] for name in names]
    return [entry for entry in entries.values() if every or not entry.on_request]
