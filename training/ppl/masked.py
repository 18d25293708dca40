"""The masked configuration of perplexity: pseudo-log-likelihoods of the shared encoder, without training."""

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from openmeva.metrics.core.checkpoint import Checkpoint, load_checkpoint
from openmeva.metrics.core.files import ADAPTER
from openmeva.metrics.core.runtime import choose_dtype
from openmeva.metrics.core.text import join_words
from openmeva.metrics.ppl.loading import from_checkpoint
from openmeva.training.common.backbone import SHARED, find_backbone
from openmeva.training.common.checkpoint import encoder_reference, save_manifest
from openmeva.training.common.config import as_mapping
from openmeva.training.corpora.splits import data_checksums, load_corpus
from openmeva.training.files import save_tensors, write_text
from openmeva.training.paths import NAMES_FILE
from openmeva.training.ppl.card import write_ppl_card
from openmeva.training.ppl.config import PplConfig


def save_masked(config: PplConfig, data: Path, out: Path) -> dict[str, Any]:
    """Writes the checkpoint, whose adapter is empty, with its validation results on held-out stories."""
    base = find_backbone(SHARED)
    base.check_length(max_length=config.max_length)
    started = time.time()
    corpus = load_corpus(config.corpus, data, NAMES_FILE, ("validation",))
    stories = [join_words(story) for story in corpus.validation[: config.validation_stories]]
    settings = {
        "model": "masked",
        "delexicalize": config.corpus.delexicalize,
        "max_length": config.max_length,
        "spacing": config.spacing,
        "encoder": encoder_reference(base, out),
    }
    save_tensors(out / ADAPTER, {})
    write_text(out / "config.json", json.dumps({"ppl": settings}, indent=2) + "\n")
    manifest = {
        "metric": "ppl",
        "config": as_mapping(config),
        "data": data_checksums(config.corpus, data),
        "validation": compare(load_checkpoint(out, "ppl"), stories),
        "minutes": round((time.time() - started) / 60, 1),
        "torch": torch.__version__,
    }
    save_manifest(out, manifest)
    write_ppl_card(out, manifest)
    return manifest


def compare(checkpoint: Checkpoint, stories: list[str]) -> dict[str, float]:
    """Pseudo-loss per token (nats) with the checkpoint's spacing and with one masked token per pass; their Pearson."""
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
