"""The scores in what a function or an evaluate module returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from openmeva.metrics.core.description import read_metrics
from openmeva.metrics.core.inputs import parse_number

Scores = dict[str, list[float | None]]  # None: the metric has no score for the story


def recommended(name: str, result: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result without outputs of this project's metric `name` that are no scores of their own, as perplexities."""
    described = read_metrics().get(name)
    if described is None:
        return result
    if "scores" in result:
        return {"scores": result["scores"]}
    return {
        key: result[key]
        for key, output in described.outputs.items()
        if output.better == "higher" and key in result
    }


def one_score_each(values: Any, count: int, name: str) -> list[float | None]:
    """The scores as floats; a ValueError unless there is a number or None for each story."""
    if not _sized(values) or len(values) != count:
        got = f"{len(values)}" if _sized(values) else type(values).__name__
        raise ValueError(f"{name}: expected {count} scores, one per story, got {got}")
    return [
        None if value is None else _number(value, f"{name}, story {number}")
        for number, value in enumerate(values, 1)
    ]


def _number(value: Any, location: str) -> float:
    number = parse_number(value)
    if number is None:
        raise ValueError(f"{location}: expected a number, got {value!r:.60}")
    if not np.isfinite(number):
        raise ValueError(
            f"{location}: expected a finite number, got {number}; a story without a score has None"
        )
    return number


def _sized(values: Any) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str | bytes | Mapping)


def score_lists(result: Mapping[str, Any], count: int, title: str) -> Scores:
    """The lists with one number per story; `scores`, else `score`, the title or a single list has the metric's title.

    >>> score_lists({"scores": [1, 2], "mine": [3, 4], "loss": [5, 6]}, 2, "mine")
    {'mine': [1.0, 2.0], 'mine mine': [3.0, 4.0], 'mine loss': [5.0, 6.0]}
    """
    lists = {
        key: values
        for key, values in result.items()
        if _sized(values) and len(values) == count and _holds_numbers(values)
    }
    main = next((key for key in ("scores", "score", title) if key in lists), None)
    if main is None and len(lists) == 1:
        main = next(iter(lists))
    return {
        title if key == main else f"{title} {key}": one_score_each(values, count, f"{title} {key}")
        for key, values in lists.items()
    }


def _holds_numbers(values: Sequence[Any]) -> bool:
    """Whether the first entry that is not None is neither a string nor a collection."""
    first = next((value for value in values if value is not None), "")
    return not isinstance(first, str | bytes | Mapping | Sequence)


def single_scores(each: Sequence[Mapping[str, Any]], title: str) -> Scores:
    """The numbers in results that are for one story each."""
    names = list(
        dict.fromkeys(
            key
            for result in each  # a score may be None for some stories
            for key, value in result.items()
            if isinstance(value, int | float | np.number) and not isinstance(value, bool)
        )
    )
    if not names:
        raise ValueError(f"{title}: expected one number per story, got {', '.join(each[0]) or 'nothing'}")
    return {
        title if key in ("score", title) or len(names) == 1 else f"{title} {key}": one_score_each(
            [result.get(key) for result in each], len(each), f"{title} {key}"
        )
        for key in names
    }
