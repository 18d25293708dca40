"""Results on a part of AUTOS: every aspect of every metric, aspects as columns of a table, and means over them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.autos import aspect_tables, check_rows
from openmeva.metrics.openmeva.judged import check_predictions
from openmeva.metrics.openmeva.ties import is_constant
from openmeva.metrics.openmeva.trivial import trivial_scores
from openmeva.training.benchmark.data.sets import TestSet
from openmeva.training.benchmark.results.titles import OURS, TRIVIAL


def autos_table(
    test_set: TestSet,
    rows: Sequence[Mapping[str, Any]],
    metrics: Mapping[str, Sequence[float]],
    draws: int,
    seed: int,
    kind: str = OURS,
) -> dict[str, Any]:
    """Every aspect of a part of AUTOS, for metrics and trivial baselines.

    Args:
        test_set, rows: the part, and its stories.
        metrics: row title to scores, one per story.
        draws, seed: number of bootstrap samples, and the random seed, the same for each row.
        kind: kind of the rows of `metrics`.

    Returns:
        `title`, `corpus`, `test`, `n`, `stories` (see `stories_digest`), and `rows`: by title `kind` and what
        `aspect_tables` returns, but the means as `average` and `average_size` (of the absolute values). Constant
        trivial baselines are left out.

    Raises:
        ValueError: rows that are not AUTOS, or scores that do not fit them.
    """
    stories = check_rows(rows)
    trivial = trivial_scores([row["story"] for row in rows])
    by_kind: dict[str, Mapping[str, Sequence[float]]] = {
        kind: metrics,
        TRIVIAL: {title: list(scores) for title, scores in trivial.items() if not is_constant(scores)},
    }
    table: dict[str, dict[str, Any]] = {}
    for row_kind, by_title in by_kind.items():
        for title, scores in by_title.items():
            metric = check_predictions(scores, len(rows))
            tables = aspect_tables(metric, stories, draws, np.random.default_rng(seed))
            means = tables["average"]
            table[title] = {
                "kind": row_kind,
                **tables,
                "average": means["pearson"],
                "average_size": means["absolute_pearson"],
            }
    return {**test_set.autos_header(len(rows)), "stories": stories_digest(rows), "rows": table}


def stories_digest(rows: Iterable[Mapping[str, Any]]) -> str:
    """SHA-256 of the aspects, labels and texts of a part of AUTOS, in any order; it identifies a build.

    >>> rows = [{"aspect": "typo", "label": 1, "story": "He ran."}, {"aspect": "typo", "label": 0, "story": "He rna."}]
    >>> stories_digest(rows) == stories_digest(rows[::-1]) != stories_digest(rows[:1])
    True
    """
    lines = sorted(json.dumps([row["aspect"], row["label"], row["story"]]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def aspect_columns(
    result: Mapping[str, Any], order: Sequence[str] = ()
) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The columns of a part of AUTOS, and the cells of each row by column.

    A column is an aspect in the discrimination test, and an aspect with an origin in the invariance test (and wherever an
    aspect has several origins). The columns are sorted as in `order`, others last.
    """
    by_row = {
        title: {
            aspect if result["test"] == "discrimination" and len(origins) == 1 else f"{aspect} {origin}": cell
            for aspect, origins in row["aspects"].items()
            for origin, cell in origins.items()
        }
        for title, row in result["rows"].items()
    }
    columns = dict.fromkeys(column for cells in by_row.values() for column in cells)
    return sorted(columns, key=lambda name: order.index(name) if name in order else len(order)), by_row


def column_labels(columns: Sequence[str]) -> dict[str, str]:
    """Names of the columns in sentences; origins are named, in brackets, only if there are several.

    >>> column_labels(["causal_relationship", "typo"])
    {'causal_relationship': 'causal relationship', 'typo': 'typo'}
    >>> column_labels(["typo human", "typo discrimination"])
    {'typo human': 'typo (human)', 'typo discrimination': 'typo (discrimination)'}
    >>> column_labels(["typo human"])
    {'typo human': 'typo'}
    """
    parts = {column: column.partition(" ") for column in columns}
    several = len({origin for _, _, origin in parts.values()}) > 1
    return {
        column: aspect.replace("_", " ") + (f" ({origin})" if origin and several else "")
        for column, (aspect, _, origin) in parts.items()
    }


def mean_known(values: Iterable[float | None], goal: float | None = None) -> float | None:
    """Mean of the known values or, with a goal, of their distances from it, so that opposite errors do not cancel out.

    >>> mean_known([-0.5, 0.25, None]), mean_known([-0.5, 0.25, None], 0.0)
    (-0.125, 0.375)
    """
    known = [value if goal is None else abs(value - goal) for value in values if value is not None]
    return sum(known) / len(known) if known else None
