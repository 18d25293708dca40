"""Causal language models of transformers, from a folder, the Hub's cache or the Hub; none that runs code of its own."""

from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def load_language_model(name: str, dtype: torch.dtype = torch.float32) -> tuple[Any, Any]:
    """Tokenizer and model, without asking the network where the files are here.

    Raises:
        OSError, ValueError, KeyError: no such model, no safetensors, or one that is no causal language model.
    """
    try:
        return _load(name, dtype, local=True)
    except OSError:
        if Path(name).is_dir():
            raise
    return _load(name, dtype, local=False)


def _load(name: str, dtype: torch.dtype, local: bool) -> tuple[Any, Any]:
    tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=local)
    model = AutoModelForCausalLM.from_pretrained(
        name, local_files_only=local, use_safetensors=True, dtype=dtype
    )
    return tokenizer, model


def max_length_of(model: Any, tokenizer: Any) -> int | None:
    """Tokens that a model reads at once; None where neither it nor its tokenizer says."""
    config = model.config.get_text_config()
    lengths = [getattr(config, key, None) for key in ("max_position_embeddings", "n_positions")]
    known = [n for n in (*lengths, tokenizer.model_max_length) if isinstance(n, int) and 1 < n < 10**6]
    return min(known, default=None)
