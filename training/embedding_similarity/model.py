"""The student, whose adapter is initialised from the difference to the teacher; and the teacher."""

import copy
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertTokenizer, PreTrainedConfig

from openmeva.metrics.core.classifier import new_encoder
from openmeva.training.common.adapters import add_adapters, load_adapter, low_rank_difference
from openmeva.training.common.backbone import Backbone, backbone_state, build_on_backbone, find_backbone
from openmeva.training.embedding_similarity.config import SimilarityConfig
from openmeva.training.encoder.vocabulary import pruned_model


class Student(torch.nn.Module):
    """The encoder, with the parameter names of the checkpoint."""

    def __init__(self, config: PreTrainedConfig) -> None:
        super().__init__()
        self.bert = new_encoder(config)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Last-layer states (n, tokens, width), float32."""
        return self.bert(input_ids, attention_mask=attention_mask).last_hidden_state.float()


def build_student(base: Backbone) -> tuple[Student, Tokenizer]:
    """The backbone without an adapter, and its tokenizer."""
    # the fastest attention for short sequences on a CPU
    return build_on_backbone(Student, base, attn_implementation="eager", dtype=torch.float32)


def build_models(config: SimilarityConfig) -> tuple[Student, Any, Tokenizer, Backbone]:
    """The student, the teacher, their common tokenizer, and the student's backbone.

    The student's adapter is initialised from the difference to the teacher, whose vocabulary is reduced to the
    student's.

    Raises:
        ValueError: the teacher's architecture differs from the student's, or its vocabulary lacks some of the student's.
    """
    torch.manual_seed(config.seed)
    base = find_backbone(config.base)
    student, tokenizer = build_student(base)
    rank = config.adapter.rank
    if config.teacher == config.base:  # nothing to restore: the factors stay zero
        teacher: Any = copy.deepcopy(student.bert)
        add_adapters(student, rank, config.adapter.alpha, ())
        return student, teacher.float().eval().requires_grad_(False), tokenizer, base
    pieces = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__)
    source = find_backbone(config.teacher)
    kinds = [backbone.config.model_type for backbone in (source, base)]
    if kinds != ["bert", "bert"]:
        raise ValueError(f"teacher: expected that of base, or two encoders of BERT's kind, got {kinds}")
    shapes = [(backbone.config.hidden_size, backbone.config.num_hidden_layers) for backbone in (source, base)]
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"teacher: expected the width and layers of base, {shapes[1]}, got {shapes[0]} for {config.teacher}"
        )
    teacher = _on_pieces(source.folder, pieces)
    target = {f"bert.{name}": tensor for name, tensor in teacher.float().state_dict().items()}
    factors, vectors = low_rank_difference(target, backbone_state(base), rank)
    student.load_state_dict(vectors, strict=False)
    add_adapters(student, rank, config.adapter.alpha, ())
    load_adapter(student, factors)
    for name, parameter in student.named_parameters():
        if name.replace(".base_layer", "") in vectors:
            parameter.requires_grad = True
    return student, teacher.float().eval().requires_grad_(False), tokenizer, base


def _on_pieces(folder: Path, pieces: list[str]) -> Any:
    """The encoder in a folder, with the token embeddings of these wordpieces only."""
    return pruned_model(folder, pieces, BertTokenizer.from_pretrained(folder)).bert
