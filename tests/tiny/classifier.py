"""A tiny random story classifier in a checkpoint of the real format, and a small setting of graded groups."""

from pathlib import Path

import torch

from openmeva.metrics.core.classifier import StoryClassifier
from openmeva.training.common.adapters import add_adapters
from tests.tiny.models import random_adapters, tiny_model, write_adapter, write_encoder

ERROR_TYPES = ["repetition", "contradiction", "wrong_order", "off_topic"]
GRADED = {
    "sampling": {"levels": 2},
    "stories": 8,
    "validation_stories": 3,
    "pool": 14,
    "paraphrase_stories": 6,
}
"""Settings of graded groups for a corpus with about fifteen training stories."""


def write_classifier(
    folder: Path,
    metric: str,
    context: str = "auto",
    max_length: int = 64,
    error_types: bool = True,
    token_share: float = 0.0,
) -> Path:
    """An adapter checkpoint with its own copy of the encoder in `encoder/`."""
    union = tiny_model()
    write_encoder(folder / "encoder", union)
    torch.manual_seed(2)
    model = StoryClassifier(
        union.config, error_types=len(ERROR_TYPES) if error_types else 0, tokens=error_types
    )
    model.bert.load_state_dict(union.bert.state_dict())
    add_adapters(model, rank=2, alpha=4, heads=("classifier", "kinds", "tokens"))
    return write_adapter(
        folder,
        metric,
        random_adapters(model),
        delexicalize=True,
        context=context,
        max_length=max_length,
        error_types=ERROR_TYPES if error_types else [],
        tokens=error_types,
        token_share=token_share,
    )
