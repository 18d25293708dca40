"""The result of a metric on stories, and rows with its columns."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openmeva.metrics.core.description import read_metrics
from openmeva.metrics.core.text_warnings import summarize_warnings
from openmeva.training.scoring.loading import check_option_names, load

_OF_THE_RUN = frozenset({"answered_by", "dates"})  # lists of the LLM judge that are not per story
_JUDGMENT = re.compile(r"score|ratings?|rating_\d+")  # columns of a file with human judgments
_SINGULAR = {"scores": "score", "warnings": "warning"}


@dataclass(frozen=True)
class MetricResult:
    """The result of a metric for some stories.

    Attributes:
        metric: its name.
        lists: the results with one entry per story, by key; scores under `score`, warnings under `warning`, without
            explanations.
        explanations: one dict per story, if requested.
        score: the mean score, if the metric has one.
        signature: what the scores depend on.
    """

    metric: str
    lists: dict[str, list[Any]]
    explanations: list[dict[str, Any]] | None
    score: float | None
    signature: str

    @property
    def warning_summary(self) -> str:
        """The number of stories with a warning, as a sentence; empty if there are none."""
        summary = summarize_warnings(self.lists.get("warning", []))
        return summary and f"{self.metric}: {summary} (in an output file: the column warning)"


def score(
    name: str, columns: Mapping[str, list[Any]], config: str | None = None, **options: Any
) -> MetricResult:
    """The result of the metric `name` for some stories.

    Args:
        name: a metric's folder.
        columns: from `columns_of`.
        config: a configuration of the metric, a folder or a Hub id.
        options: of the metric's `compute`; those that are None are omitted.

    Raises:
        ValueError: no such metric or option, or an error of the metric itself.
    """
    return score_with(load(name, config), name, columns, **options)


def score_with(metric: Any, name: str, columns: Mapping[str, list[Any]], **options: Any) -> MetricResult:
    """As `score`, with a metric that `load` returned."""
    from openmeva.metrics.core.module import signature_with

    used_options = {option: value for option, value in options.items() if value is not None}
    check_option_names(name, metric, used_options)
    result = metric.compute(**columns, **used_options)
    count = len(columns["predictions"])
    lists = {
        _SINGULAR.get(key, key): values
        for key, values in result.items()
        if isinstance(values, list) and len(values) == count and key not in _OF_THE_RUN
    }
    explanations = lists.pop("explanations", None)
    return MetricResult(name, lists, explanations, result.get("score"), signature_with(metric, used_options))


def result_rows(
    rows: Sequence[Mapping[str, Any]], scored: MetricResult, always_named: bool = False
) -> list[dict[str, Any]]:
    """The rows with the metric's columns: `score`, its further lists under their keys, its explanation.

    Existing columns keep their values. If a name is taken, the metric's column is prefixed with the metric
    (`union_score`), and numbered if that is taken, too (`union_score_2`). In rows with judgments, the names `score` (the mean
    of the ratings) and `error_types` (those that the raters named) are taken.

    Args:
        rows: as read.
        scored: the metric's result for them.
        always_named: prefix every column with the metric, for several metrics in one file.
    """
    result = []
    taken = _taken(rows)
    for index, row in enumerate(rows):
        cells = {key: values[index] for key, values in scored.lists.items()}
        if scored.explanations is not None:
            cells |= scored.explanations[index]
        named = {
            free_name(f"{scored.metric}_{key}", taken) if always_named or key in taken else key: value
            for key, value in cells.items()
        }
        result.append({**row, **named})
    return result


def score_column(rows: Sequence[Mapping[str, Any]], metric: str) -> str:
    """The name that `result_rows` gives the score of a metric, if it is the only one.

    >>> score_column([{"story": "Ben ran.", "ratings": [4, 5]}], "union")
    'union_score'
    """
    taken = _taken(rows)
    return free_name(f"{metric}_score", taken) if "score" in taken else "score"


def text_column(metrics: Sequence[str], explain: bool = False) -> str | None:
    """The column of a result that a text file contains, for `check_output`: the score of the only metric, or None.

    >>> text_column(["union"]), text_column(["overlap"]), text_column(["union", "ppl"])
    ('score', None, None)
    >>> text_column(["union"], explain=True)  # explanations are further columns
    """
    if explain:
        return None
    described = [read_metrics().get(name) for name in metrics]
    return "score" if len(described) == 1 and (described[0] is None or described[0].has_scores) else None


def _taken(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Column names that are taken."""
    names = {name for row in rows for name in row}
    return names | {"score", "error_types"} if any(map(_JUDGMENT.fullmatch, names)) else names


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, numbered if it is taken.

    >>> free_name("union_score", {"union_score"})
    'union_score_2'
    """
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
