"""The stories of a set that the user's metrics have scores for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openmeva.metrics.openmeva.judged import check_predictions
from openmeva.training.benchmark.data.sampling import group_key
from openmeva.training.benchmark.data.sets import TestSet
from openmeva.training.benchmark.own.outputs import Scores

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class ScoredSet:
    """A set's stories with their scores; a story that one metric did not score is excluded for all metrics.

    Attributes:
        test_set, all_rows: the set and its stories.
        indices: indices of the scored stories; in pairs and AUTOS only those whose partners are scored, too.
        scores: title to scores, one per index.
        unscored: lines on how many scores each metric lacks.
    """

    test_set: TestSet
    all_rows: Rows
    indices: Sequence[int]
    scores: dict[str, list[float]]
    unscored: Sequence[str]

    @classmethod
    def of(cls, test_set: TestSet, rows: Rows, scores: Scores) -> ScoredSet:
        """Built from scores of all rows; None where a metric has no score.

        Raises:
            ValueError: a wrong number of scores, constant scores (names metric and set), or no scores.
        """
        missing_indices = {
            title: [k for k, v in enumerate(values) if v is None] for title, values in scores.items()
        }
        unscored_indices = {index for indices in missing_indices.values() for index in indices}
        drop_groups = not test_set.rated
        dropped_groups = {group_key(rows[index]) for index in unscored_indices} if drop_groups else set()
        indices = [
            k
            for k, row in enumerate(rows)
            if k not in unscored_indices and not (drop_groups and group_key(row) in dropped_groups)
        ]
        if not indices:
            raise ValueError(
                f"{test_set.title}: expected scores, got none for any of its {len(rows):,} stories"
            )
        selected: dict[str, list[float]] = {}
        for title, values in scores.items():
            selected[title] = [value for value in map(values.__getitem__, indices) if value is not None]
            try:
                check_predictions(selected[title], len(indices))
            except ValueError as error:
                raise ValueError(f"{title} on {test_set.title}: {error}") from error
        excluded = len(rows) - len(indices)
        unscored = [
            f"{title} has no score for {len(missing):,} of the {len(rows):,} stories of {test_set.title}; {excluded:,} are excluded "
            "for every metric"
            for title, missing in missing_indices.items()
            if missing
        ]
        return cls(test_set, rows, indices, selected, unscored)

    @property
    def rows(self) -> Rows:
        """The stories that are scored."""
        return self.select(self.all_rows)

    def select(self, values: Sequence[Any]) -> list[Any]:
        """The values of the scored stories, from one value per story."""
        return [values[index] for index in self.indices]
