"""Dataset drift: metrics with weights for one corpus on the sets of both, and the training corpora of the weights."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.drift import correlations_with_intervals, dataset_drift
from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions
from openmeva.metrics.openmeva.ties import is_constant
from openmeva.training.benchmark.data.contexts import CORPORA, rows_for_metric
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.data.sets import TestSet
from openmeva.training.benchmark.scoring.inputs import Loaded, MetricInputs, Rows, scoring_entry
from openmeva.training.common.config import read_yaml, resolve_names
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.paths import RUNS, resolve_path

Attempt = Callable[[MetricInputs], dict[str, Any]]  # returns the metric's result; empty if it cannot run
Cells = dict[tuple[str, str], tuple[list[float], JudgedStories]]  # key: corpus of the weights, and set

UNION_SETS = ("union_roc", "union_wp")
SET_PAIRS = (("mans_roc", "mans_wp"), UNION_SETS)  # OpenMEVA's Table 5, UNION's Table 6
DRIFT_RUNS = RUNS / "drift"  # METRIC-CORPUS: weights trained for this table and not shipped


@dataclass(frozen=True)
class DriftWeights:
    """Weights for one corpus.

    Attributes:
        config: the configuration or folder that the metric is loaded from.
        label: their name in the table.
        corpora: the corpora that they were trained on, including those of their initial weights; None if unknown.
    """

    config: str
    label: str
    corpora: tuple[str, ...] | None

    def description(self) -> str:
        """`wp (trained on ROC, WP)`."""
        names = ", ".join(name.upper() for name in self.corpora or ())
        return f"{self.label} (trained on {names})" if names else self.label


def drift_weights(entry: MetricEntry, corpus: str, runs: Path = DRIFT_RUNS) -> DriftWeights:
    """The weights in `runs/METRIC-CORPUS` if that exists, else the shipped weights for the corpus."""
    folder = runs / f"{entry.folder.name}-{corpus}"
    if (folder / "config.json").is_file():
        # an absolute path: scores are then cached under the checkpoint's digest
        return DriftWeights(str(folder.resolve()), f"{corpus} only", training_corpora(folder))
    config = entry.configs[corpus]
    return DriftWeights(config, config, training_corpora(entry.folder / "weights" / config))


def training_corpora(folder: Path) -> tuple[str, ...] | None:
    """The corpora on which the weights in a folder, and their initial weights, were trained.

    The shared encoder is not counted.
    """
    file = folder / "manifest.json"
    if not file.is_file():
        return None
    manifest = json.loads(file.read_text(encoding="utf-8"))
    config = manifest.get("config", {})
    files = config.get("corpus", {}).get("train") or manifest.get("data", {})
    corpora = _folders(files) | _initial_corpora(config)
    return tuple(name for name in CORPORA if name in corpora)


def _initial_corpora(config: Mapping[str, Any]) -> set[str]:
    """The corpora on which the initial weights of a training were trained."""
    if not (start := config.get("start")):
        return set()
    known = training_corpora(resolve_path(start))
    if known is None and (first := config.get("first")):  # a run that is no longer available
        values = read_yaml(resolve_path(first).read_text(encoding="utf-8"), first)
        corpus = resolve_names(CorpusConfig, values["corpus"], first)
        return _folders(corpus["train"]) | _initial_corpora(values)
    return set(known or ())


def _folders(files: Iterable[str]) -> set[str]:
    return {name.partition("/")[0] for name in files}


def drift_sets(entry: MetricEntry, loaded: Loaded) -> list[list[tuple[TestSet, Rows]]]:
    """The available pairs of `SET_PAIRS`, for a metric that has weights for each corpus."""
    by_name = {test_set.name: (test_set, rows) for test_set, rows in loaded}
    has_several_configurations = len(set(entry.configs.values())) > 1
    return [
        [by_name[name] for name in names]
        for names in SET_PAIRS
        if has_several_configurations and set(names) <= by_name.keys()
    ]


def drift_inputs(entry: MetricEntry, corpus: str, test_set: TestSet, rows: Rows) -> MetricInputs | None:
    """Scoring of a set by the weights of its own or the other corpus; None if the metric cannot score it."""
    metric_rows = rows_for_metric(entry, test_set, rows, weights=corpus)
    return (
        MetricInputs(scoring_entry(entry, rows), drift_weights(entry, corpus).config, test_set, metric_rows)
        if metric_rows
        else None
    )


def drift_row(entry: MetricEntry, names: tuple[str, ...]) -> tuple[str, str]:
    """A metric's row in the table of a pair of sets, and the key of compute's result.

    UNION's perplexity is a logarithm (`ppl.txt`), so a metric that has both is compared by its logarithm.
    """
    log = f"{entry.title} (log)"
    if names == UNION_SETS and log in entry.rows:
        return log, entry.rows[log]
    return entry.title, entry.rows.get(entry.title, next(iter(entry.rows.values())))


def drift_cells(entry: MetricEntry, loaded: Loaded, attempt: Attempt) -> dict[str, Cells]:
    """Row title to scores of the judged stories of both corpora by the metric's weights for each corpus.

    Empty for a metric with weights for one corpus only.

    Args:
        entry: the metric.
        loaded: the sets of a run; a pair of `SET_PAIRS` counts if both are available and the metric can run on both.
        attempt: runs the metric.
    """
    by_row: dict[str, Cells] = {}
    for pair in drift_sets(entry, loaded):
        title, key = drift_row(entry, tuple(test_set.name for test_set, _ in pair))
        cells: Cells = {}
        for corpus, (test_set, rows) in itertools.product(entry.configs, pair):
            inputs = drift_inputs(entry, corpus, test_set, rows)
            result = attempt(inputs) if inputs else {}
            # equal scores have no correlation, as the run says at the set itself
            if result and not is_constant(result[key]):
                judged = JudgedStories.from_rows(rows, test_set.scale)
                cells[corpus, test_set.name] = result[key], judged
        if len(cells) == len(entry.configs) * len(pair):
            by_row.setdefault(title, {}).update(cells)
    return by_row


def drift_table(cells: Cells, draws: int, seed: int) -> dict[str, Any]:
    """`dataset_drift` of a metric's cells, with intervals of `draws` bootstrap samples."""
    runs: dict[str, dict[str, dict[str, Any]]] = {}
    for (corpus, name), (scores, judged) in cells.items():
        metric = check_predictions(scores, len(judged))
        runs.setdefault(corpus, {})[name] = correlations_with_intervals(
            metric, judged, draws, np.random.default_rng(seed)
        )
    return dataset_drift(runs)
