"""The scorer of batches: loads weights once, and adds the metrics' columns."""

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.metrics.core.inputs import RowError
from openmeva.training.scoring.columns import COLUMNS, metric_inputs, missing_text
from openmeva.training.scoring.loading import check_config, check_no_batch_options, load
from openmeva.training.scoring.results import result_rows, score_with

_SAMPLE_ROW = {
    "story": "Ann was hungry. She made a sandwich.",
    "context": "Ann sat down.",
    "reference": "She ate it.",
}


class Scorer:
    """Scores batches of stories; a story's score does not depend on its batch, up to rounding.

    It can also be used in `datasets.Dataset.map(scorer, batched=True)`.

    Args:
        metrics: names; default: the recommended metric.
        config: a configuration, for a single metric.
        explain: whether to add the metric's explanation.
        context_in_story: whether all stories include their context; else, if they begin with it, it is not passed.
        required: those of `context` and `reference` of which `check` expects a text in every row.
        options: options of the metrics' `compute`, such as `batch_size`, `device` and `dtype`; None values are ignored.

    Raises:
        ValueError: an unknown metric, several metrics with `config`, or an option with which a score depends on all stories.
    """

    schema = None

    def __init__(
        self,
        metrics: Sequence[str] = (DEFAULT_METRIC,),
        config: str | None = None,
        explain: bool = False,
        context_in_story: bool | None = None,
        required: Sequence[str] = (),
        **options: Any,
    ) -> None:
        check_config(metrics, config)
        check_no_batch_options(metrics, options)
        self.metrics = {name: load(name, config) for name in metrics}
        self.options = {**options, "explain": explain or None}
        self.context_in_story = context_in_story
        self.required = required
        self.signature = ""

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The columns that the metrics add to a batch with `story` and optionally `context` and `reference`.

        They are those of `openmeva score`: the metric's name is prefixed if the batch already has a column of that name,
        or if there are several metrics.

        Raises:
            ValueError: input that a metric refuses, or an option that it does not have.
        """
        names = list(batch)
        rows = [dict(zip(names, values, strict=True)) for values in zip(*batch.values(), strict=True)]
        added: dict[str, list[Any]] = {}
        signatures = []
        for name, metric in self.metrics.items():
            columns = metric_inputs(rows, name, self.context_in_story)
            result = score_with(metric, name, columns, **self.options, **_quiet(metric))
            signatures.append(result.signature)
            output_rows = result_rows(rows, result, always_named=len(self.metrics) > 1)
            added |= {key: [row[key] for row in output_rows] for key in output_rows[0] if key not in batch}
        # a judge's signature includes the dates of its answers, on which no score depends
        self.signature = " ".join(re.sub(r"\|answered:[^|]*", "", signature) for signature in signatures)
        return added

    def check(self, batch: Mapping[str, Sequence[Any]]) -> dict[int, str]:
        """Refuses rows without a text in a required field, or with values that a metric does not take as texts.

        The metrics themselves report the first such row only, after which all others would be scored again.
        """
        names = list(batch)
        rows = (dict(zip(names, row, strict=True)) for row in zip(*batch.values(), strict=True))
        reasons = (missing_text(row, self.required, names) or self._refusal(row) for row in rows)
        return {index: reason for index, reason in enumerate(reasons) if reason}

    def _refusal(self, row: Mapping[str, Any]) -> str:
        """Why a metric refuses the columns of a row; empty if none does."""
        for name, metric in self.metrics.items():
            try:
                columns = metric_inputs([row], name, self.context_in_story)
                metric._check_batch(*map(columns.get, COLUMNS.values()))
            except RowError as error:
                return error.without_row()
        return ""

    def try_out(self, fields: Sequence[str]) -> None:
        """Scores one story with these fields: reports bad settings before the first batch, not as bad rows.

        Raises:
            ValueError: settings that a metric refuses.
        """
        self({name: [text] for name, text in _SAMPLE_ROW.items() if name == "story" or name in fields})


def _quiet(metric: Any) -> dict[str, bool]:
    """The option that turns a metric's progress bar off, if it has one."""
    return (
        {"show_progress": False} if "show_progress" in inspect.signature(metric._compute).parameters else {}
    )
