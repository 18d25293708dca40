"""Builds UNION's untrained model on a backbone."""

from typing import Any

import torch
from tokenizers import Tokenizer

from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.files import ADAPTER
from openmeva.metrics.union.modeling import UnionModel, new_reconstruction_head
from openmeva.training.common.adapters import add_adapters, load_adapter
from openmeva.training.common.backbone import (
    DROPOUTS,
    PAD_TO_MULTIPLE,
    Backbone,
    backbone_tokenizer,
    build_on_backbone,
    find_backbone,
    init_placeholder_embeddings,
)
from openmeva.training.paths import resolve_path
from openmeva.training.union.config import UnionConfig

HEADS = ("classifier", "cls.")


def build_model(config: UnionConfig) -> tuple[UnionModel, Tokenizer, Backbone]:
    """The untrained model, its tokenizer and its backbone."""
    torch.manual_seed(config.seed)
    base = find_backbone(config.base)
    if not base.is_shared and base.config.model_type == "bert":  # it has a pretrained prediction head
        tokenizer = backbone_tokenizer(base)
        rates: dict[str, Any] = (
            {} if config.encoder_dropout is None else dict.fromkeys(DROPOUTS, config.encoder_dropout)
        )
        model: UnionModel = UnionModel.from_pretrained(base.folder, dtype=torch.float32, **rates)
        model.resize_token_embeddings(tokenizer.get_vocab_size(), pad_to_multiple_of=PAD_TO_MULTIPLE)
        inner: Any = model.bert
        init_placeholder_embeddings(inner.get_input_embeddings().weight.data, tokenizer)
    else:
        model, tokenizer = build_on_backbone(UnionModel, base, config.encoder_dropout)
        _fit_head(model)
    model.tie_weights()
    if config.adapter:
        add_adapters(model, config.adapter.rank, config.adapter.alpha, HEADS)
        if config.start:
            load_adapter(model, read_tensors(resolve_path(config.start) / ADAPTER))
    return model, tokenizer, base


def _fit_head(model: UnionModel) -> None:
    """Replaces the reconstruction head if the vocabulary was extended."""
    inner: Any = model.bert
    if len(model.cls.predictions.bias) != len(inner.get_input_embeddings().weight):
        model.cls = new_reconstruction_head(inner.config)
