"""The stories that a run gives to a metric: of each set, and those whose scores the metric explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from openmeva.metrics.openmeva.ties import is_constant
from openmeva.training.benchmark.data.contexts import rows_for_metric
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.data.sets import TestSet

Rows = list[dict[str, Any]]
Loaded = Sequence[tuple[TestSet, Rows]]


class SkippedError(ValueError):
    """A metric cannot score a set: `name` says what is skipped, the message why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name


@dataclass(frozen=True)
class MetricInputs:
    """The stories that one configuration of a metric scores.

    Attributes:
        entry, config: the metric and its configuration.
        test_set, rows: the set, and its stories as passed to the metric.
        explain: whether to compute explanations.
    """

    entry: MetricEntry
    config: str
    test_set: TestSet
    rows: Rows
    explain: bool = False


def run_title(entry: MetricEntry, config: str, explain: bool) -> str:
    """How the run of a metric's configuration is called while it runs."""
    return f"{entry.title} ({config})" + (", explanations" if explain else "")


def inputs_for_set(entry: MetricEntry, test_set: TestSet, rows: Rows) -> MetricInputs:
    """A metric on a set, with its configuration for the set's corpus; a SkippedError if it cannot score the set."""
    config = entry.configs.get(test_set.corpus)
    if config is None:
        raise SkippedError(f"{entry.name} on {test_set.name}", f"no configuration for {test_set.corpus}")
    if "references" in entry.inputs and not any(row.get("reference") for row in rows):
        raise SkippedError(f"{test_set.name} for metrics that need references", "it has none")
    metric_rows = rows_for_metric(entry, test_set, rows)
    if metric_rows is None:
        raise SkippedError(f"{test_set.name} for metrics that need contexts", "it has none")
    return MetricInputs(scoring_entry(entry, rows), config, test_set, metric_rows)


def explanation_inputs(entry: MetricEntry, loaded: Loaded) -> Iterator[MetricInputs]:
    """The stories with error types annotated by people, for a metric whose explanations are evaluated."""
    for test_set, rows in loaded:
        config = entry.configs.get(test_set.corpus)
        if entry.explanations and test_set.name == "union_roc" and config is not None:
            yield MetricInputs(entry, config, test_set, rows, explain=True)


def scoring_entry(entry: MetricEntry, rows: Rows) -> MetricEntry:
    """The entry that scores the rows: `entry`, or, if all have references, its `with_references`, whose result covers both."""
    return (
        entry.with_references
        if entry.with_references and all(row.get("reference") for row in rows)
        else entry
    )


def non_constant(
    test_set: TestSet, results: dict[str, dict[str, Any]], skipped: dict[str, str]
) -> dict[str, dict[str, Any]]:
    """The metrics with non-constant scores; the others have no correlation and are noted in `skipped`."""
    constant = [title for title, result in results.items() if is_constant(result["scores"])]
    skipped |= {f"{title} on {test_set.title}": "gives every story the same score" for title in constant}
    return {title: result for title, result in results.items() if title not in constant}
