"""One scorer for every engine: weights are loaded once, and a batch of columns gets those that metrics add."""

import inspect
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.metrics.core.command import load, result_rows, said_by
from openmeva.metrics.core.description import RECOMMENDED
from openmeva.training.scale.columns import handed

_TRIED = {
    "story": "Ann was hungry. She made a sandwich.",
    "context": "Ann sat down.",
    "reference": "She ate it.",
}


class Scorer:
    """Scores batches of stories; what a story's score is does not depend on its batch.

    It is a function for `datasets.Dataset.map(scorer, batched=True)` as well.

    Args:
        metrics: names; the recommended metric unless given.
        config: a configuration of the metric, where there is one metric.
        explain: whether to add the metric's reasons.
        context_in_story: whether all stories hold their context; else those that begin with it are read without it.
        options: of the metrics' `compute`, as `batch_size`, `device` and `dtype`; those that are None are left out.

    Attributes:
        seconds: spent in the metrics so far.

    Raises:
        ValueError: an unknown metric, or several beside `config`.
    """

    schema = None

    def __init__(
        self,
        metrics: Sequence[str] = (RECOMMENDED,),
        config: str | None = None,
        explain: bool = False,
        context_in_story: bool | None = None,
        **options: Any,
    ) -> None:
        if config is not None and len(metrics) > 1:
            raise ValueError("config is a metric's own: give one metric beside it")
        self.metrics = {name: load(name, config) for name in metrics}
        self.options = {**options, "explain": explain or None}
        self.context_in_story = context_in_story
        self.signature = ""
        self.seconds = 0.0

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The columns that the metrics add to a batch of columns with `story`, perhaps `context` and `reference`.

        They are those of `openmeva score`: a name that the batch has already, or several metrics, put the metric's
        name before it.

        Raises:
            ValueError: what a metric refuses, or an option that it does not have.
        """
        names = list(batch)
        rows = [dict(zip(names, values, strict=True)) for values in zip(*batch.values(), strict=True)]
        added: dict[str, list[Any]] = {}
        signatures = []
        begun = time.perf_counter()
        for name, metric in self.metrics.items():
            columns = handed(rows, name, self.context_in_story)
            said = said_by(metric, name, columns, **self.options, **_quiet(metric))
            signatures.append(said.signature)
            wide = result_rows(rows, said, always_named=len(self.metrics) > 1)
            added |= {key: [row[key] for row in wide] for key in wide[0] if key not in batch}
        self.seconds += time.perf_counter() - begun
        # a judge's names the days of its answers, on which no number depends
        self.signature = " ".join(re.sub(r"\|answered:[^|]*", "", one) for one in signatures)
        return added

    def try_out(self, fields: Sequence[str]) -> None:
        """Scores a story with these fields, so that bad settings are told before the first batch, not as its rows' fault.

        Raises:
            ValueError: settings that a metric refuses.
        """
        self({name: [text] for name, text in _TRIED.items() if name == "story" or name in fields})
        self.seconds = 0.0


def _quiet(metric: Any) -> dict[str, bool]:
    """The option by which a metric shows no bar, where it has one."""
    return (
        {"show_progress": False} if "show_progress" in inspect.signature(metric._compute).parameters else {}
    )
