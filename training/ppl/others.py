"""Causal language models of others, tuned whole and saved as transformers saves them (PPL (F) of OpenMEVA, section 4.1)."""

from pathlib import Path
from typing import Any

import torch

from openmeva.metrics.core.backbone import WEIGHTS
from openmeva.metrics.core.language_model import read_language_model
from openmeva.training.common.backbone import SHARED, find_backbone
from openmeva.training.ppl.config import PplConfig

OWN = (SHARED, "scratch")


def is_other(config: PplConfig) -> bool:
    """Whether the configuration tunes a language model of others."""
    return config.base not in OWN


def load_other(config: PplConfig) -> tuple[Any, Any]:
    """The model, in float32, and transformers' tokenizer, as the metric reads texts with it.

    Raises:
        ValueError: an adapter or a start; or a base that is not at hand (the message says how to get it), or that reads in
            both directions.
    """
    if config.adapter or config.start:
        raise ValueError(
            f"adapter and start: {config.base} is tuned whole, expected null, got {config.adapter} and {config.start}"
        )
    torch.manual_seed(config.seed)
    base = find_backbone(config.base)
    if not base.is_decoder:
        raise ValueError(f"base: expected a causal language model, got {config.base}")
    tokenizer, model = read_language_model(base.gguf or base.folder / WEIGHTS)
    return model, tokenizer


def marks_of(tokenizer: Any) -> tuple[int, int]:
    """Ids of the tokens before and after a story: those that the metric begins with, and the end of texts."""
    known = [tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.cls_token_id]
    start = next((token for token in known if token is not None), None)
    if start is None:
        raise ValueError("expected a tokenizer with a start or end token, got none")
    return start, start if tokenizer.eos_token_id is None else tokenizer.eos_token_id


def save_other(model: Any, tokenizer: Any, out: Path) -> None:
    """Writes model and tokenizer, which `evaluate.load("metrics/ppl", FOLDER)` reads as any model of the Hub."""
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
