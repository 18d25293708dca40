"""Compare two or more metrics on the same judged stories: files of scores, or metrics by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.command import judged_file_set
from openmeva.training.benchmark.data.registry import read_registry
from openmeva.training.benchmark.data.row_matching import match_rows
from openmeva.training.benchmark.data.score_files import (
    METRIC_SCORE_SUFFIX,
    check_column,
    finite_number,
    negate,
    score_columns,
    score_rows,
    split_column,
)
from openmeva.training.benchmark.data.sets import TestSet, test_set
from openmeva.training.benchmark.results.judged import judged_table
from openmeva.training.benchmark.scoring.inputs import SkippedError, inputs_for_set
from openmeva.training.benchmark.scoring.scores import SCORES_CACHE, cached_scores, check_cache
from openmeva.training.files import Row, kind_of

Rows = list[dict[str, Any]]
RESULT_KEYS = ("n", "prompts", "rows", "pairs", "standings", "agreement", "noise_ceiling", "unavailable")


@dataclass(frozen=True)
class Comparison:
    """The metrics to compare, and the judgments.

    Attributes:
        metrics: two or more: files of scores (`FILE` or `FILE:COLUMN`), or names of the benchmark's metrics.
        judgments: a file of judged stories.
        dataset: a judged test set of the benchmark, instead of `judgments`. With neither, the first file of scores
            also holds the judgments.
        data: folder of the papers' data, for `dataset`.
        corpus: `roc` or `wp`: selects the configurations that score `judgments`.
        draws, seed: number of bootstrap samples and random seed.
        coefficient: `pearson`, `spearman` or `kendall`: what the tests compare.
        lower_is_better: titles of scores where lower is better, or `all`.
    """

    metrics: Sequence[str]
    judgments: Path | None = None
    dataset: str | None = None
    data: Path | None = None
    corpus: str = "roc"
    draws: int = 10_000
    seed: int = 0
    coefficient: str = "pearson"
    lower_is_better: Sequence[str] = ()


def compare_metrics(comparison: Comparison) -> dict[str, Any]:
    """Correlations of each metric, and paired tests of the best (by the coefficient) against the others.

    Returns:
        `judgments` (title of the set), and from `judged_table`: `rows` (three levels), `pairs`, `standings`,
        `agreement`, `noise_ceiling`, `n`, `prompts` and `unavailable`.

    Raises:
        ValueError: fewer than two metrics, a file without scores or of other stories, or no human judgments.
    """
    if len(comparison.metrics) < 2:
        raise ValueError(f"expected two or more to compare, got {len(comparison.metrics)}")
    judged_set = _judged(comparison)
    rows = judged_set.read(comparison.data)
    judged = JudgedStories.from_rows(rows, judged_set.scale)
    all_scores: dict[str, list[float]] = {}
    names = Counter(Path(split_column(name)[0]).name for name in comparison.metrics if _is_file(name))
    for name in comparison.metrics:
        if _is_file(name):
            scores = _from_file(name, rows, judged_set.title, names, _judging(comparison))
        else:
            scores = metric_scores(name, judged_set, rows)
        for title, values in scores.items():
            if title in all_scores:
                raise ValueError(f"expected different scores, got {title} twice")
            all_scores[title] = values
    negate([all_scores], comparison.lower_is_better)
    table = judged_table(
        judged,
        all_scores,
        {},
        comparison.draws,
        np.random.default_rng(comparison.seed),
        sources=False,
        coefficient=comparison.coefficient,
    )
    return {"judgments": judged_set.title, **{key: table[key] for key in RESULT_KEYS if key in table}}


def _judged(comparison: Comparison) -> TestSet:
    if comparison.dataset is not None and comparison.judgments is not None:
        raise ValueError(
            f"--judgments, --dataset: expected one of them, got {comparison.judgments} and {comparison.dataset}"
        )
    if comparison.dataset is not None:
        judged_set = test_set(comparison.dataset)
        if not judged_set.rated:
            raise ValueError(f"{comparison.dataset}: expected a set of rated stories, got {judged_set.title}")
        return judged_set
    if comparison.data is not None:
        raise ValueError("--data: expected only with --dataset, whose files it contains")
    file = _judging(comparison)
    if file is None:
        raise ValueError("expected --judgments FILE or --dataset NAME: there are no human judgments")
    try:
        return judged_file_set(file, comparison.corpus)
    except ValueError as error:
        if comparison.judgments is None:
            raise ValueError(
                f"{error} ({file} is taken for the judgments: --judgments names another; `openmeva systems` compares the "
                "stories of systems)"
            ) from error
        raise


def _judging(comparison: Comparison) -> Path | None:
    """The file that holds the judgments; None if a test set does, or if there is none."""
    if comparison.dataset is not None or comparison.judgments is not None:
        return comparison.judgments
    return next((Path(split_column(name)[0]) for name in comparison.metrics if _is_file(name)), None)


def _is_file(name: str) -> bool:
    path = split_column(name)[0]
    return Path(path).is_file() or kind_of(path) is not None


def _from_file(
    name: str, judged: Rows, title: str, names: Mapping[str, int], judging: Path | None
) -> dict[str, list[float]]:
    """Scores under the file's name, or under its whole path if several files have that name.

    Raises:
        ValueError: rows that do not fit, or the judgments of the file `judging` instead of a metric's scores.
    """
    path, column = split_column(name)
    label = Path(path).name if names[Path(path).name] == 1 else path
    rows = score_rows(path)
    if column:
        check_column(path, column, rows)
    column = column or _column(path, rows)
    if column in ("score", "ratings") and judging is not None and judging.resolve() == Path(path).resolve():
        raise ValueError(
            f"{path}: expected scores of a metric (FILE:COLUMN names a column, --judgments the file of judgments; "
            f"`openmeva systems` compares the stories of systems), got {column!r}, which is taken for the human judgments"
        )
    ordered = match_rows(rows, judged, title)
    return {f"{label}:{column}": [finite_number(row, column) for row in ordered]}


def _column(path: str, rows: Sequence[Row]) -> str:
    """The column of scores: the only one named after a metric, else `score`, else the only one of `score_columns`.

    Raises:
        ValueError: there are several, or none.
    """
    columns = score_columns(rows)
    named = [name for name in columns if METRIC_SCORE_SUFFIX.search(name)]
    for chosen in (named, [name for name in columns if name == "score"], columns):
        if len(chosen) == 1:
            return chosen[0]
    raise ValueError(
        f"{path}: expected one column of scores (FILE:COLUMN names one), got {', '.join(columns)}"
    )


def metric_scores(name: str, judged_set: TestSet, rows: Rows) -> dict[str, list[float]]:
    """Row title to scores, one per story, of a metric of the registry.

    Raises:
        ValueError: the metric is unknown or cannot score the set, or its scores cannot be cached.
    """
    entries = read_registry()
    if name not in entries:
        raise ValueError(f"{name!r} is neither a file nor a metric: expected one of {', '.join(entries)}")
    try:
        inputs = inputs_for_set(entries[name], judged_set, rows)
    except SkippedError as error:
        raise ValueError(f"{error.name}: {error}") from error
    check_cache(SCORES_CACHE)
    result = cached_scores(inputs.entry, inputs.config, inputs.rows, SCORES_CACHE)
    return {title: result[key] for title, key in inputs.entry.rows.items()}
