"""Judged stories as arrays, validated by `from_rows`; the other modules here rely on its checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from openmeva.metrics.core.inputs import as_list, is_missing, parse_number
from openmeva.metrics.openmeva.ties import merge_score_ties, merge_ties

HUMAN = "human"


@dataclass(frozen=True)
class JudgedStories:
    """`n` stories with their human judgments.

    Attributes:
        story_ids: `n` unique names.
        stories: `n` texts.
        prompts: `(n,)` int, equal where two stories share a prompt. Without a `prompt` column each story is
            its own prompt.
        scores: `(n,)` float, mean rating, higher is better; values that differ only by rounding are made equal.
        ratings: `(n, r)` float, NaN where a story has fewer than `r` ratings; `None` without ratings.
        raters: `n` lists of rater names in the order of `ratings`; `None` if the raters are unknown.
        source_models: `n` names of the models (or `human`) that wrote the stories, or `None`.
        error_types: for each story, for each rater, the error types named; or `None`.
        low, high: the ends of the rating scale, given or observed.
    """

    story_ids: list[str]
    stories: list[str]
    prompts: np.ndarray
    scores: np.ndarray
    ratings: np.ndarray | None
    raters: list[list[str]] | None
    source_models: list[str] | None
    error_types: list[list[list[str]]] | None
    low: float
    high: float

    def __len__(self) -> int:
        return len(self.story_ids)

    @property
    def reasonable_above(self) -> float:
        """Default judgment above which a story is reasonable: at 3/4 of the scale (4 on a scale from 1 to 5)."""
        return self.low + 0.75 * (self.high - self.low)

    @classmethod
    def from_rows(
        cls, rows: Iterable[Mapping[str, Any]], scale: tuple[float, float] | None = None
    ) -> JudgedStories:
        """Checks rows of `story` with `ratings` and/or `score`; other columns are optional.

        Args:
            rows: mappings with `story`, `ratings` (a list of finite numbers) and/or `score`, and, if
                known, `story_id`, `prompt`, `source_model`, `raters`, `error_types`.
            scale: lowest and highest allowed rating; `None` allows any finite rating.

        Raises:
            ValueError: no rows, a missing story, a rating that is not a finite number or is outside `scale`, a
                repeated `story_id`, a `score` that is not the mean of the `ratings`, not one rater per
                rating, or a column that only some rows have. Names the rows.

        >>> rows = [{"story": "a .", "ratings": [1, 3]}, {"story": "b .", "score": 4}]
        >>> JudgedStories.from_rows(rows)
        Traceback (most recent call last):
        ...
        ValueError: column 'ratings': expected in every row or in none, missing in row 1
        """
        rows = list(rows)
        if not rows:
            raise ValueError("references: expected at least one judged story, got none")
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise ValueError(f"references, row {number}: expected a mapping, got {type(row).__name__}")
        stories = _texts(rows, "story")
        if stories is None:
            raise ValueError("references: expected a column 'story', got none")
        ids = _column(rows, "story_id")
        story_ids = [str(name) for name in ids] if ids else [str(number) for number in range(len(rows))]
        _refuse_duplicates(story_ids)
        ratings = _ratings(rows, scale)
        scores = _scores(rows, ratings, scale)
        values = ratings[np.isfinite(ratings)] if ratings is not None else scores
        low, high = scale or (float(values.min()), float(values.max()))
        return cls(
            story_ids=story_ids,
            stories=stories,
            prompts=_prompts(rows),
            scores=scores,
            ratings=ratings,
            raters=_raters(rows),
            source_models=_texts(rows, "source_model"),
            error_types=_error_types(rows),
            low=low,
            high=high,
        )

    def subset(self, keep: np.ndarray) -> JudgedStories:
        """The stories for which `keep`, `(n,)` bool, is true; the scale stays the same."""
        indices = np.flatnonzero(keep)

        def pick(values: list | None) -> list | None:
            return None if values is None else [values[index] for index in indices]

        return JudgedStories(
            story_ids=[self.story_ids[index] for index in indices],
            stories=[self.stories[index] for index in indices],
            prompts=self.prompts[indices],
            scores=self.scores[indices],
            ratings=None if self.ratings is None else self.ratings[indices],
            raters=pick(self.raters),
            source_models=pick(self.source_models),
            error_types=pick(self.error_types),
            low=self.low,
            high=self.high,
        )


def check_predictions(predictions: Sequence[float], expected: int) -> np.ndarray:
    """`(n,)` float scores, one per story; those that differ only by rounding are made equal.

    Raises:
        ValueError: a different number of scores than stories, a score that is not a number (text, `None`), NaN or
            infinite scores (the rows are named), or constant scores, for which no correlation is defined.

    >>> check_predictions([0.5, float("nan"), 0.1], 3)
    Traceback (most recent call last):
    ...
    ValueError: predictions: expected finite scores, got nan in row 1
    """
    values = as_list(predictions, "predictions", "scores")
    if len(values) != expected:
        raise ValueError(f"predictions: expected {expected} scores, one per story, got {len(values)}")
    for number, value in enumerate(values):
        if not is_single_number(value):
            raise ValueError(f"predictions, row {number}: expected a number, got {value!r}")
    scores = np.array([parse_number(value) for value in values], dtype=float)
    wrong = np.flatnonzero(~np.isfinite(scores))
    if wrong.size:
        raise ValueError(f"predictions: expected finite scores, got {scores[wrong[0]]} in {_rows(wrong)}")
    if (
        np.abs(scores).max() > 2.0**500
    ):  # no coefficient depends on the scale, but sums of such values overflow
        scores = np.ldexp(scores, -600)
    scores = merge_score_ties(scores)  # means that differ by rounding alone are equal, as judgments are
    if np.ptp(scores) == 0:
        raise ValueError(
            f"predictions: all {expected} scores are {scores[0]:g}: no correlation is defined for a constant"
        )
    return scores


def is_single_number(value: Any) -> bool:
    """Whether a value is a number, or a 0-d array or tensor, as returned by metrics that forget `.item()`."""
    is_scalar_array = getattr(value, "shape", None) == () and hasattr(value, "item")
    return isinstance(value, Real | np.number | np.bool_) or is_scalar_array


def _column(rows: list[Mapping[str, Any]], name: str) -> list[Any] | None:
    values = [row.get(name) for row in rows]
    missing = [number for number, value in enumerate(values) if is_missing(value)]
    if len(missing) == len(rows):
        return None
    if missing:
        raise ValueError(f"column '{name}': expected in every row or in none, missing in {_rows(missing)}")
    return values


def _texts(rows: list[Mapping[str, Any]], name: str) -> list[str] | None:
    values = _column(rows, name)
    for number, value in enumerate(values or []):
        if not isinstance(value, str):
            raise ValueError(f"references, row {number}: expected a text in '{name}', got {value!r}")
    return values


def _rows(indices: Sequence[int] | np.ndarray) -> str:
    shown = ", ".join(str(index) for index in indices[:10])
    more = f" and {len(indices) - 10} more" if len(indices) > 10 else ""
    return f"row{'s' if len(indices) > 1 else ''} {shown}{more}"


def _refuse_duplicates(story_ids: list[str]) -> None:
    first: dict[str, int] = {}
    for number, name in enumerate(story_ids):
        if name in first:
            raise ValueError(f"references: story_id {name!r} is in rows {first[name]} and {number}")
        first[name] = number


def _number(value: Any, label: str) -> float:
    if isinstance(value, str | bytes) or not isinstance(value, Real | np.number | np.bool_):
        raise ValueError(f"{label}: expected a finite number, got {value!r}")
    number = parse_number(value)
    if number is None or not math.isfinite(number):
        raise ValueError(f"{label}: expected a finite number, got {value!r:.60}")
    return number


def _ratings(rows: list[Mapping[str, Any]], scale: tuple[float, float] | None) -> np.ndarray | None:
    column = _column(rows, "ratings")
    if column is None:
        return None
    lists = []
    for number, values in enumerate(column):
        label = f"references, row {number}, ratings"
        numbers = as_list(values, label, "numbers")
        if not numbers:
            raise ValueError(f"{label}: expected at least one number, got none")
        lists.append([_in_scale(_number(value, label), scale, label) for value in numbers])
    ratings = np.full((len(rows), max(map(len, lists))), np.nan)
    for number, values in enumerate(lists):
        ratings[number, : len(values)] = values
    return ratings


def _in_scale(value: float, scale: tuple[float, float] | None, label: str) -> float:
    if scale is not None and not scale[0] <= value <= scale[1]:
        raise ValueError(f"{label}: expected {scale[0]:g} to {scale[1]:g}, got {value:g}")
    return value


def _scores(
    rows: list[Mapping[str, Any]], ratings: np.ndarray | None, scale: tuple[float, float] | None
) -> np.ndarray:
    column = _column(rows, "score")
    if column is None:
        if ratings is None:
            raise ValueError("references: expected a column 'ratings' or 'score', got neither")
        return merge_ties(np.nanmean(ratings, axis=1))
    names = [f"references, row {number}, score" for number in range(len(rows))]
    given_scores = np.array(
        [_in_scale(_number(value, name), scale, name) for value, name in zip(column, names, strict=True)]
    )
    if ratings is not None:
        wrong = np.flatnonzero(np.abs(given_scores - np.nanmean(ratings, axis=1)) > 0.01)
        if wrong.size:
            raise ValueError(f"references: 'score' is not the mean of 'ratings' in {_rows(wrong)}")
    return merge_ties(given_scores)


def _prompts(rows: list[Mapping[str, Any]]) -> np.ndarray:
    """The number of each story's prompt; a story without a prompt, or with a blank one, has its own number."""
    column = _column(rows, "prompt") or [""] * len(rows)
    names = [(str(prompt),) if str(prompt).strip() else index for index, prompt in enumerate(column)]
    codes: dict[Any, int] = {}
    return np.array([codes.setdefault(name, len(codes)) for name in names])


def _raters(rows: list[Mapping[str, Any]]) -> list[list[str]] | None:
    column = _column(rows, "raters")
    if column is None:
        return None
    names_by_story = []
    for number, (row, raters) in enumerate(zip(rows, column, strict=True)):
        names = [str(name) for name in as_list(raters, f"references, row {number}, raters", "names")]
        ratings = row.get("ratings")
        expected = 0 if ratings is None or is_missing(ratings) else len(ratings)
        if len(names) != expected or len(set(names)) != expected:
            raise ValueError(
                f"references, row {number}: expected {expected} different raters, one per rating, got {names}"
            )
        names_by_story.append(names)
    return names_by_story


def _error_types(rows: list[Mapping[str, Any]]) -> list[list[list[str]]] | None:
    column = _column(rows, "error_types")
    if column is None:
        return None
    types_by_story = []
    for number, raters in enumerate(column):
        label, of = f"references, row {number}, error_types", "lists of names, one per rater"
        lists = [as_list(types, label, of) for types in as_list(raters, label, of)]
        types_by_story.append([[str(name) for name in types] for types in lists])
    return types_by_story
