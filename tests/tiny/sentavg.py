"""A tiny random checkpoint of SENTAVG, of the real format."""

from pathlib import Path

import torch

from openmeva.metrics.sentavg.modeling import SentAvg
from tests.tiny.models import PIECES, tiny_model, write_adapter, write_encoder


def write_sentavg(folder: Path) -> Path:
    """An adapter checkpoint with its own copy of a tiny encoder."""
    write_encoder(folder / "encoder", tiny_model())
    torch.manual_seed(4)
    state = SentAvg(len(PIECES), 16, 6).state_dict()
    weights = {name: torch.randn_like(t) for name, t in state.items() if not name.startswith("words.")}
    return write_adapter(
        folder, "sentavg", weights, hidden=6, delexicalize=True, context="first_sentence", max_length=52
    )
