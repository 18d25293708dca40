"""The untrained model on a backbone."""

from dataclasses import replace
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.core.checkpoint import WORD_EMBEDDING_SUFFIXES, merge_adapter, read_tensors
from openmeva.metrics.core.files import ADAPTER
from openmeva.metrics.ruber_bert.modeling import RuberModel
from openmeva.training.common.adapters import add_adapters, load_adapter, low_rank_difference
from openmeva.training.common.backbone import Backbone, backbone_state, build_on_backbone, find_backbone
from openmeva.training.paths import resolve_path
from openmeva.training.ruber_bert.config import RuberConfig

HEADS = ("head.", "rnn.")


def build_model(config: RuberConfig) -> tuple[RuberModel, Tokenizer, Backbone]:
    """The untrained model with the backbone's weights plus an adapter (for `rnn`, with the backbone's word vectors).

    Raises:
        ValueError: `start` without the rank of an adapter, an adapter that would stay empty, or a recurrent network with
            a backbone other than the shared encoder.
    """
    if bool(config.start) != bool(config.adapter) and (config.start or config.frozen):
        raise ValueError(
            "start and adapter: a frozen encoder needs both or neither, and start needs the rank of adapter; "
            f"got {config.start!r} and {config.adapter!r}"
        )
    torch.manual_seed(config.seed)
    base = find_backbone(config.base)
    if config.encoder == "rnn" and not base.is_shared:
        raise ValueError(
            f"base: a recurrent network reads the shared encoder's word vectors, got {base.name!r}"
        )
    model, tokenizer = build_on_backbone(lambda shape: RuberModel(shape, **model_settings(config)), base)
    state = backbone_state(base)
    factors: dict[str, Tensor] = {}
    vectors: dict[str, Tensor] = {}
    if config.start and config.adapter:
        initial = merge_adapter(state, read_tensors(resolve_path(config.start) / ADAPTER))
        factors, vectors = low_rank_difference(initial, state, config.adapter.rank)
    known = dict(vectors)
    if config.encoder == "rnn":
        known["words.weight"] = next(
            tensor for name, tensor in state.items() if name.endswith(WORD_EMBEDDING_SUFFIXES)
        )
    model.load_state_dict(known, strict=False)
    if config.adapter:
        add_adapters(model, config.adapter.rank, config.adapter.alpha, HEADS)
        if factors:
            load_adapter(model, factors)
    for name, parameter in model.named_parameters():
        plain = name.replace(".base_layer", "")
        if not config.adapter:
            parameter.requires_grad = name.startswith(HEADS)
        elif plain in vectors:  # saved with the adapter
            parameter.requires_grad = True
    return model, tokenizer, base


def frozen_encoder_model(config: RuberConfig) -> RuberModel:
    """The pretrained backbone, which finds similar contexts."""
    return build_model(replace(config, encoder="bert", frozen=True, start=None, adapter=None))[0]


def model_settings(config: RuberConfig) -> dict[str, Any]:
    """Arguments of `RuberModel` in addition to the encoder's configuration."""
    return {"encoder": config.encoder, "pooling": config.pooling, "hidden": config.hidden}
