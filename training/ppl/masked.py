"""The masked configuration of perplexity: the shared encoder as it is, with its pseudo-log-likelihoods."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from openmeva.metrics.core.checkpoint import Checkpoint, load_checkpoint
from openmeva.metrics.core.runtime import choose_dtype
from openmeva.metrics.ppl.loading import from_checkpoint
from openmeva.training.common.trainer import data_checksums, encoder_reference
from openmeva.training.corpora.splits import CorpusConfig, load_corpus
from openmeva.training.files import save_tensors, write_text
from openmeva.training.paths import ENCODER
from openmeva.training.ppl.card import write_ppl_card


def save_masked(config: dict[str, Any], data: Path, out: Path) -> dict[str, Any]:
    """Writes the checkpoint, whose adapter is empty, with what it says of held-out stories."""
    settings = {
        "model": "masked",
        "delexicalize": config["corpus"]["delexicalize"],
        "max_length": config["max_length"],
        "spacing": config["spacing"],
        "encoder": encoder_reference(ENCODER, out),
    }
    save_tensors(out / "adapter.safetensors", {})
    write_text(out / "config.json", json.dumps({"ppl": settings}, indent=2) + "\n")
    started = time.time()
    corpus = load_corpus(CorpusConfig.from_mapping(config["corpus"]), data, ENCODER / "names.json")
    stories = [
        " ".join(w for sentence in s for w in sentence)
        for s in corpus.validation[: config["validation_stories"]]
    ]
    manifest = {
        "metric": "ppl",
        "config": config,
        "data": data_checksums(config, data),
        "validation": compare(load_checkpoint(out, "ppl"), stories),
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
    }
    write_text(out / "manifest.json", json.dumps(manifest, indent=2) + "\n")
    write_ppl_card(out, manifest)
    return manifest


def compare(checkpoint: Checkpoint, stories: list[str]) -> dict[str, float]:
    """Pseudo-loss a token with the checkpoint's spacing and with one token masked at a time, and their Pearson."""
    cpu = torch.device("cpu")
    means = []
    for spacing in (checkpoint.settings["spacing"], None):
        checkpoint.settings["spacing"] = spacing
        loaded = from_checkpoint(checkpoint)
        read = loaded.reader(stories, None)
        losses = loaded.model.token_losses(read, 64, cpu, choose_dtype("auto", cpu))
        means.append([float(np.mean(values)) for values in losses])
    spaced, exact = means
    return {
        "loss_per_token": round(float(np.mean(spaced)), 4),
        "loss_per_token_one_at_a_time": round(float(np.mean(exact)), 4),
        "pearson_of_both": round(float(np.corrcoef(spaced, exact)[0, 1]), 4),
        "stories": len(stories),
    }
