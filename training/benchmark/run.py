"""Run metrics over test sets and put every result into one JSON-serialisable dict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.core.backbone import BackboneNotFoundError
from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions
from openmeva.metrics.openmeva.sections import judgment_tables
from openmeva.metrics.openmeva.shared_samples import share_random_samples
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.data.released import released_scores
from openmeva.training.benchmark.data.sampling import sample_stories
from openmeva.training.benchmark.data.sets import TestSet, always_available, own_references, read_set
from openmeva.training.benchmark.parallel import (
    all_inputs,
    default_processes,
    process_pool,
    run_in_parallel,
    score_in_parallel,
)
from openmeva.training.benchmark.results.autos import autos_table
from openmeva.training.benchmark.results.dataset_drift import drift_cells, drift_table, drift_weights
from openmeva.training.benchmark.results.explanations import explanation_tables
from openmeva.training.benchmark.results.judged import judged_table
from openmeva.training.benchmark.results.preferences import preference_table
from openmeva.training.benchmark.results.titles import released_title
from openmeva.training.benchmark.scoring.inputs import (
    Loaded,
    MetricInputs,
    Rows,
    SkippedError,
    explanation_inputs,
    inputs_for_set,
    non_constant,
    run_title,
)
from openmeva.training.benchmark.scoring.scores import SCORES_CACHE, cached_scores
from openmeva.training.common.bounds import check_minimum
from openmeva.training.common.cross_validated import cross_validated_scores

_RESULTS = ("judged", "preferences", "autos", "dataset_drift", "drift_weights", "explanations", "skipped")
Results = dict[str, dict[str, Any]]  # row title to scores, signature and more
# Sections of `metrics/openmeva` that the report shows for each metric.
SHOWN_SECTIONS = (
    "by_error_type",
    "model_drift",
    "score_differences",
    "quality_drift",
    "human_and_machine",
)


@dataclass(frozen=True)
class Settings:
    """Settings of a run.

    Attributes:
        data: folder of the papers' data, or `None`.
        draws, seed: number of bootstrap samples (100 or more), and the random seed of everything.
        strict: whether a failing metric stops the run (if it was named); one whose model is not available never does.
        batch_size: passed to the metrics, if given.
        autos_stories: maximum number of original stories per part of AUTOS; 0 for all.
        pairs: maximum number of pairs per preference set; likewise.
        sets_are_named: whether the user named the sets; then an absent one is an error.
        say: called with each progress line.
        processes: number of scoring processes, one metric each; 1: scored when its table is made; None: the default.

    Raises:
        ValueError: a number is out of range.
    """

    data: Path | None = None
    draws: int = 10_000
    seed: int = 0
    strict: bool = False
    sets_are_named: bool = False
    batch_size: int | None = None
    autos_stories: int = 100
    pairs: int = 500
    say: Callable[[str], None] = print
    processes: int | None = None

    def __post_init__(self) -> None:
        check_minimum(100, draws=self.draws)
        check_minimum(1, batch_size=self.batch_size, processes=self.processes)
        check_minimum(0, seed=self.seed, autos_stories=self.autos_stories, pairs=self.pairs)


def run(metrics: Sequence[MetricEntry], sets: Sequence[TestSet], settings: Settings) -> dict[str, Any]:
    """Every table of the benchmark.

    Returns:
        `judged`, `preferences` and `autos` (by set), `dataset_drift` and `drift_weights` (by row), `explanations`
        (by metric, then set), `skipped` (set or metric to the reason), `settings`.

    Raises:
        ValueError: the files of a set are damaged, or absent although the sets were named.
    """
    results: dict[str, Any] = {kind: {} for kind in _RESULTS}
    results["settings"] = {"draws": settings.draws, "seed": settings.seed}
    loaded = {}
    for test_set in sets:
        rows = read_set(test_set, settings.data, settings.sets_are_named)
        if rows is None:
            results["skipped"][test_set.name] = f"needs {test_set.needs}"
            continue
        maximum = settings.pairs if test_set.preferences else settings.autos_stories
        loaded[test_set.name] = sample_stories(test_set, rows, maximum, settings.seed)
    most = settings.processes or default_processes()
    inputs = list(all_inputs(metrics, list(loaded.values()))) if most > 1 else []
    processes = min(most, max(len(inputs), len(loaded)))  # all of which start with the first task
    with process_pool(processes) as pool:
        score_in_parallel(inputs, SCORES_CACHE, settings.batch_size, processes, settings.say, pool)
        _add_tables(results, metrics, loaded, settings, pool)
    for entry in metrics:
        tables = _explanations(entry, list(loaded.values()), settings, results["skipped"])
        if tables:
            results["explanations"][entry.title] = tables
    return results


def _add_tables(
    results: dict[str, Any],
    metrics: Sequence[MetricEntry],
    loaded: Mapping[str, tuple[TestSet, Rows]],
    settings: Settings,
    pool: Executor | None,
) -> None:
    """Adds the table of each set, and the dataset-drift table of each metric."""
    calls: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    for test_set, rows in loaded.values():
        settings.say(f"{test_set.title}: {len(rows)} stories")
        scores = _all_scores(metrics, test_set, rows, settings, results["skipped"])
        scores |= {
            title: result
            for title, result in cross_validated_scores(test_set.name, rows).items()
            if any(entry.name == result["metric"] for entry in metrics)
        }
        scores = non_constant(test_set, scores, results["skipped"])
        arguments = (_without_files(test_set), rows, scores, replace(settings, say=print))
        calls.append((_table, arguments))
    drifting = []
    for entry in metrics:
        by_row = drift_cells(
            entry, list(loaded.values()), lambda inputs: _attempt(inputs, settings, results["skipped"])
        )
        for title, cells in by_row.items():
            drifting.append((title, entry))
            calls.append((drift_table, (cells, settings.draws, settings.seed)))
    tables = iter(run_in_parallel(_with_common_samples, calls, pool))
    for (test_set, _), (kind, table) in zip(loaded.values(), tables, strict=False):
        results[kind][test_set.name] = table
    for (title, entry), drift in zip(drifting, tables, strict=True):
        results["dataset_drift"][title] = drift
        results["drift_weights"][title] = {
            corpus: drift_weights(entry, corpus).description() for corpus in entry.configs
        }


def _with_common_samples(make: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Calls `make(*arguments)`; the metrics of one table share their bootstrap samples."""
    with share_random_samples():
        return make(*arguments)


def _without_files(test_set: TestSet) -> TestSet:
    """A set whose rows were read, without its reader, which cannot be passed to another process."""
    return replace(test_set, read=_read_before, is_available=always_available)


def _read_before(data: Path | None) -> Rows:
    raise ValueError("the rows were already read")


def _table(test_set: TestSet, rows: Rows, scores: Results, settings: Settings) -> tuple[str, dict[str, Any]]:
    """The section of the results that a set's table belongs to, and the table."""
    if test_set.preferences:
        return "preferences", _preferences(test_set, rows, scores, settings)
    if test_set.judged:
        return "judged", _judged(test_set, rows, scores, settings)
    return "autos", _autos(test_set, rows, scores, settings)


def _all_scores(
    metrics: Sequence[MetricEntry], test_set: TestSet, rows: Rows, settings: Settings, skipped: dict[str, str]
) -> Results:
    """Row title to `scores`, `signature`, `metric` and `sections`, for metrics with a configuration for the corpus."""
    scores: Results = {}
    for entry in metrics:
        try:
            inputs = inputs_for_set(entry, test_set, rows)
        except SkippedError as error:
            skipped[error.name] = str(error)
            continue
        result = _attempt(inputs, settings, skipped)
        for title, key in entry.rows.items() if result else ():
            scores[title] = {
                "scores": result[key],
                "signature": result["signature"],
                "metric": entry.name,
                "sections": not entry.sections or title in entry.sections,
            }
    return scores


def _attempt(inputs: MetricInputs, settings: Settings, skipped: dict[str, str]) -> dict[str, Any]:
    """The metric's result. If it cannot run, the result is empty and `skipped` holds the reason.

    With `settings.strict` the error is raised instead, unless the model has to be downloaded first.
    """
    entry, config = inputs.entry, inputs.config
    title = run_title(entry, config, inputs.explain)

    def say(line: str) -> None:
        settings.say(f"  {title}: {line}")

    try:
        batch_size = settings.batch_size
        return cached_scores(entry, config, inputs.rows, SCORES_CACHE, batch_size, inputs.explain, say)
    except (ValueError, OSError, ImportError) as error:
        if settings.strict and not isinstance(error, BackboneNotFoundError):
            raise
        skipped[f"{entry.name} ({config}) on {inputs.test_set.name}"] = str(error)
        return {}


def _judged(test_set: TestSet, rows: Rows, by_title: Results, settings: Settings) -> dict[str, Any]:
    judged = JudgedStories.from_rows(rows, test_set.scale)
    ours = {title: result["scores"] for title, result in by_title.items()}
    released = released_scores(test_set.name, rows, settings.data)
    rng = np.random.default_rng(settings.seed)
    table = judged_table(judged, ours, released, settings.draws, rng)
    # The two strongest released metrics show what the sections look like for metrics known to work.
    printed = {released_title(title, ours): s for title, s in released.items()}
    strongest = sorted(printed, key=lambda title: -table["rows"].get(title, {}).get("pearson", -2.0))[:2]
    full = {title: printed[title] for title in strongest}
    full |= {title: result["scores"] for title, result in by_title.items() if result.get("sections", True)}
    table["sections"] = {
        title: judgment_tables(
            check_predictions(scores, len(rows)),
            judged,
            {},
            test_set.options.get("reasonable_above", judged.reasonable_above),
            test_set.options.get("one_error_only", True),
            settings.draws,
            np.random.default_rng(settings.seed),
            SHOWN_SECTIONS,
        )
        for title, scores in full.items()
    }
    table["signatures"] = {title: result["signature"] for title, result in by_title.items()}
    table["title"] = test_set.title
    table["own_references"] = own_references(rows)
    return table


def _preferences(test_set: TestSet, rows: Rows, by_title: Results, settings: Settings) -> dict[str, Any]:
    ours = {title: result["scores"] for title, result in by_title.items()}
    table = preference_table(rows, ours, settings.draws, np.random.default_rng(settings.seed))
    signatures = {title: result["signature"] for title, result in by_title.items()}
    return {**table, "signatures": signatures, "title": test_set.title}


def _autos(test_set: TestSet, rows: Rows, by_title: Results, settings: Settings) -> dict[str, Any]:
    ours = {title: result["scores"] for title, result in by_title.items()}
    return autos_table(test_set, rows, ours, settings.draws, settings.seed)


def _explanations(
    entry: MetricEntry, loaded: Loaded, settings: Settings, skipped: dict[str, str]
) -> dict[str, Any]:
    tables = {}
    for inputs in explanation_inputs(entry, loaded):
        result = _attempt(inputs, settings, skipped)
        if result:
            options = inputs.test_set.options
            tables[inputs.test_set.name] = explanation_tables(
                result["explanations"],
                JudgedStories.from_rows(inputs.rows),
                options["reasonable_above"],
                options["one_error_only"],
            )
    return tables
