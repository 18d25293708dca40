"""A loaded metric: its numbers and explanations for batches of rows."""

from __future__ import annotations

import queue
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.metrics.core.hub import HUB_ERRORS
from openmeva.spaces.catalogue import CatalogueEntry

Row = Mapping[str, str]


class LoadedMetric:
    """A metric's modules, each used by one thread at a time, since evaluate's modules keep state between calls.

    A row is the input of `compute` for one story, column name to text; all rows of a call have the same columns.

    Args:
        entry: the metric's catalogue entry.
        modules: one module, or several with the same weights, one per thread.
        checkpoint: name of the weights.
    """

    def __init__(self, entry: CatalogueEntry, modules: Sequence[Any], checkpoint: str) -> None:
        self.entry, self.module, self.checkpoint = entry, modules[0], checkpoint
        self._free: queue.LifoQueue[Any] = queue.LifoQueue()
        for module in modules:
            self._free.put(module)

    def scores(self, rows: Sequence[Row]) -> list[Any]:
        """For each row the metric's numbers by key, or the `ValueError` with which it was rejected.

        A number that cannot be computed here is replaced by a sentence that says why.
        """
        keys = [number.key for number in self.entry.numbers]
        why = {f"{name}_scores": reason for name, reason in unavailable_scores(self.module).items()}

        def scored(batch: Sequence[Row]) -> list[Any]:
            result = self._compute(batch)
            return [
                {key: float(result[key][index]) if key in result else why[key] for key in keys}
                for index in range(len(batch))
            ]

        return _compute_distinct(scored, rows)

    def explanations(self, rows: Sequence[Row]) -> list[Any]:
        """For each row the metric's explanation, or the `ValueError` with which it was rejected.

        Only the recommended metric computes the cost of each sentence, which takes one forward pass per sentence.
        """
        costs = self.entry.name == DEFAULT_METRIC
        return _compute_distinct(
            lambda batch: self._compute(batch, explain=True, costs=costs)["explanations"], rows
        )

    def _compute(self, rows: Sequence[Row], **options: Any) -> dict[str, Any]:
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        module = self._free.get()
        try:
            return module.compute(**columns, **{**available_options(self.entry, module), **options})
        finally:
            self._free.put(module)


def unavailable_scores(module: Any) -> dict[str, str]:
    """The scores that a module cannot compute here, with a sentence for each that says why."""
    return dict(module.lacking()) if hasattr(module, "lacking") else {}


def available_options(entry: CatalogueEntry, module: Any) -> dict[str, Any]:
    """The options of `compute`; an option `scores` is reduced to the scores that can be computed here."""
    options = dict(entry.call.options)
    if "scores" in options:
        unavailable = unavailable_scores(module)
        options["scores"] = [name for name in options["scores"] if name not in unavailable]
    return options


def why_not_loaded(failed: BaseException) -> str:
    """Why a metric was not loaded: its weights are missing, or the first sentence of the error."""
    # compared by name: the error's module needs torch, which the leaderboard imports this module without
    if type(failed).__name__ == "BackboneNotFoundError" or isinstance(failed.__cause__, HUB_ERRORS):
        return "The weights are not available."
    first = re.split(r"(?<=[.!?])\s|\n", str(failed).strip(), maxsplit=1)[0]
    return f"{first.rstrip('.')}." if first else "It could not be loaded."


def _compute_distinct(work: Callable[[Sequence[Row]], list[Any]], rows: Sequence[Row]) -> list[Any]:
    """The result of each row; equal rows are computed once. A rejected row does not affect the others."""
    unique = {tuple(row.items()): row for row in rows}
    try:
        outcomes = work(list(unique.values()))
    except ValueError as error:
        outcomes = (
            [error] if len(unique) == 1 else [_compute_distinct(work, [row])[0] for row in unique.values()]
        )
    results = dict(zip(unique, outcomes, strict=True))
    return [results[tuple(row.items())] for row in rows]
