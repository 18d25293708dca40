"""A tiny random checkpoint of BLEURT, of the real format."""

from pathlib import Path

import torch

from openmeva.metrics.bleurt.modeling import BleurtModel
from openmeva.training.common.adapters import add_adapters
from tests.tiny.models import random_adapters, tiny_model, write_adapter, write_encoder


def write_bleurt(folder: Path) -> Path:
    """An adapter checkpoint with its own copy of a tiny encoder."""
    write_encoder(folder / "encoder", tiny_model())
    torch.manual_seed(1)
    model = BleurtModel(tiny_model().config)
    add_adapters(model, rank=2, alpha=4, heads=("score", "signals", "entailment"))
    return write_adapter(folder, "bleurt", random_adapters(model), max_length=32)
