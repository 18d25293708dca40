"""A tiny checkpoint of RUBER-BERT's form."""

from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig

from openmeva.metrics.ruber_bert.modeling import RuberModel
from tests.tiny.models import tiny_model, write_adapter, write_encoder


def write_ruber_checkpoint(
    folder: Path, encoder: str = "bert", pooling: str = "mean", max_length: int = 64
) -> Path:
    """A checkpoint with its own copy of the encoder in `encoder/`."""
    write_encoder(folder / "encoder", tiny_model())
    torch.manual_seed(9)
    model: dict[str, Any] = {"encoder": encoder, "pooling": pooling, "hidden": 8, "recurrent": 6}
    config = BertConfig.from_pretrained(folder / "encoder")
    state = RuberModel(config, **model).state_dict()
    heads = {
        name: torch.randn_like(tensor) * 0.5
        for name, tensor in state.items()
        if name.startswith(("head.", "rnn."))
    }
    ranges = {"referenced": [0.2, 0.9], "unreferenced": [0.1, 0.8]}
    return write_adapter(
        folder, "ruber_bert", heads, delexicalize=True, max_length=max_length, model=model, ranges=ranges
    )
