"""The stories of a set that the user's metrics have scores for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openmeva.metrics.openmeva.judged import check_predictions
from openmeva.training.benchmark.own.metric import Scores
from openmeva.training.benchmark.sampling import group_key
from openmeva.training.benchmark.sets import TestSet

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class ScoredSet:
    """A set's stories with their scores; a story that one metric did not score is excluded for all metrics.

    Attributes:
        one, all_rows: the set and its stories.
        places: indices of the scored stories; in pairs and AUTOS only those whose partners are scored, too.
        scores: title to scores, one per place.
        unscored: lines on how many scores each metric lacks.
    """

    one: TestSet
    all_rows: Rows
    places: Sequence[int]
    scores: dict[str, list[float]]
    unscored: Sequence[str]

    @classmethod
    def of(cls, one: TestSet, rows: Rows, scores: Scores) -> ScoredSet:
        """Built from scores of all rows; None where a metric has no score.

        Raises:
            ValueError: a wrong number of scores, constant scores (names metric and set), or no scores.
        """
        missing_places = {
            title: [k for k, v in enumerate(values) if v is None] for title, values in scores.items()
        }
        gone = {place for places in missing_places.values() for place in places}
        together = one.preferences or not one.judged
        lost = {group_key(rows[place]) for place in gone} if together else set()
        places = [
            k for k, row in enumerate(rows) if k not in gone and not (together and group_key(row) in lost)
        ]
        if not places:
            raise ValueError(f"{one.title}: expected scores, got none for any of its {len(rows):,} stories")
        kept: dict[str, list[float]] = {}
        for title, values in scores.items():
            kept[title] = [value for value in map(values.__getitem__, places) if value is not None]
            try:
                check_predictions(kept[title], len(places))
            except ValueError as error:
                raise ValueError(f"{title} on {one.title}: {error}") from error
        out = len(rows) - len(places)
        unscored = [
            f"{title} has no score for {len(missing):,} of the {len(rows):,} stories of {one.title}; {out:,} are excluded "
            "for every metric"
            for title, missing in missing_places.items()
            if missing
        ]
        return cls(one, rows, places, kept, unscored)

    @property
    def rows(self) -> Rows:
        """The stories that are scored."""
        return self.select(self.all_rows)

    def select(self, values: Sequence[Any]) -> list[Any]:
        """The values of the scored stories, from one value per story."""
        return [values[place] for place in self.places]
