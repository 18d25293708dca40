"""Samples of AUTOS or of preference pairs: an original is kept with all its perturbed versions, a pair as a whole."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from openmeva.training.benchmark.data.sets import TestSet

Rows = list[dict[str, Any]]


def sample_stories(test_set: TestSet, rows: Rows, stories: int, seed: int) -> tuple[TestSet, Rows]:
    """At most `stories` originals per origin of AUTOS, with all their perturbed versions; at most `stories` pairs of
    a preference set.

    Args:
        test_set: the test set; rated stories are returned unchanged. The returned set's title says how much was sampled.
        rows: its rows.
        stories: 0 for all.
        seed: the sample depends only on the seed and on the ids.
    """
    if test_set.rated or not stories:
        return test_set, rows
    origins: dict[str, set[str]] = {}
    for row in rows:
        origins.setdefault(row.get("origin") or "human", set()).add(group_key(row))
    sampled = {origin: set(_first(ids, stories, seed)) for origin, ids in origins.items()}
    total = max(map(len, origins.values()))
    if total <= stories:
        return test_set, rows
    sample = [row for row in rows if group_key(row) in sampled[row.get("origin") or "human"]]
    unit = "pairs" if test_set.preferences else "stories"
    return replace(test_set, title=f"{test_set.title} ({stories} of {total} {unit})"), sample


def group_key(row: dict[str, Any]) -> str:
    """The key of rows that are kept or dropped together: a pair, or an original with its perturbed versions."""
    return row.get("pair") or row.get("perturbed_from") or row["story_id"]


def _first(ids: Sequence[str] | set[str], count: int, seed: int) -> list[str]:
    return sorted(ids, key=lambda story_id: hashlib.sha256(f"{seed}\n{story_id}".encode()).digest())[:count]
