"""Causal language models of others (PPL (F) of OpenMEVA, section 4.1).

Tuned whole, they are saved as transformers saves them; under an adapter, as a checkpoint with a reference to the model.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from openmeva.metrics.core.backbone import WEIGHTS, read_words_alike
from openmeva.metrics.core.checkpoint import ADAPTER
from openmeva.metrics.core.language_model import read_language_model
from openmeva.training.common.adapters import adapter_tensors, add_adapters
from openmeva.training.common.backbone import SHARED, Backbone, find_backbone, names_file
from openmeva.training.files import save_tensors, write_text
from openmeva.training.ppl.config import PplConfig

SCRATCH = "scratch"
OWN = (SHARED, SCRATCH)


def is_other(base: str) -> bool:
    """Whether a configuration's `base` is a language model of others."""
    return base not in OWN


def load_other(config: PplConfig) -> tuple[Any, Any, Backbone]:
    """The model, in float32, transformers' tokenizer, and where the model comes from.

    With an adapter, the model is frozen under trainable factors on the linear layers of its blocks, and the tokenizer
    reads a word at a story's beginning as elsewhere.

    Raises:
        ValueError: a start; or a base that is not at hand (the message says how to get it), or that reads in both
            directions.
    """
    if config.start:
        raise ValueError(f"start: expected null with {config.base}, got {config.start}")
    torch.manual_seed(config.seed)
    base = find_backbone(config.base)
    if not base.is_decoder:
        raise ValueError(f"base: expected a causal language model, got {config.base}")
    tokenizer, model = read_language_model(base.gguf or base.folder / WEIGHTS)
    if config.adapter:
        read_words_alike(tokenizer.backend_tokenizer)
        head = model.get_output_embeddings()
        name = next(name for name, module in model.named_modules() if module is head)
        add_adapters(model, config.adapter.rank, config.adapter.alpha, (name,))
        head.requires_grad_(False)  # the vectors of words are often the same tensor
    return model, tokenizer, base


def save_other(model: Any, tokenizer: Any, out: Path) -> None:
    """Writes model and tokenizer, which `evaluate.load("metrics/ppl", FOLDER)` reads as any model of the Hub."""
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def save_other_adapter(model: Any, base: Backbone, settings: Mapping[str, Any], out: Path) -> None:
    """Writes the adapter, how the model under it is found, and the names that become placeholders."""
    reference = base.source or {"path": os.path.relpath(base.folder.resolve(), out.resolve())}
    save_tensors(out / ADAPTER, adapter_tensors(model))
    write_text(out / "names.json", names_file().read_text(encoding="utf-8"))
    written = {"ppl": {**settings, "adapter": True, "backbone": reference}}
    write_text(out / "config.json", json.dumps(written, indent=2) + "\n")
