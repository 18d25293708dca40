"""What a metric says of the stories of a file, as `openmeva score` asks it."""

import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.metrics.core.description import METRICS, read_metrics
from openmeva.metrics.core.inputs import list_in
from openmeva.metrics.core.rows import read_rows, text_of
from openmeva.metrics.core.text_warnings import counted

_OF_THE_RUN = frozenset({"answered_by", "dates"})  # lists of the LLM judge that are no story's
_SINGULAR = {"scores": "score", "warnings": "warning"}
COLUMNS = {"story": "predictions", "context": "contexts", "reference": "references"}
_OTHER_NAMES = {"context": ("contexts", "prompt"), "reference": ("references",)}


@dataclass(frozen=True)
class Scored:
    """What a metric said of stories.

    Attributes:
        metric: its name.
        lists: what it returned of one entry a story, by key; scores under `score`, warnings under `warning`,
            explanations apart.
        explanations: a dict a story, where they were asked for.
        score: the mean score, where the metric has one.
        signature: what the scores depend on.
    """

    metric: str
    lists: dict[str, list[Any]]
    explanations: list[dict[str, Any]] | None
    score: float | None
    signature: str

    @property
    def note(self) -> str:
        """How many stories the metric warned of, as a sentence; blank where none."""
        said = counted(self.lists.get("warning", []))
        return said and f"{self.metric}: {said} (see the column warning)"


def metric_names() -> list[str]:
    """The metrics that score stories."""
    return sorted(name for name, one in read_metrics().items() if one.outputs)


def read_stories(path: str | Path, kind: str | None = None) -> list[dict[str, Any]]:
    """The rows of a file of stories, as `read_rows` reads it; each has a text in `story`.

    What `field_of` says of contexts and references is theirs.

    Raises:
        ValueError: a damaged file, a row without a text in `story` (its line), or no rows at all; or a context or
            reference in some rows and not in others (the first line without).
    """
    rows = list(read_rows(path, kind))
    for row in rows:
        if not text_of(row).strip():
            raise ValueError(f"{row.where}: expected a text in 'story', got a blank one")
    for field in COLUMNS:
        missing = [row for row in rows if field_of(row.values, field) is None]
        if missing and len(missing) < len(rows):
            raise ValueError(f"{missing[0].where}: expected {field!r}, which other rows have")
    return [row.values for row in rows]


def field_of(row: Mapping[str, Any], field: str) -> Any:
    """The `story`, `context` or `reference` of a row, None where it has none.

    A context may be called `prompt`, as in MANS; both may have the names that `compute` has for them. Several references
    may be a JSON list of texts, as `write_rows` puts them into a cell of a table.

    >>> field_of({"story": "He ran.", "prompt": "Tell me."}, "context")
    'Tell me.'
    >>> field_of({"story": "He ran.", "reference": '["He left.", "He fell."]'}, "reference")
    ['He left.', 'He fell.']
    """
    values = (row.get(name) for name in (field, *_OTHER_NAMES.get(field, ())))
    found = next((value for value in values if value is not None), None)
    several = list_in(found) if field == "reference" and isinstance(found, str) else None
    return found if several is None or not all(isinstance(text, str) for text in several) else several


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """What a metric's `compute` is handed of rows: what they have, by `field_of`."""
    found = {column: [field_of(row, field) for row in rows] for field, column in COLUMNS.items()}
    return {column: values for column, values in found.items() if all(value is not None for value in values)}


def score(name: str, columns: Mapping[str, list[Any]], config: str | None = None, **options: Any) -> Scored:
    """What the metric `name` says of stories.

    Args:
        name: a metric's folder.
        columns: of `columns_of`.
        config: a configuration of the metric, a folder or a Hub id.
        options: of the metric's `compute`; those that are None are left out.

    Raises:
        ValueError: no such metric or option, or what the metric itself raises.
    """
    return said_by(load(name, config), name, columns, **options)


def load(name: str, config: str | None = None) -> Any:
    """The evaluate module of the metric `name`; a ValueError where there is no such metric."""
    check_name(name)
    import evaluate

    return evaluate.load(str(METRICS / name), config)


def check_name(name: str) -> None:
    """A ValueError where there is no metric `name`."""
    if name not in metric_names():
        raise ValueError(f"unknown metric {name!r}, expected one of {', '.join(metric_names())}")


def check_known(name: str, kind: Any, options: Iterable[str]) -> None:
    """A ValueError for an option that `compute` of the metric `name` does not have; `kind` is its module or their class."""
    for option in options:
        if option not in inspect.signature(kind._compute).parameters:
            raise ValueError(f"--{option.replace('_', '-')}: {name} has no such option")


def said_by(metric: Any, name: str, columns: Mapping[str, list[Any]], **options: Any) -> Scored:
    """As `score`, of a metric that `load` has loaded."""
    from openmeva.metrics.core.module import signature_with

    given = {option: value for option, value in options.items() if value is not None}
    check_known(name, metric, given)
    result = metric.compute(**columns, **given)
    count = len(columns["predictions"])
    lists = {
        _SINGULAR.get(key, key): values
        for key, values in result.items()
        if isinstance(values, list) and len(values) == count and key not in _OF_THE_RUN
    }
    explanations = lists.pop("explanations", None)
    return Scored(name, lists, explanations, result.get("score"), signature_with(metric, given))


def result_rows(
    rows: Sequence[Mapping[str, Any]], scored: Scored, always_named: bool = False
) -> list[dict[str, Any]]:
    """The rows with the metric's columns: `score`, its further lists under their keys, its explanation.

    A column that the rows have already keeps its values; the metric's is then called after it, `union_score`, and
    numbered where that is there, too, `union_score_2`. Beside `ratings` a `score` is their mean: it counts as there.

    Args:
        rows: as read.
        scored: what the metric said of them.
        always_named: call every column of the metric after it, for several metrics beside each other.
    """
    found = []
    taken = _taken(rows)
    for place, row in enumerate(rows):
        said = {key: values[place] for key, values in scored.lists.items()}
        if scored.explanations is not None:
            said |= scored.explanations[place]
        named = {
            free_name(f"{scored.metric}_{key}", taken) if always_named or key in taken else key: value
            for key, value in said.items()
        }
        found.append({**row, **named})
    return found


def score_column(rows: Sequence[Mapping[str, Any]], metric: str) -> str:
    """What `result_rows` calls the score of a metric, where it is the only one.

    >>> score_column([{"story": "Ben ran.", "ratings": [4, 5]}], "union")
    'union_score'
    """
    taken = _taken(rows)
    return free_name(f"{metric}_score", taken) if "score" in taken else "score"


def text_column(metrics: Sequence[str]) -> str | None:
    """What a text file holds of each row of a result, as `check_output` takes it: the score of the only metric.

    >>> text_column(["union"]), text_column(["overlap"]), text_column(["union", "ppl"])
    ('score', None, None)
    """
    described = [read_metrics().get(name) for name in metrics]
    return "score" if len(described) == 1 and (described[0] is None or described[0].has_scores) else None


def _taken(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Names that no column of a metric may have."""
    names = {name for row in rows for name in row}
    return names | {"score"} if "ratings" in names else names


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, numbered while it is taken.

    >>> free_name("union_score", {"union_score"})
    'union_score_2'
    """
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
