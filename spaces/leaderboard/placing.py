"""Compares a user's scores with the benchmark's by the same coefficients and intervals; nothing is stored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.autos import aspect_tables, check_rows
from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.correlation import COEFFICIENTS, correlate
from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions
from openmeva.spaces.leaderboard.collect import aspect_cells, rounded, rounded_ends
from openmeva.spaces.limits import MAX_SCORES
from openmeva.training.benchmark.sets import TEST_SETS

DRAWS = 1000
SEED = 0
_LEAST = 20  # of fewer stories a correlation says nothing


def place(name: str, rows: Sequence[Mapping[str, Any]], data: Path | None = None) -> dict[str, Any]:
    """The row that a metric's scores make on a set.

    Args:
        name: of a set, as `python -m training.benchmark` has them.
        rows: `score` (higher is better), and one of: `story_id` of the set's stories, all of them in any order;
            nothing else, in the set's own order; or, for judged sets, `judgment` with each score (the mean of
            the ratings) and, where known, `prompt`.
        data: folder of the judged sets, where this machine has them.

    Raises:
        ValueError: as a sentence, what does not fit.
    """
    if name not in TEST_SETS:
        raise ValueError(f"The set is one of {', '.join(TEST_SETS)}, not {str(name)[:30]!r}.")
    if not 0 < len(rows) <= MAX_SCORES:
        raise ValueError(f"Expected 1 to {MAX_SCORES:,} scores, got {len(rows):,}.")
    scores = [_number(row, "score", number) for number, row in enumerate(rows, 1)]
    if TEST_SETS[name].judged:
        return _judged(name, rows, scores, data)
    return _autos(name, rows, scores)


def _judged(
    name: str, rows: Sequence[Mapping[str, Any]], scores: list[float], data: Path | None
) -> dict[str, Any]:
    if all(row.get("judgment") not in (None, "") for row in rows):
        judgments = np.array([_number(row, "judgment", number) for number, row in enumerate(rows, 1)])
        codes: dict[str, int] = {}
        prompts = np.array(
            [
                codes.setdefault(str(row.get("prompt") or number), len(codes))
                for number, row in enumerate(rows)
            ]
        )
    else:
        try:
            found = TEST_SETS[name].read(data)
        except (ValueError, OSError):
            raise ValueError(
                "The human judgments of this set are its authors' to give and are not here: add a column 'judgment' "
                "(the mean rating of each story) and, where you have it, 'prompt'."
            ) from None
        scores = in_order(rows, scores, [str(row["story_id"]) for row in found])
        judged = JudgedStories.from_rows(found)
        judgments, prompts = judged.scores, judged.prompts
    if len(scores) < _LEAST:
        raise ValueError(f"Expected at least {_LEAST} scores, got {len(scores)}: fewer say nothing.")
    metric = check_predictions(scores, len(judgments))
    row = correlate(metric, judgments)
    bootstrap = PromptBootstrap(judgments, prompts, DRAWS, np.random.default_rng(SEED))
    ends = intervals(bootstrap.correlations(metric))
    return {
        "set": name,
        "title": "your metric",
        "kind": "you",
        **{c: rounded(row[c]) for c in COEFFICIENTS},
        "intervals": {c: rounded_ends(ends[c]) for c in COEFFICIENTS},
        "n": len(scores),
    }


def _autos(name: str, rows: Sequence[Mapping[str, Any]], scores: list[float]) -> dict[str, Any]:
    try:
        found = check_rows(TEST_SETS[name].read(None))
    except ValueError:
        raise ValueError(f"{TEST_SETS[name].title} is not here: `make autos` builds it.") from None
    ids = [f"{row['story_id']} {row['aspect']}" for row in found]
    given = [
        {**row, "story_id": f"{row.get('story_id')} {row.get('aspect')}"} if row.get("story_id") else row
        for row in rows
    ]
    metric = check_predictions(in_order(given, scores, ids), len(found))
    table = aspect_tables(metric, found, DRAWS, np.random.default_rng(SEED))
    return {"set": name, "title": "your metric", "kind": "you", **aspect_cells(table), "n": len(found)}


def in_order(rows: Sequence[Mapping[str, Any]], scores: list[float], ids: Sequence[str]) -> list[float]:
    """The scores in the set's order: by `story_id` where rows have it, as they came otherwise.

    Raises:
        ValueError: another number of scores, an id twice, or ids that the set has not.
    """
    if len(rows) != len(ids):
        raise ValueError(f"Expected {len(ids):,} scores, one for each row of the set, got {len(rows):,}.")
    given = [str(row["story_id"]) for row in rows if row.get("story_id") not in (None, "")]
    if not given:
        return scores
    if len(given) != len(rows):
        raise ValueError("Expected a 'story_id' in every row or in none.")
    by_id = dict(zip(given, scores, strict=True))
    if len(by_id) != len(given):
        twice = next(one for one in given if given.count(one) > 1)
        raise ValueError(f"The story_id {twice[:60]!r} stands in more than one row.")
    absent = [one for one in ids if one not in by_id]
    if absent:
        raise ValueError(f"There is no score for story_id {absent[0][:60]!r} ({len(absent):,} are missing).")
    return [by_id[one] for one in ids]


def _number(row: Mapping[str, Any], name: str, place_: int) -> float:
    value = row.get(name)
    if value is None or isinstance(value, bool | list | dict):
        raise ValueError(f"Row {place_}: expected a number in '{name}', got {str(value)[:30]!r}.")
    try:
        number = float(value)
    except ValueError:
        raise ValueError(f"Row {place_}: expected a number in '{name}', got {str(value)[:30]!r}.") from None
    if not math.isfinite(number):
        raise ValueError(f"Row {place_}: expected a finite number in '{name}', got {number}.")
    return number
