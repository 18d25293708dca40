"""Tiny language models: a checkpoint of this project's form, and models of transformers with their tokenizer."""

from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

from tests.tiny.models import byte_tokenizer, tiny_model, write_adapter, write_encoder

TEXTS = [
    "Ann ran home. She ate the dog's cake, and then she slept!",
    "The cat was not in the park. He walked to the park and ate.",
    'He said "no". She did n\'t run. The dog slept; the cat walked home.',
]


def write_ppl_checkpoint(
    folder: Path, model: str = "causal", max_length: int = 16, spacing: int | None = None
) -> Path:
    """A checkpoint with its own encoder in `encoder/` and an adapter that changes the head's bias only."""
    write_encoder(folder / "encoder", tiny_model())
    torch.manual_seed(5)
    bias = {"cls.predictions.bias": torch.randn(37)}
    return write_adapter(
        folder, "ppl", bias, model=model, delexicalize=True, max_length=max_length, spacing=spacing
    )


def plain_tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer as GPT-2 has, learnt from three texts."""
    tokenizer = byte_tokenizer(TEXTS, ["<|end|>"], 300)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<|end|>", eos_token="<|end|>", model_max_length=1024
    )


def write_gpt2(folder: Path, positions: int = 64) -> Path:
    """A GPT-2 two layers deep, its weights large enough for losses to differ."""
    torch.manual_seed(3)
    tokenizer = plain_tokenizer()
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=positions,
        n_embd=16,
        n_layer=2,
        n_head=2,
        initializer_range=0.4,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
