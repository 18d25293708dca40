"""A tiny random checkpoint of BLEURT, of the real format."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from openmeva.metrics.bleurt.modeling import BleurtModel
from openmeva.metrics.core.checkpoint import file_digest
from openmeva.training.common.adapters import adapter_tensors, add_adapters
from tests.tiny import tiny_model, write_encoder


def write_bleurt(folder: Path) -> Path:
    """An adapter checkpoint with its own copy of a tiny encoder."""
    write_encoder(folder / "encoder", tiny_model())
    torch.manual_seed(1)
    model = BleurtModel(tiny_model().config)
    add_adapters(model, rank=2, alpha=4, heads=("score", "signals", "entailment"))
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    save_file(adapter_tensors(model), folder / "adapter.safetensors")
    reference = {
        "path": "../missing",
        "hub": "openmeva/story-encoder",
        "sha256": file_digest(folder / "encoder" / "model.safetensors"),
    }
    (folder / "config.json").write_text(json.dumps({"bleurt": {"max_length": 32, "encoder": reference}}))
    return folder
