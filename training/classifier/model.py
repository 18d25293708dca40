"""Builds the untrained classifier on a backbone."""

from typing import Any

import torch
from tokenizers import Tokenizer

from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.classifier import StoryClassifier, new_encoder
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.common.adapters import add_adapters, load_adapter
from openmeva.training.common.backbone import Backbone, build_on_backbone, find_backbone
from openmeva.training.negatives.corrupted_story import ERROR_TYPES
from openmeva.training.paths import resolve_path

HEADS = ("classifier", "kinds", "tokens")


def build_classifier(config: ClassifierConfig) -> tuple[StoryClassifier, Tokenizer, Backbone]:
    """The untrained classifier, its tokenizer and its backbone.

    `dropout` of the configuration applies to the heads and to the shared encoder's layers, `encoder_dropout` to the
    layers of another backbone.
    """
    torch.manual_seed(config.seed)
    base = find_backbone(config.base)

    def make(shape: Any) -> StoryClassifier:
        error_types = len(ERROR_TYPES) if config.error_type_weight else 0
        return StoryClassifier(
            shape, error_types=error_types, tokens=bool(config.token_weight), dropout=config.dropout
        )

    model, tokenizer = build_on_backbone(
        make,
        base,
        config.encoder_dropout,
        attn_implementation="eager",  # the fastest for short sequences on a CPU
        dtype=torch.float32,
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=config.dropout,
    )
    if config.adapter:
        add_adapters(model, config.adapter.rank, config.adapter.alpha, HEADS)
        if config.start:
            load_adapter(model, read_tensors(resolve_path(config.start) / ADAPTER))
    return model, tokenizer, base


def check_frozen_layers(config: ClassifierConfig) -> None:
    """Checks that the encoder has layers that `freeze` can freeze, if the configuration has `frozen_layers`.

    Raises:
        ValueError: it is a decoder, or an encoder whose layers are not arranged as BERT's, or has fewer layers.
    """
    if not config.frozen_layers:
        return
    base = find_backbone(config.base)
    if not base.is_decoder:
        with torch.device("meta"):  # without memory for the weights
            encoder = new_encoder(base.config)
        if hasattr(encoder, "encoder") and hasattr(encoder.encoder, "layer"):
            count = len(encoder.encoder.layer)
            if config.frozen_layers > count:
                raise ValueError(
                    f"frozen_layers: expected {count} or less, the layers of {config.base}, got {config.frozen_layers}"
                )
            return
    kind = "a decoder" if base.is_decoder else f"an encoder of the type {base.config.model_type}"
    raise ValueError(
        f"frozen_layers: expected 0 with {config.base}, which is {kind}, got {config.frozen_layers}"
    )


def freeze(model: StoryClassifier, layers: int, frozen: bool = True) -> None:
    """Freezes the adapters of the lowest `layers` layers; with `frozen=False`, makes them trainable again."""
    for layer in model.bert.encoder.layer[:layers] if layers else ():
        for name, parameter in layer.named_parameters():
            if "lora_" in name or "LayerNorm" in name:
                parameter.requires_grad = not frozen
