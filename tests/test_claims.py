"""Claims of READMEs and cards about data and results: no training on these stories, few metrics do better."""

import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.benchmark.registry import read_registry
from openmeva.training.common.model_card import excluded_files
from openmeva.training.hub.results import read_results
from openmeva.training.judged.catalogue import JUDGED_SETS
from openmeva.training.paths import ROOT
from tests.judged_stories import JUDGED

MANIFESTS = sorted(
    path
    for place in ("metrics/weights/*", "metrics/*/weights/*", "training/weights/*")
    for path in ROOT.glob(f"{place}/manifest.json")
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
def test_no_weights_were_trained_on_judged_stories_nor_on_those_of_this_project(path: Path) -> None:
    """As claimed by cards, datasets/stories and training/README.md; judged stories are only read to exclude them."""
    manifest = json.loads(path.read_text(encoding="utf-8"))
    read = [name for name in manifest["data"] if name.split("/")[0] in (*JUDGED_SETS, "datasets", "judged")]
    left_out = set(excluded_files(manifest.get("config", {})))
    assert set(read) <= left_out
    known = "/".join(path.parts[-4:-1]) in TRAINED_BEFORE_EXCLUSION
    wanted = {judged for corpus, judged in JUDGED.items() if corpus in manifest["data"]}
    assert known or wanted <= left_out


def _beating(name: str) -> list[str]:
    """This project's rows that are significantly better than the best trivial baseline of a set."""
    rows = [row for row in RESULTS["judged"][name]["rows"] if row["kind"] == "ours"]
    return [row["title"] for row in rows if row.get("beats_trivial")]


def _larger() -> set[str]:
    """Rows of configurations whose base models are not in the checkout."""
    return {
        title
        for entry in read_registry().values()
        if any("base" in config.split("_") for config in entry.configs.values())
        for title in entry.rows
    }


def test_of_the_small_metrics_only_mix_beats_counting_on_writing_prompts() -> None:
    """README.md, metrics/README.md."""
    small = set(_beating("mans_wp")) - _larger()
    assert small == {"Plot coherence (mix, authors' stories)"}


@pytest.mark.parametrize("name", ["union_wp", "plot_guided_wp", "hanna"])
def test_on_other_sets_of_long_stories_none_beats_counting(name: str) -> None:
    """metrics/README.md: none that needs no reference."""
    entries = read_registry().values()
    assert not {title for entry in entries if "references" not in entry.inputs for title in entry.rows} & set(
        _beating(name)
    )


def test_no_small_metric_is_fit_for_judging_good_stories_against_each_other() -> None:
    """README.md, metrics/README.md: none beats counting on the plot-guided stories, half of which people wrote."""
    assert set(_beating("plot_guided_roc")) <= _larger()
