"""The untrained language model."""

import torch
from tokenizers import Tokenizer
from transformers import AutoConfig, BertLMHeadModel

from openmeva.metrics.core.checkpoint import read_tensors
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.common.adapters import add_adapters, load_adapter
from openmeva.training.common.backbone import SHARED, backbone_state, backbone_tokenizer, find_backbone
from openmeva.training.paths import resolve_path
from openmeva.training.ppl.config import PplConfig

HEADS = ("cls.",)


def build_model(config: PplConfig) -> tuple[BertLMHeadModel, Tokenizer]:
    """The untrained model with the shared encoder's architecture and tokenizer, and its weights, or random ones."""
    torch.manual_seed(config.seed)
    base = find_backbone(SHARED)
    shape = AutoConfig.from_pretrained(base.folder)
    shape.is_decoder, shape.use_cache = True, False
    shape.dtype = torch.float32
    shape._attn_implementation = "eager"  # the fastest for short sequences on a CPU
    model = BertLMHeadModel(shape)
    if config.base == SHARED:
        model.load_state_dict(backbone_state(base), strict=False)
    model.tie_weights()
    if config.adapter:
        add_adapters(model, config.adapter.rank, config.adapter.alpha, HEADS)
        if config.start:
            load_adapter(model, read_tensors(resolve_path(config.start) / ADAPTER))
    return model, backbone_tokenizer(base)
