"""The shipped weights perform as their card states."""

import json
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest
from numpy.typing import NDArray

from openmeva.metrics.core.checkpoint import weights_checksum
from openmeva.training.benchmark.data.registry import read_registry
from tests.mini_stories import corrupted, sentences_of, with_foreign_sentences

ROOT = Path(__file__).resolve().parents[3]
WEIGHTS = ROOT / "metrics" / "plot_coherence" / "weights"
SHIPPED = sorted(folder.name for folder in WEIGHTS.iterdir() if (folder / "config.json").is_file())


@pytest.fixture(scope="module")
def mix() -> Any:
    return evaluate.load(str(ROOT / "metrics" / "plot_coherence"), "mix")


def stories_of(kind: str) -> list[list[str]]:
    return sentences_of(kind)[: 24 if kind == "roc" else 8]  # the other stories are long


@pytest.fixture(scope="module")
def whole(mix: Any) -> dict[str, NDArray[np.float64]]:
    """Scores of the unchanged stories."""
    return {
        kind: np.array(
            mix.compute(predictions=[" ".join(s) for s in stories_of(kind)], dtype="float32")["scores"]
        )
        for kind in ("roc", "wp")
    }


@pytest.mark.parametrize(
    ("kind", "how", "least"),
    [
        ("roc", "repeated", 0.75),
        ("roc", "foreign", 0.75),
        ("roc", "reversed", 0.7),
        ("wp", "foreign", 0.6),
    ],
)
def test_damaged_stories_score_lower(
    mix: Any, whole: dict[str, NDArray[np.float64]], kind: str, how: str, least: float
) -> None:
    stories = stories_of(kind)
    broken = mix.compute(predictions=[" ".join(s) for s in corrupted(stories, how)], dtype="float32")[
        "scores"
    ]
    assert float((whole[kind] > np.array(broken)).mean()) >= least


def test_foreign_sentence_has_the_largest_gain_and_is_off_topic(mix: Any) -> None:
    stories = sentences_of("roc")[:16]
    mixed, positions = with_foreign_sentences(stories)
    whole = mix.compute(predictions=[" ".join(s) for s in stories], explain=True)["explanations"]
    broken = mix.compute(predictions=mixed, explain=True)["explanations"]
    blamed = [int(np.argmax([s["gain"] for s in e["sentences"]])) for e in broken]
    assert np.mean(np.array(blamed) == positions) > 0.3, "one in five by chance"
    higher = [
        a["error_types"]["off_topic"] > b["error_types"]["off_topic"]
        for a, b in zip(broken, whole, strict=True)
    ]
    assert np.mean(higher) > 0.6


def test_default_configuration_is_mix(mix: Any) -> None:
    bare = evaluate.load(str(ROOT / "metrics" / "plot_coherence"))
    assert bare.signature() == mix.signature()


@pytest.mark.parametrize("name", SHIPPED)
def test_checkpoints_have_a_manifest_with_provenance(name: str) -> None:
    manifest = json.loads((WEIGHTS / name / "manifest.json").read_text(encoding="utf-8"))
    assert {"config", "data", "steps", "validation", "groups", "torch"} <= set(manifest)
    assert all(len(digest) == 64 for digest in manifest["data"].values())
    settings = json.loads((WEIGHTS / name / "config.json").read_text(encoding="utf-8"))["plot_coherence"]
    if "path" in settings["encoder"]:  # otherwise it is downloaded, and verified when it is loaded
        encoder = WEIGHTS / name / settings["encoder"]["path"] / "model.safetensors"
        assert weights_checksum(encoder) == settings["encoder"]["sha256"]
    else:
        assert len(settings["encoder"]["sha256"]) == 64
    card = (WEIGHTS / name / "README.md").read_text(encoding="utf-8")
    assert f"{manifest['validation']['all']['auc']:.3f}" in card


@pytest.mark.parametrize("name", SHIPPED)
def test_training_on_the_authors_filtered_stories_is_documented(name: str) -> None:
    manifest = json.loads((WEIGHTS / name / "manifest.json").read_text(encoding="utf-8"))
    learned = any("af_valid" in file for file in manifest["data"])
    card = " ".join((WEIGHTS / name / "README.md").read_text(encoding="utf-8").split())
    assert ("released by the plot-guided paper's authors" in card) is learned
    rows = [
        entry.title
        for entry in read_registry().values()
        if entry.folder.name == "plot_coherence" and name in entry.configs.values()
    ]
    assert rows
    assert all(("authors" in title) is learned for title in rows)


def test_adapters_are_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS.rglob("*.safetensors")) < 15_000_000
