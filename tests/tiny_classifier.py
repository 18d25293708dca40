"""A tiny random story classifier in a checkpoint of the real format, and how few graded groups one is trained on."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from openmeva.metrics.core.checkpoint import file_digest
from openmeva.metrics.core.classifier import StoryClassifier
from openmeva.training.common.adapters import adapter_tensors, add_adapters
from tests.tiny import tiny_model, write_encoder

KINDS = ["repetition", "contradiction", "wrong_order", "off_topic"]
GRADED = {
    "sampling": {"levels": 2},
    "stories": 8,
    "validation_stories": 3,
    "pool": 14,
    "alike_stories": 6,
}
"""Of a configuration of graded groups, whose corpus has some fifteen stories to train on."""


def write_classifier(
    folder: Path,
    metric: str,
    context: str = "auto",
    max_length: int = 64,
    kinds: bool = True,
    token_share: float = 0.0,
) -> Path:
    """An adapter checkpoint with its own copy of the encoder in `encoder/`."""
    union = tiny_model()
    write_encoder(folder / "encoder", union)
    torch.manual_seed(2)
    model = StoryClassifier(union.config, kinds=len(KINDS) if kinds else 0, tokens=kinds)
    model.bert.load_state_dict(union.bert.state_dict())
    add_adapters(model, rank=2, alpha=4, heads=("classifier", "kinds", "tokens"))
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    save_file(adapter_tensors(model), folder / "adapter.safetensors")
    settings = {
        "delexicalize": True,
        "context": context,
        "max_length": max_length,
        "kinds": KINDS if kinds else [],
        "tokens": kinds,
        "token_share": token_share,
        "encoder": {
            "path": "../missing",
            "hub": "openmeva/story-encoder",
            "sha256": file_digest(folder / "encoder" / "model.safetensors"),
        },
    }
    (folder / "config.json").write_text(json.dumps({metric: settings}))
    return folder
