"""A sample of AUTOS or of pairs: whole families of stories, so that every cell keeps its pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from openmeva.training.benchmark.sets import TestSet

Rows = list[dict[str, Any]]


def sampled(one: TestSet, rows: Rows, stories: int, seed: int) -> tuple[TestSet, Rows]:
    """Of AUTOS the rows of at most `stories` originals of each origin, with all that was made of them; of preferences
    at most as many pairs.

    Args:
        one: the test set; judged stories stay as they are. The title of the one returned says what was taken.
        rows: its rows.
        stories: 0 for all.
        seed: which originals are taken depends on it and on their ids alone.
    """
    if (one.judged and not one.preferences) or not stories:
        return one, rows
    origins: dict[str, set[str]] = {}
    for row in rows:
        origins.setdefault(row.get("origin") or "human", set()).add(family(row))
    taken = {origin: set(_first(ids, stories, seed)) for origin, ids in origins.items()}
    total = max(map(len, origins.values()))
    if total <= stories:
        return one, rows
    kept = [row for row in rows if family(row) in taken[row.get("origin") or "human"]]
    counted = "pairs" if one.preferences else "stories"
    return replace(one, title=f"{one.title} ({stories} of {total} {counted})"), kept


def family(row: dict[str, Any]) -> str:
    """What stands and falls together: a pair, or an original with all that was made of it."""
    return row.get("pair") or row.get("perturbed_from") or row["story_id"]


def _first(ids: Sequence[str] | set[str], count: int, seed: int) -> list[str]:
    return sorted(ids, key=lambda story_id: hashlib.sha256(f"{seed}\n{story_id}".encode()).digest())[:count]
