"""Dataset drift: metrics with weights for one corpus on the sets of both, and the training corpora of the weights."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.drift import dataset_drift, part
from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions
from openmeva.training.benchmark.contexts import rows_as_seen
from openmeva.training.benchmark.registry import MetricEntry
from openmeva.training.benchmark.sets import TestSet
from openmeva.training.benchmark.work import Loaded, Rows, Work, scoring
from openmeva.training.common.config import read_yaml
from openmeva.training.paths import RUNS, located

Attempt = Callable[[Work], dict[str, Any]]  # returns the metric's result; empty if it cannot run
Cells = dict[tuple[str, str], tuple[list[float], JudgedStories]]  # key: corpus of the weights, and set

UNIONS = ("union_roc", "union_wp")
SETS = (("mans_roc", "mans_wp"), UNIONS)  # OpenMEVA's Table 5, UNION's Table 6
CORPORA = ("roc", "wp")
ALONE = RUNS / "drift"  # METRIC-CORPUS: weights trained for this table and not shipped


@dataclass(frozen=True)
class DriftWeights:
    """Weights for one corpus.

    Attributes:
        config: the configuration or folder that the metric is loaded from.
        label: their name in the table.
        read: the corpora that they were trained on, including those of their initial weights; None if unknown.
    """

    config: str
    label: str
    read: tuple[str, ...] | None

    def described(self) -> str:
        """`wp (trained on ROC, WP)`."""
        names = ", ".join(name.upper() for name in self.read or ())
        return f"{self.label} (trained on {names})" if names else self.label


def drift_weights(entry: MetricEntry, corpus: str, alone: Path = ALONE) -> DriftWeights:
    """The weights in `alone/METRIC-CORPUS` if that exists, else the shipped weights for the corpus."""
    folder = alone / f"{entry.folder.name}-{corpus}"
    if (folder / "config.json").is_file():
        # an absolute path: scores are then cached under the checkpoint's digest
        return DriftWeights(str(folder.resolve()), f"{corpus} only", corpora_read(folder))
    config = entry.configs[corpus]
    return DriftWeights(config, config, corpora_read(entry.folder / "weights" / config))


def corpora_read(folder: Path) -> tuple[str, ...] | None:
    """The corpora on which the weights in a folder, and their initial weights, were trained.

    The shared encoder is not counted.
    """
    file = folder / "manifest.json"
    if not file.is_file():
        return None
    manifest = json.loads(file.read_text(encoding="utf-8"))
    found = {name.partition("/")[0] for name in manifest.get("data", {})}
    config = manifest.get("config", {})
    if start := config.get("start"):
        before = corpora_read(located(start))
        if before is None and config.get("first"):  # initial weights from a run that is no longer available
            corpus = read_yaml(located(config["first"]).read_text(encoding="utf-8"))["corpus"]
            before = (corpus if isinstance(corpus, str) else corpus.get("name", ""),)
        found |= set(before or ())
    return tuple(name for name in CORPORA if name in found)


def drift_sets(entry: MetricEntry, loaded: Loaded) -> list[list[tuple[TestSet, Rows]]]:
    """The available pairs of `SETS`, for a metric that has weights for each corpus."""
    by_name = {one.name: (one, rows) for one, rows in loaded}
    several = len(set(entry.configs.values())) > 1
    return [[by_name[name] for name in names] for names in SETS if several and set(names) <= by_name.keys()]


def drift_work(entry: MetricEntry, corpus: str, one: TestSet, rows: Rows) -> Work | None:
    """Scoring of a set by the weights of its own or the other corpus; None if the metric cannot score it."""
    whole = entry.joins_context and corpus != one.corpus
    seen = _as_text(rows, one.corpus) if whole else rows_as_seen(entry, one, rows)
    return Work(scoring(entry, rows), drift_weights(entry, corpus).config, one, seen) if seen else None


def drift_row(entry: MetricEntry, names: tuple[str, ...]) -> tuple[str, str]:
    """A metric's row in the table of a pair of sets, and the key of compute's result.

    UNION's perplexity is a logarithm (`ppl.txt`), so a metric that has both is compared by its logarithm.
    """
    log = f"{entry.title} (log)"
    if names == UNIONS and log in entry.rows:
        return log, entry.rows[log]
    return entry.title, entry.rows.get(entry.title, next(iter(entry.rows.values())))


def drift_cells(entry: MetricEntry, loaded: Loaded, attempt: Attempt) -> dict[str, Cells]:
    """Row title to scores of the judged stories of both corpora by the metric's weights for each corpus.

    Empty for a metric with weights for one corpus only.

    Args:
        entry: the metric.
        loaded: the sets of a run; a pair of `SETS` counts if both are available and the metric can run on both.
        attempt: runs the metric.
    """
    found: dict[str, Cells] = {}
    for pair in drift_sets(entry, loaded):
        title, key = drift_row(entry, tuple(one.name for one, _ in pair))
        cells: Cells = {}
        for corpus, (one, rows) in itertools.product(entry.configs, pair):
            work = drift_work(entry, corpus, one, rows)
            if result := attempt(work) if work else {}:
                judged = JudgedStories.from_rows(rows, (1.0, 5.0) if one.name.startswith("mans") else None)
                cells[corpus, one.name] = result[key], judged
        if len(cells) == len(entry.configs) * len(pair):
            found.setdefault(title, {}).update(cells)
    return found


def drift_table(cells: Cells, draws: int, seed: int) -> dict[str, Any]:
    """`dataset_drift` of a metric's cells, with intervals of `draws` bootstrap samples."""
    runs: dict[str, dict[str, dict[str, Any]]] = {}
    for (corpus, name), (scores, judged) in cells.items():
        metric = check_predictions(scores, len(judged))
        runs.setdefault(corpus, {})[name] = part(metric, judged, draws, np.random.default_rng(seed))
    return dataset_drift(runs)


def _as_text(rows: Rows, corpus: str) -> Rows:
    """Rows without contexts, for weights of the other corpus; in ROC the context is joined to the story."""
    return [
        {
            **row,
            "prompt": None,
            "story": f"{row['prompt']} {row['story']}"
            if corpus == "roc" and row.get("prompt")
            else row["story"],
        }
        for row in rows
    ]
