"""The shipped weights perform as their card states."""

import json
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest

from openmeva.metrics.core.checkpoint import weights_checksum
from tests.mini_stories import mini_rows_of

ROOT = Path(__file__).resolve().parents[3]
WEIGHTS = ROOT / "metrics" / "ruber_bert" / "weights"
CONFIGURATIONS = ("roc", "wp", "rnn")


@pytest.fixture(scope="module")
def ruber() -> dict[str, Any]:
    return {name: evaluate.load(str(ROOT / "metrics" / "ruber_bert"), name) for name in CONFIGURATIONS}


@pytest.mark.parametrize(("name", "least"), [("roc", 0.9), ("wp", 0.6), ("rnn", 0.65)])
def test_own_context_scores_higher_than_another(ruber: dict[str, Any], name: str, least: float) -> None:
    rows = mini_rows_of("wp")[:12] if name == "wp" else mini_rows_of("roc")[:50]
    contexts = [row["context"] for row in rows]
    stories = [row["story"] if name == "wp" else " ".join(row["sentences"][1:]) for row in rows]
    others = contexts[1:] + contexts[:1]
    # in one call, so that each text is encoded once
    scores = np.array(ruber[name].compute(predictions=stories * 2, contexts=contexts + others)["scores"])
    assert np.mean(scores[: len(rows)] > scores[len(rows) :]) >= least


def test_calibration_ranges_fit_unseen_stories(ruber: dict[str, Any]) -> None:
    rows = mini_rows_of("roc")[:50]
    stories = [" ".join(row["sentences"][1:]) for row in rows]
    contexts = [row["context"] for row in rows]
    result = ruber["roc"].compute(
        predictions=stories, contexts=contexts, references=stories[1:] + stories[:1]
    )
    ranges = json.loads((WEIGHTS / "roc" / "config.json").read_text())["ruber_bert"]["ranges"]
    for part in ("referenced", "unreferenced"):
        low, high = ranges[part]
        inside = [low <= value <= high for value in result[part]]
        assert np.mean(inside) > 0.8, "the ranges fit stories that were not used to compute them"
        assert (np.std(result[part]) / (high - low)) > 0.05
    assert max(result["scores"]) - min(result["scores"]) > 0.2


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_checkpoints_are_complete_and_small(name: str) -> None:
    folder = WEIGHTS / name
    config = json.loads((folder / "config.json").read_text())
    manifest = json.loads((folder / "manifest.json").read_text())
    encoder = ROOT / "metrics" / "weights" / "encoder" / "model.safetensors"
    assert config["ruber_bert"]["encoder"]["sha256"] == weights_checksum(encoder)
    assert config["ruber_bert"]["ranges"] == manifest["validation"]["ranges"]
    assert manifest["config"]["name"] == name
    card = (folder / "README.md").read_text()
    assert all(digest in card for digest in manifest["data"].values())
    assert (folder / "adapter.safetensors").stat().st_size < 3e6
