"""Which weights the drift table uses for a corpus, and which corpora they have read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from openmeva.training.benchmark.registry import MetricEntry
from openmeva.training.common.config import read_yaml
from openmeva.training.paths import ROOT, RUNS

CORPORA = ("roc", "wp")
ALONE = RUNS / "drift"  # METRIC-CORPUS: weights that were trained for this table, and are not shipped


@dataclass(frozen=True)
class DriftWeights:
    """Weights for one corpus.

    Attributes:
        config: what the metric is loaded by: a configuration, or a folder.
        label: what they are called in the table.
        read: the corpora that they have read, those of the weights that they go on from among them; None where they do
            not say.
    """

    config: str
    label: str
    read: tuple[str, ...] | None

    def described(self) -> str:
        """`wp (read ROC, WP)`."""
        names = ", ".join(name.upper() for name in self.read or ())
        return f"{self.label} (read {names})" if names else self.label


def drift_weights(entry: MetricEntry, corpus: str, alone: Path = ALONE) -> DriftWeights:
    """The weights in `alone/METRIC-CORPUS` where they lie there, else the shipped ones for the corpus."""
    folder = alone / f"{entry.folder.name}-{corpus}"
    if (folder / "config.json").is_file():
        return DriftWeights(str(folder), f"{corpus} alone", corpora_read(folder))
    config = entry.configs[corpus]
    return DriftWeights(config, config, corpora_read(entry.folder / "weights" / config))


def corpora_read(folder: Path) -> tuple[str, ...] | None:
    """The corpora whose files the weights in a folder, and those that they go on from, were trained on.

    The shared encoder below is not counted.
    """
    file = folder / "manifest.json"
    if not file.is_file():
        return None
    manifest = json.loads(file.read_text(encoding="utf-8"))
    found = {name.partition("/")[0] for name in manifest.get("data", {})}
    config = manifest.get("config", {})
    if start := config.get("start"):
        before = corpora_read(ROOT / start)
        if before is None and config.get("first"):  # of a run that is no longer here
            corpus = read_yaml((ROOT / config["first"]).read_text(encoding="utf-8"))["corpus"]
            before = (corpus if isinstance(corpus, str) else corpus.get("name", ""),)
        found |= set(before or ())
    return tuple(name for name in CORPORA if name in found)
