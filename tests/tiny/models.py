"""Tiny random checkpoints of the real formats, for tests of mechanics."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from torch import Tensor
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertModel,
    BertTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    GPT2TokenizerFast,
    RobertaTokenizerFast,
)

from openmeva.metrics.core.checkpoint import weights_checksum
from openmeva.metrics.union.modeling import UnionModel
from openmeva.training.common.adapters import adapter_tensors, add_adapters

WORDS = [
    "she",
    "he",
    "ran",
    "ate",
    "the",
    "a",
    "dog",
    "cat",
    "home",
    ".",
    "!",
    "?",
    ",",
    "'s",
    "n't",
    "did",
    "was",
    "not",
    "to",
    "and",
    "park",
    "slept",
    "##s",
    "##ed",
    "walk",
]
PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "[MALE]",
    "[FEMALE]",
    "[NEUTRAL]",
    *WORDS,
    "'",
    "n",
    "t",
    "s",
]
NAMES = {"male": ["tom"], "female": ["ann", "rose"], "neutral": ["alex"], "capitalized_only": ["rose"]}


def tiny_tokenizer() -> Tokenizer:
    """A wordpiece tokenizer over `PIECES`."""
    fast = BertTokenizer(vocab={piece: i for i, piece in enumerate(PIECES)}, do_lower_case=True)
    fast.add_tokens(["[MALE]", "[FEMALE]", "[NEUTRAL]"], special_tokens=True)
    return fast.backend_tokenizer


def byte_tokenizer(texts: Iterable[str], marks: list[str], size: int = 320) -> Tokenizer:
    """A byte-level tokenizer learned from `texts`, with these special tokens."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevelDecoder()
    trainer = BpeTrainer(vocab_size=size, special_tokens=marks, initial_alphabet=ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def write_byte_tokenizer(folder: Path, texts: Iterable[str]) -> int:
    """Writes a byte-level tokenizer as RoBERTa and BART have them, learned from `texts`; returns its size."""
    tokenizer = byte_tokenizer(texts, ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    RobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return tokenizer.get_vocab_size()


def write_bart(folder: Path, texts: Iterable[str]) -> Path:
    """Writes an untrained BART one layer deep, with its tokenizer, as the Hub has them."""
    size = write_byte_tokenizer(folder, texts)
    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=size,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_position_embeddings=80,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)
    return folder


def write_gpt2(folder: Path, texts: Iterable[str]) -> Path:
    """Writes an untrained GPT-2 one layer deep, with its tokenizer, as the Hub has them."""
    tokenizer = byte_tokenizer(texts, ["<|endoftext|>"])
    GPT2TokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    torch.manual_seed(0)
    shape = GPT2Config(
        vocab_size=tokenizer.get_vocab_size(),
        bos_token_id=0,
        eos_token_id=0,
        n_embd=16,
        n_layer=1,
        n_head=2,
        n_positions=160,
    )
    GPT2LMHeadModel(shape).save_pretrained(folder)
    return folder


def tiny_config(**changes: Any) -> BertConfig:
    """A model two layers deep and 16 wide, its weights large enough for scores to differ."""
    return BertConfig(
        vocab_size=len(PIECES),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.6,
        **changes,
    )


def write_bert(folder: Path, **changes: Any) -> Path:
    """Writes an untrained encoder of this shape in transformers' own format, with its tokenizer."""
    BertModel(tiny_config(**changes)).save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tiny_tokenizer().to_str())
    return folder


def tiny_model(seed: int = 0) -> UnionModel:
    """An untrained UNION model of this shape."""
    torch.manual_seed(seed)
    return UnionModel(tiny_config()).eval()


def write_encoder(folder: Path, model: UnionModel) -> None:
    """The shared encoder's files."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {k: v.detach().clone() for k, v in model.state_dict().items() if k.startswith(("bert.", "cls."))}
    state = {k: v for k, v in state.items() if not k.startswith("cls.predictions.decoder")}
    save_file(state, folder / "model.safetensors")
    (folder / "config.json").write_text(model.config.to_json_string())
    (folder / "tokenizer.json").write_text(tiny_tokenizer().to_str())
    (folder / "names.json").write_text(json.dumps(NAMES))


def random_adapters(model: torch.nn.Module) -> dict[str, Tensor]:
    """Random adapters of a model, large enough to change its outputs."""
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.3)
    return adapter_tensors(model)


def write_adapter(folder: Path, metric: str, tensors: Mapping[str, Tensor], **settings: Any) -> Path:
    """Writes a metric's checkpoint except for the encoder, which is already in `encoder/`; returns the folder."""
    save_file(dict(tensors), folder / "adapter.safetensors")
    encoder = {
        "path": "../missing",
        "hub": "openmeva/story-encoder",
        "sha256": weights_checksum(folder / "encoder" / "model.safetensors"),
    }
    (folder / "config.json").write_text(json.dumps({metric: {**settings, "encoder": encoder}}))
    return folder


def write_checkpoint(
    folder: Path, context: str = "first_sentence", max_length: int = 64, seed: int = 0
) -> Path:
    """An adapter checkpoint with its own copy of the encoder in `encoder/`."""
    model = tiny_model(seed)
    write_encoder(folder / "encoder", model)
    add_adapters(model, rank=2, alpha=4, heads=("classifier", "cls."))
    torch.manual_seed(seed + 1)
    return write_adapter(
        folder, "union", random_adapters(model), delexicalize=True, context=context, max_length=max_length
    )
