"""The tables of the report, in the layout of the papers and next to their results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from openmeva.training.benchmark.tables.further_tables import (
    autos_tables,
    dataset_drift_table,
    explained_tables,
)
from openmeva.training.benchmark.tables.judged_tables import correlations, kappas, pairs, reliability
from openmeva.training.benchmark.tables.level_tables import (
    accuracy,
    between_systems,
    standings_tables,
    within_prompts,
)
from openmeva.training.benchmark.tables.part_tables import (
    human_machine_table,
    part_tables,
    quality_drift_table,
    score_differences_table,
)
from openmeva.training.benchmark.tables.preference_tables import preference_tables
from openmeva.training.benchmark.tables.render import Table
from openmeva.training.benchmark.tables.table_11 import table_11

PUBLISHED = Path(__file__).with_name("published.yaml")


def read_published(path: Path = PUBLISHED) -> dict[str, Any]:
    """The results printed in the papers."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def main_tables(results: Mapping[str, Any], published: Mapping[str, Any]) -> list[Table]:
    """Coefficients of each judged set at its levels, inter-rater agreement, preferences, and OpenMEVA's Table 11."""
    tables: list[Table] = []
    for name, result in results["judged"].items():
        tables += [
            correlations(name, result, published),
            within_prompts(name, result, published),
            between_systems(result),
        ]
    if results["judged"]:
        tables += [reliability(results["judged"], published), kappas(results["judged"], published)]
    tables += preference_tables(results.get("preferences", {}))
    return [table for table in [*tables, *table_11(results, published)] if table.rows]


def section_tables(results: Mapping[str, Any], published: Mapping[str, Any]) -> list[Table]:
    """The further tables: standings, pairs, drift, error types, differences, AUTOS, explanations."""
    judged = results["judged"]
    tables: list[Table] = []
    for name, result in judged.items():
        tables += [
            *standings_tables(result),
            accuracy(result),
            pairs(result),
            *part_tables(name, result, published),
        ]
        tables += [score_differences_table(name, result, published), human_machine_table(result)]
    tables += [quality_drift_table(judged)] if judged else []
    weights = results.get("drift_weights", {})
    for key in ("dataset_drift", "union_drift"):
        tables.append(dataset_drift_table(results["dataset_drift"], published[key], weights))
    tables += list(autos_tables(results["autos"], published))
    tables += list(explained_tables(results["explanations"], published))
    return [table for table in tables if table.rows]
