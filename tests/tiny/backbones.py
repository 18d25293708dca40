"""Tiny untrained encoders of several architectures, as the Hub has them."""

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertForMaskedLM,
    LongformerConfig,
    LongformerModel,
    ModernBertConfig,
    ModernBertModel,
    MPNetConfig,
    MPNetModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
)

from tests.tiny.models import WORDS, write_byte_tokenizer

STORIES = [
    f"{a} ran home . {a} ate the cat and {b} . {a} slept ! {b} was not home ."
    for a in ("she", "he", "the dog", "the cat")
    for b in ("ate", "slept")
]
SHAPE: dict[str, Any] = {
    "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
    "max_position_embeddings": 130, "initializer_range": 0.4,
}  # fmt: skip


def write_words(folder: Path, special_tokens: tuple[str, str, str, str]) -> int:
    """A whole-word tokenizer with an architecture's own special tokens; returns its size."""
    start, end, padding, unknown = special_tokens
    vocabulary = [padding, unknown, start, end, *(w for w in WORDS if not w.startswith("##"))]
    tokenizer = Tokenizer(
        WordLevel({word: index for index, word in enumerate(vocabulary)}, unk_token=unknown)
    )
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = TemplateProcessing(
        single=f"{start} $A {end}", special_tokens=[(start, 2), (end, 3)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token=start, sep_token=end, pad_token=padding, unk_token=unknown
    )
    fast.save_pretrained(folder)
    return len(vocabulary)


def write_backbone(folder: Path, kind: str) -> Path:
    """An untrained encoder as the Hub has them."""
    torch.manual_seed(0)
    if kind in ("roberta", "longformer"):
        size = write_byte_tokenizer(folder, STORIES)
        if kind == "roberta":
            RobertaModel(RobertaConfig(vocab_size=size, pad_token_id=1, **SHAPE)).save_pretrained(folder)
        else:
            wide = LongformerConfig(vocab_size=size, pad_token_id=1, attention_window=[8, 8], **SHAPE)
            LongformerModel(wide).save_pretrained(folder)
    elif kind == "bert":
        size = write_words(folder, ("[CLS]", "[SEP]", "[PAD]", "[UNK]"))
        BertForMaskedLM(BertConfig(vocab_size=size, pad_token_id=0, **SHAPE)).save_pretrained(folder)
    elif kind == "mpnet":
        size = write_words(folder, ("<s>", "</s>", "<pad>", "<unk>"))
        MPNetModel(MPNetConfig(vocab_size=size, pad_token_id=0, **SHAPE)).save_pretrained(folder)
    else:
        size = write_words(folder, ("[CLS]", "[SEP]", "[PAD]", "[UNK]"))
        shape = ModernBertConfig(
            vocab_size=size,
            pad_token_id=0,
            cls_token_id=2,
            sep_token_id=3,
            bos_token_id=2,
            eos_token_id=3,
            **SHAPE,
        )
        ModernBertModel(shape).save_pretrained(folder)
    return folder
