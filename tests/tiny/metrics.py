"""A tiny checkpoint for every metric that needs one, loaded by the metric's own module."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evaluate

from openmeva.training.paths import METRICS
from tests.tiny.bleurt import write_bleurt
from tests.tiny.classifier import write_classifier
from tests.tiny.models import write_bert, write_checkpoint
from tests.tiny.ppl import write_gpt2, write_ppl_checkpoint
from tests.tiny.ruber import write_ruber_checkpoint
from tests.tiny.sentavg import write_sentavg

STORIES = ["Ann ran home. She ate.", "The dog slept. Rose was not home.", "She ate the cat and Tom."]


def write_similarity(folder: Path) -> Path:
    """UNION's adapter; its encoder is used for word embeddings here."""
    settings = json.loads((write_checkpoint(folder) / "config.json").read_text())["union"]
    (folder / "config.json").write_text(json.dumps({"embedding_similarity": settings}))
    return folder


# Metric, with its kind of checkpoint after a colon, to the function that writes the checkpoint.
CHECKPOINTS: dict[str, Callable[[Path], Path]] = {
    "union": write_checkpoint,
    "plot_coherence": lambda folder: write_classifier(folder, "plot_coherence", token_share=0.5),
    "discriminator": lambda folder: write_classifier(folder, "discriminator", error_types=False),
    "sentavg": write_sentavg,
    "bleurt": write_bleurt,
    "ruber_bert": write_ruber_checkpoint,
    "ruber_bert:rnn": lambda folder: write_ruber_checkpoint(folder, "rnn"),
    "ppl": write_ppl_checkpoint,
    "ppl:masked": lambda folder: write_ppl_checkpoint(folder, "masked", spacing=2),
    "ppl:gpt2": write_gpt2,
    "embedding_similarity": write_similarity,
    "embedding_similarity:bert": write_bert,
}
NAMED = [name for name in CHECKPOINTS if name.split(":")[0] != "embedding_similarity" and name != "ppl:gpt2"]
"""Metrics that replace names by placeholders."""


def load_tiny(name: str, folder: Path) -> Any:
    """The module of a metric on the checkpoint in a folder."""
    return evaluate.load(str(METRICS / name.split(":")[0]), str(folder))


def scores_of(module: Any) -> dict[str, Any]:
    """A module's complete result on three stories, in float32."""
    references = STORIES[1:] + STORIES[:1]
    columns = {"contexts": STORIES, "references": references}
    result: dict[str, Any] = module.compute(predictions=STORIES, dtype="float32", **columns)
    return result
