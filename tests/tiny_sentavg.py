"""A tiny random checkpoint of SENTAVG, of the real format."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from openmeva.metrics.core.checkpoint import file_digest
from openmeva.metrics.sentavg.modeling import SentAvg
from tests.tiny import PIECES, tiny_model, write_encoder


def write_sentavg(folder: Path) -> Path:
    """An adapter checkpoint with its own copy of a tiny encoder."""
    write_encoder(folder / "encoder", tiny_model())
    torch.manual_seed(4)
    state = SentAvg(len(PIECES), 16, 6).state_dict()
    save_file(
        {name: torch.randn_like(t) for name, t in state.items() if not name.startswith("words.")},
        folder / "adapter.safetensors",
    )
    settings = {
        "hidden": 6,
        "delexicalize": True,
        "context": "first_sentence",
        "max_length": 52,
        "encoder": {
            "path": "../missing",
            "hub": "openmeva/story-encoder",
            "sha256": file_digest(folder / "encoder" / "model.safetensors"),
        },
    }
    (folder / "config.json").write_text(json.dumps({"sentavg": settings}))
    return folder
