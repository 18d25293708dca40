"""The stories of a set that the user's metrics have scores for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openmeva.metrics.openmeva.judged import check_predictions
from openmeva.training.benchmark.own.metric import Scores
from openmeva.training.benchmark.sampling import family
from openmeva.training.benchmark.sets import TestSet

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Scored:
    """A set's stories with their scores; what one metric left unscored is left out for all, so that all meet the same.

    Attributes:
        one: the set, and `all_rows` its stories.
        places: of the stories that are scored; of pairs and of AUTOS, those whose partners are scored, too.
        scores: title to a score for each place.
        unscored: lines that say which metric lacks how many.
    """

    one: TestSet
    all_rows: Rows
    places: Sequence[int]
    scores: dict[str, list[float]]
    unscored: Sequence[str]

    @classmethod
    def of(cls, one: TestSet, rows: Rows, scores: Scores) -> Scored:
        """Scores of all rows, None where a metric has none.

        Raises:
            ValueError: not a score for each row, no two that differ (of which metric and set), or none at all.
        """
        lacking = {title: [k for k, v in enumerate(values) if v is None] for title, values in scores.items()}
        gone = {place for places in lacking.values() for place in places}
        together = one.preferences or not one.judged
        lost = {family(rows[place]) for place in gone} if together else set()
        places = [k for k, row in enumerate(rows) if k not in gone and not (together and family(row) in lost)]
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
            f"{title} has no score for {len(missing):,} of the {len(rows):,} stories of {one.title}; {out:,} are left out, "
            "for every metric"
            for title, missing in lacking.items()
            if missing
        ]
        return cls(one, rows, places, kept, unscored)

    @property
    def rows(self) -> Rows:
        """The stories that are scored."""
        return self.kept(self.all_rows)

    def kept(self, values: Sequence[Any]) -> list[Any]:
        """Of one value a story those of the scored ones."""
        return [values[place] for place in self.places]
