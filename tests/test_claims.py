"""Claims of READMEs and cards about data and results: no training on these stories, few metrics do better."""

import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.benchmark.data.registry import read_registry
from openmeva.training.common.model_card import excluded_files
from openmeva.training.hub.results import read_results
from openmeva.training.judged.catalogue import JUDGED_SETS
from openmeva.training.paths import ROOT
from tests.judged_stories import JUDGED

MANIFESTS = sorted(
    path
    for folders in ("metrics/weights/*", "metrics/*/weights/*", "training/weights/*")
    for path in ROOT.glob(f"{folders}/manifest.json")
)
# Trained before the one judged story in WritingPrompts' file was excluded. The cards of the two metrics that are evaluated
# on that story, perplexity and RUBER-BERT, say so.
TRAINED_BEFORE_EXCLUSION = {
    "embedding_similarity/weights/default",
    "ppl/weights/wp",
    "ruber_bert/weights/wp",
    "metrics/weights/encoder",
    "training/weights/generator-wp",
}
RESULTS: Any = read_results(ROOT)


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: "/".join(path.parts[-4:-1]))
def test_weights_were_not_trained_on_judged_or_project_stories(path: Path) -> None:
    """As claimed by cards, datasets/stories and training/README.md; judged stories are only read to exclude them."""
    manifest = json.loads(path.read_text(encoding="utf-8"))
    used = [name for name in manifest["data"] if name.split("/")[0] in (*JUDGED_SETS, "datasets", "judged")]
    excluded = set(excluded_files(manifest.get("config", {})))
    assert set(used) <= excluded
    exempt = "/".join(path.parts[-4:-1]) in TRAINED_BEFORE_EXCLUSION
    to_exclude = {judged for corpus, judged in JUDGED.items() if corpus in manifest["data"]}
    assert exempt or to_exclude <= excluded


def _rows_above_trivial_baselines(name: str) -> list[str]:
    """This project's rows that are significantly better than the best trivial baseline of a set."""
    rows = [row for row in RESULTS["judged"][name]["rows"] if row["kind"] == "ours"]
    return [row["title"] for row in rows if row.get("beats_trivial")]


def _rows_of_larger_models() -> set[str]:
    """Rows of configurations whose base models are not in the checkout."""
    return {
        title
        for entry in read_registry().values()
        if any("base" in config.split("_") for config in entry.configs.values())
        for title in entry.rows
    }


def test_only_mix_of_small_metrics_beats_trivial_baselines_on_mans_wp() -> None:
    """README.md, metrics/README.md."""
    small = set(_rows_above_trivial_baselines("mans_wp")) - _rows_of_larger_models()
    assert small == {"Plot coherence (mix, authors' stories)"}


@pytest.mark.parametrize("name", ["union_wp", "plot_guided_wp", "hanna"])
def test_no_reference_free_metric_beats_trivial_baselines_on_long_stories(name: str) -> None:
    """metrics/README.md."""
    entries = read_registry().values()
    assert not {title for entry in entries if "references" not in entry.inputs for title in entry.rows} & set(
        _rows_above_trivial_baselines(name)
    )


def test_no_small_metric_beats_trivial_baselines_on_plot_guided_roc() -> None:
    """README.md, metrics/README.md: none is fit for comparing good stories; people wrote half of the plot-guided ones."""
    assert set(_rows_above_trivial_baselines("plot_guided_roc")) <= _rows_of_larger_models()
