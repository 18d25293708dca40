"""The columns passed to a metric, for stories whose text may begin with their context."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from openmeva.metrics.core.command import columns_of
from openmeva.metrics.core.description import read_metrics
from openmeva.metrics.core.text import begins_with_context


def metric_inputs(
    rows: Sequence[Mapping[str, Any]], metric: str, in_story: bool | None = None
) -> dict[str, list[Any]]:
    """The columns that are passed to a metric; contexts are omitted if the stories already begin with them.

    Otherwise a metric that joins both would read the beginning twice. A metric that requires contexts keeps them. If only
    some stories begin with their context, these keep their text and get a blank context: each story is passed as it
    would be by itself.

    Args:
        rows: rows with `story` and optionally `context` and `reference`.
        metric: the metric's name.
        in_story: whether all stories include their context; None: the result of `all_begin` for these rows.
    """
    columns = columns_of(rows)
    described = read_metrics().get(metric)
    if "contexts" not in columns or (described is not None and "contexts" in described.required):
        return columns
    pairs = list(zip(columns["predictions"], columns["contexts"], strict=True))
    if all_begin(pairs) if in_story is None else in_story:
        del columns["contexts"]
        return columns
    columns["contexts"] = ["" if begins_with_context(story, context) else context for story, context in pairs]
    return columns


def all_begin(pairs: Iterable[tuple[Any, Any]]) -> bool:
    """Whether every story begins with its context, given pairs (story, context).

    >>> all_begin([("Ben ran. He fell.", "Ben ran."), ("Ann sang.", "")])
    False
    """
    return all(begins_with_context(story, context) for story, context in pairs)
