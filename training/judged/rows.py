"""The columns of judged stories, common to all judged sets."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import TypedDict

from openmeva.metrics.core.inputs import parse_number
from openmeva.training.files import Row


class JudgedStory(TypedDict, total=False):
    """One judged story.

    `story` is the text after `prompt`, if there is one: in ROC the prompt is the story's first sentence, in WP it is
    not part of the story. `score` is the mean of `ratings`; higher is better. If the source has them, `raters` names
    the rater of each rating, and `error_types` lists the error types that each rater named. `source_model` is "human"
    for human-written stories.

    If several criteria were rated, `criteria` holds the mean rating of each by name, and `criterion_ratings` the
    individual ratings in the order of `raters`, if known.

    In a set of preferences, two rows form a `pair`: the preferred story with the score 1, the other with 0.
    """

    story_id: str
    prompt: str
    reference: str
    story: str
    source_model: str
    ratings: list[float]
    score: float
    raters: list[str]
    error_types: list[list[str]]
    criteria: dict[str, float]
    criterion_ratings: dict[str, list[float]]
    pair: str


def find_file(folder: str | Path, names: tuple[str, ...]) -> Path:
    """The first of `names` in `folder`, ignoring case; if `folder` is a file, that file.

    Raises:
        ValueError: there is none (the message lists the names).
    """
    folder = Path(folder)
    if folder.is_file():
        return folder
    path = locate_file(folder, names)
    if path is None:
        raise ValueError(f"{folder}: expected one of the files {', '.join(names)}")
    return path


def locate_file(folder: Path, names: tuple[str, ...]) -> Path | None:
    """The first of `names` in `folder`, ignoring case; None if there is none."""
    present = {path.name.lower(): path for path in sorted(folder.glob("*"))}
    return next((present[name.lower()] for name in names if name.lower() in present), None)


def aggregate_criteria(ratings: Mapping[str, Sequence[float]]) -> JudgedStory:
    """The judgments of a story for which each rater rated each criterion.

    A rating of the story is the rater's mean over the criteria.

    Args:
        ratings: ratings by criterion, in the same order of raters.

    >>> aggregate_criteria({"coherence": [1, 2], "surprise": [3, 4]})["ratings"]
    [2.0, 3.0]
    """
    overall = [float(mean(rater_ratings)) for rater_ratings in zip(*ratings.values(), strict=True)]
    return {
        "ratings": overall,
        # mean of all ratings at once: equal judgments stay equal; a mean of rounded means can differ
        "score": float(mean([float(value) for values in ratings.values() for value in values])),
        "criteria": {name: float(mean(values)) for name, values in ratings.items()},
        "criterion_ratings": {name: [float(value) for value in values] for name, values in ratings.items()},
    }


def rating_of(row: Row, column: str, low: float = 1, high: float = 5) -> float:
    """The rating in a column of a row.

    Raises:
        ValueError: not a number, or a number outside the scale (with row and column).
    """
    value = row.values.get(column)
    number = parse_number(value)
    if number is None or not low <= number <= high or math.isinf(number):
        raise ValueError(f"{row.where}, {column}: expected a rating in {low:g}..{high:g}, got {value!r:.60}")
    return number
