"""What a metric is handed of stories whose text may begin with their context."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from openmeva.metrics.core.command import columns_of
from openmeva.metrics.core.description import read_metrics
from openmeva.training.benchmark.contexts import begins


def handed(
    rows: Sequence[Mapping[str, Any]], metric: str, in_story: bool | None = None
) -> dict[str, list[Any]]:
    """What a metric is handed of rows; contexts are left out where the stories begin with them already.

    A metric that joins both would read the beginning twice. One that needs contexts keeps them. Where some stories
    begin with theirs and others do not, those that do stay whole and get a blank context: a story is handed on as it
    would be alone.

    Args:
        rows: with `story` and perhaps `context` and `reference`.
        metric: its name.
        in_story: whether all stories hold their context; None: as `all_begin` says of these rows.
    """
    columns = columns_of(rows)
    described = read_metrics().get(metric)
    if "contexts" not in columns or (described is not None and "contexts" in described.required):
        return columns
    pairs = list(zip(columns["predictions"], columns["contexts"], strict=True))
    if all_begin(pairs) if in_story is None else in_story:
        del columns["contexts"]
        return columns
    columns["contexts"] = ["" if begins(story, context) else context for story, context in pairs]
    return columns


def all_begin(pairs: Iterable[tuple[Any, Any]]) -> bool:
    """Whether every story begins with its context; pairs of both.

    >>> all_begin([("Ben ran. He fell.", "Ben ran."), ("Ann sang.", "")])
    False
    """
    return all(begins(story, context) for story, context in pairs)
