"""Percentiles of a score among reference stories, from shipped quantiles.

A file `references/<corpus>/<metric>.json` (`<metric>_base.json` for the larger encoder) holds, for each group of stories,
its label, the number of stories, and the 0th to 100th percentile of each number of the metric. The files are written by
`spaces.reference_scores`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).with_name("references")
POINTS = np.linspace(0, 100, 101)


@dataclass(frozen=True)
class PercentileRank:
    """The percentile of a value in one group of reference stories.

    Attributes:
        group: `human`, `unrelated`, `generated`, `retold` or `damaged`.
        label: description of the stories.
        count: number of stories.
        better_than: percentage of them, 0 to 100, that the value is better than.
        quantiles: the 101 percentiles of their scores, ascending.
    """

    group: str
    label: str
    count: int
    better_than: float
    quantiles: tuple[float, ...]

    @property
    def colour(self) -> str:
        """Colour name of the group in charts: `human` for human-written stories, else `generated`."""
        return "human" if self.group in ("human", "unrelated") else "generated"


def quantiles(values: Any) -> list[float]:
    """The 0th to 100th percentile of `values`, to five digits."""
    return [float(f"{value:.5g}") for value in np.percentile(np.asarray(values, float), POINTS)]


def better_than(value: float, points: tuple[float, ...], higher: bool) -> float:
    """Percent of a distribution, given by its quantiles, that `value` is better than; ties count half.

    >>> better_than(5.0, tuple(float(i) for i in range(101)), higher=False)
    95.0
    """
    array = np.asarray(points)
    below = np.interp(value, array, POINTS, left=0.0, right=100.0)
    flat = POINTS[array == value]
    if len(flat):
        below = (flat[0] + flat[-1]) / 2
    return float(below if higher else 100 - below)


def percent(value: float) -> str:
    """A percentage as a whole number; at the ends, where the quantiles are too coarse, `under 1 %` or `over 99 %`.

    >>> percent(0.2), percent(42.4), percent(100.0)
    ('under 1 %', '42 %', 'over 99 %')
    """
    return "under 1 %" if value < 0.5 else "over 99 %" if value > 99.5 else f"{value:.0f} %"


class Distributions:
    """The reference distributions of a folder, read once."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.files: dict[tuple[str, str], dict[str, Any]] = {
            (path.parent.name, path.stem): json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(folder.glob("*/*.json"))
        }

    def percentile_ranks(
        self, corpus: str, metric: str, key: str, value: float, higher: bool, checkpoint: str
    ) -> list[PercentileRank]:
        """The percentile of a value in each group; empty where there are no distributions of this checkpoint."""
        candidates: list[Mapping[str, Any]] = [
            self.files.get((corpus, f"{metric}{tier}"), {}) for tier in ("", "_base")
        ]
        distribution: Mapping[str, Any] = next(
            (candidate for candidate in candidates if candidate.get("checkpoint") == checkpoint),
            {"groups": {}},
        )
        ranks = []
        for name, group in distribution["groups"].items():
            points = group["quantiles"].get(key)
            if points:
                percent = better_than(value, tuple(points), higher)
                ranks.append(PercentileRank(name, group["label"], group["count"], percent, tuple(points)))
        return ranks


def checkpoint_of(signature: str) -> str:
    """The checkpoint in a metric's signature, by which distributions are matched; its first part where it has none.

    >>> checkpoint_of("union|checkpoint:roc@abc|torch:2")
    'roc@abc'
    """
    parts = dict(part.split(":", 1) for part in signature.split("|") if ":" in part)
    return parts.get("checkpoint", signature.split("|")[0])
