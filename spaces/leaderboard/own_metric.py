"""Measures a user's scores as the benchmark does, with the same coefficients and intervals; nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.autos import aspect_tables, check_rows
from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.correlation import COEFFICIENTS, correlate
from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions
from openmeva.spaces.leaderboard.cells import aspect_cells, rounded, rounded_ends
from openmeva.spaces.leaderboard.collect import judgments_digest
from openmeva.spaces.limits import (
    MAX_COLUMNS,
    MAX_FIELDS,
    MAX_NAME_CHARACTERS,
    MAX_SCORES,
    MAX_SYSTEMS,
)
from openmeva.training.benchmark.data.row_matching import match_rows
from openmeva.training.benchmark.data.score_files import column_names, columns_by_metric, finite_number
from openmeva.training.benchmark.data.sets import TEST_SETS, test_set
from openmeva.training.benchmark.results.titles import own_title
from openmeva.training.common.fields import prompt_of
from openmeva.training.files import Row

DRAWS = 1000
SEED = 0
COMMAND = "openmeva benchmark --scores SET=FILE"  # does the same for more stories, on the user's own machine
_MIN_STORIES = 20  # stories; with fewer, a correlation says nothing


def place(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    data: Path | None = None,
    digest: str | None = None,
    most: int = MAX_COLUMNS,
) -> list[dict[str, Any]]:
    """The result rows of a file of scores on a set, one per column of scores.

    Args:
        name: name of a set, as in `openmeva benchmark`.
        rows: `score` (higher is better), or several columns of scores, and one of: `story_id` of the set's stories, all
            of them in any order; nothing else, in the set's own order; or, for judged sets, `judgment` with each score
            (the mean of the ratings) and, where known, `prompt` (or `context`) and `source_model`.
        data: folder of the judged sets, where this machine has them.
        digest: digest of the set's judgments, which identifies judgments that are given with the scores.
        most: maximum number of columns of scores.

    Returns:
        Coefficients with intervals, or `aspects`; `same_stories`: whether they were measured on the set's own stories.

    Raises:
        ValueError: invalid input, described in a sentence for the user.
    """
    names = [entry.name for entry in TEST_SETS.values() if not entry.preferences]
    if str(name).partition(":")[0] not in names:
        raise ValueError(f"The set is one of {', '.join(names)}, not {str(name)[:30]!r}.")
    if test_set(name).judged:
        return _judged(join_judgments(name, rows, data, digest, most), name)
    return _autos(name, *_checked_rows(rows, most))


@dataclass(frozen=True)
class JudgedScores:
    """Scores with the judgments of their stories.

    Attributes:
        stories: rows as `JudgedStories` takes them; without texts where the judgments were given with the scores.
        scores: title to scores, one per story.
        judged: the judgments.
        same: whether they are the set's own judgments.
        from_server: whether they were read on this machine.
    """

    stories: list[dict[str, Any]]
    scores: dict[str, list[float]]
    judged: JudgedStories
    same: bool
    from_server: bool


def join_judgments(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    data: Path | None = None,
    digest: str | None = None,
    most: int = MAX_COLUMNS,
) -> JudgedScores:
    """A user's scores with the judgments of a judged set; arguments and errors as `place`."""
    user_rows, columns = _checked_rows(rows, most)
    from_server = not any(row.has("judgment") for row in user_rows)
    if from_server:
        try:
            stories = test_set(name).read(data)
        except (ValueError, OSError):
            raise ValueError(
                "The human judgments of this set are distributed by its authors and are not available here: add a column "
                "'judgment' (the mean rating of each story) and, if you have it, 'prompt'."
            ) from None
        user_rows = match_rows(user_rows, stories, "the set")
    else:
        stories = _stories_of(user_rows)
    judged = JudgedStories.from_rows(stories)
    if len(judged) < _MIN_STORIES:
        raise ValueError(f"Expected at least {_MIN_STORIES} scores, got {len(judged)}.")
    scores = {title: [finite_number(row, column) for row in user_rows] for title, column in columns.items()}
    same = from_server or (digest is not None and judgments_digest(judged.scores.tolist()) == digest)
    return JudgedScores(stories, scores, judged, same, from_server)


def _checked_rows(rows: Sequence[Mapping[str, Any]], most: int) -> tuple[list[Row], dict[str, str]]:
    """The rows with their row numbers, and title to column of scores.

    A metric named like a trivial baseline, which every table has, gets `(yours)` in its title.

    Raises:
        ValueError: too many rows or columns, or a score that is not a number.
    """
    if not 0 < len(rows) <= MAX_SCORES:
        raise ValueError(
            f"Expected 1 to {MAX_SCORES:,} scores, got {len(rows):,}; `{COMMAND}` takes any number of them."
        )
    numbered = [Row(number, f"Row {number}", dict(row)) for number, row in enumerate(rows, 1)]
    names = column_names(numbered)
    if len(names) > MAX_FIELDS:
        raise ValueError(f"Expected at most {MAX_FIELDS} columns, got {len(names):,}.")
    _check_names("A column", names)
    columns = {own_title(title): column for title, column in columns_by_metric(numbered).items()}
    if len(columns) > most:
        raise ValueError(
            f"Columns of scores: expected at most {most}, got {len(columns):,}. Each column with a number counts, "
            "except those that describe a story."
        )
    if len(columns) * len(numbered) > MAX_SCORES:
        raise ValueError(
            f"Expected at most {MAX_SCORES:,} scores in all, got {len(columns) * len(numbered):,}: {len(columns)} columns of "
            f"{len(numbered):,}."
        )
    for column in columns.values():
        for row in numbered:
            finite_number(row, column)
    return numbered, columns


def _check_names(what: str, names: Iterable[str]) -> None:
    """Refuses a long name: a figure is as wide as its labels."""
    if long := next((name for name in names if len(name) > MAX_NAME_CHARACTERS), None):
        raise ValueError(
            f"{what} has a name of {len(long):,} characters ({long[:30]!r}…); please give at most {MAX_NAME_CHARACTERS}."
        )


def _stories_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The judgments that were given with the scores, as rows of judged stories without texts.

    Raises:
        ValueError: a judgment that is not a number (with its row), or more systems than `MAX_SYSTEMS`.
    """
    prompts = [prompt_of(row.values) for row in rows]
    systems = all(row.has("source_model") for row in rows)
    names = {str(row.values["source_model"]) for row in rows} if systems else set()
    _check_names("Column 'source_model': a system", names)
    if len(names) > MAX_SYSTEMS:
        raise ValueError(
            f"Column 'source_model': expected at most {MAX_SYSTEMS} systems, got {len(names):,}. The column is optional: "
            "scores can be placed without it."
        )
    return [
        {
            "story": "",
            "score": finite_number(row, "judgment"),
            **({"prompt": f"row {row.number}" if prompt is None else prompt} if any(prompts) else {}),
            **({"source_model": str(row.values["source_model"])} if systems else {}),
        }
        for row, prompt in zip(rows, prompts, strict=True)
    ]


def _judged(user_scores: JudgedScores, name: str) -> list[dict[str, Any]]:
    judged = user_scores.judged
    bootstrap = PromptBootstrap(judged.scores, judged.prompts, DRAWS, np.random.default_rng(SEED))
    results = []
    for title, values in user_scores.scores.items():
        metric = _checked(title, values)
        row, ends = correlate(metric, judged.scores), intervals(bootstrap.correlations(metric))
        results.append(
            {
                "set": name,
                "title": title,
                "kind": "you",
                **{c: rounded(row[c]) for c in COEFFICIENTS},
                "intervals": {c: rounded_ends(ends[c]) for c in COEFFICIENTS},
                "n": len(judged),
                "same_stories": user_scores.same,
            }
        )
    return results


def _checked(title: str, values: Sequence[float]) -> np.ndarray:
    try:
        return check_predictions(values, len(values))
    except ValueError as error:
        raise ValueError(f"{title}: {str(error).removeprefix('predictions: ')}") from None


def _autos(name: str, rows: Sequence[Row], columns: Mapping[str, str]) -> list[dict[str, Any]]:
    try:
        stories = check_rows(test_set(name).read(None))
    except ValueError:
        raise ValueError(f"{test_set(name).title} is not available here: `make autos` builds it.") from None
    ordered = match_rows(rows, stories, "the set")
    results = []
    for title, column in columns.items():
        metric = _checked(title, [finite_number(row, column) for row in ordered])
        table = aspect_tables(metric, stories, DRAWS, np.random.default_rng(SEED))
        results.append(
            {
                "set": name,
                "title": title,
                "kind": "you",
                **aspect_cells(table),
                "n": len(stories),
                "same_stories": True,
            }
        )
    return results
