"""Third-party causal language models (PPL (F) of OpenMEVA, section 4.1).

With full fine-tuning, they are saved in transformers' format; with an adapter, as a checkpoint that refers to the base
model.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from openmeva.metrics.core.backbone import enable_prefix_space
from openmeva.metrics.core.files import ADAPTER, FULL_MODEL
from openmeva.metrics.core.language_model import read_language_model
from openmeva.training.common.adapters import adapter_tensors, add_adapters
from openmeva.training.common.backbone import SHARED, Backbone
from openmeva.training.files import check_finite, save_tensors, write_text
from openmeva.training.paths import NAMES_FILE
from openmeva.training.ppl.config import PplConfig

SCRATCH = "scratch"
OWN_BASES = (SHARED, SCRATCH)


def is_third_party(base: str) -> bool:
    """Whether a configuration's `base` is a third-party language model."""
    return base not in OWN_BASES


def load_third_party(config: PplConfig, base: Backbone) -> tuple[Any, Any]:
    """The model of a backbone in float32, and transformers' tokenizer.

    With an adapter, the model is frozen and has trainable low-rank factors on the linear layers of its blocks. The
    tokenizer then encodes a word at the beginning of a story in the same way as elsewhere.

    Raises:
        ValueError: the model is not causal.
    """
    torch.manual_seed(config.seed)
    if not base.is_decoder:
        raise ValueError(f"base: expected a causal language model, got {config.base}")
    tokenizer, model = read_language_model(base.gguf or base.folder / FULL_MODEL)
    if config.adapter:
        enable_prefix_space(tokenizer.backend_tokenizer)
        head = model.get_output_embeddings()
        name = next(name for name, module in model.named_modules() if module is head)
        add_adapters(model, config.adapter.rank, config.adapter.alpha, (name,))
        head.requires_grad_(False)  # it is often tied to the token embeddings
    return model, tokenizer


def save_third_party(model: Any, tokenizer: Any, out: Path) -> None:
    """Writes model and tokenizer, which `evaluate.load("metrics/ppl", FOLDER)` loads like any model of the Hub.

    An earlier model is replaced when all files are written. Files of an adapter that was trained into the folder before
    are removed.

    Raises:
        ValueError: weights that are not finite; earlier ones are kept.
    """
    check_finite(out / FULL_MODEL, dict(model.named_parameters()))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".saving-") as scratch:
        model.save_pretrained(scratch)
        tokenizer.save_pretrained(scratch)
        for file in Path(scratch).iterdir():
            os.replace(file, out / file.name)
    if (out / ADAPTER).is_file():
        for name in (ADAPTER, "names.json", "README.md"):
            (out / name).unlink(missing_ok=True)


def save_third_party_adapter(model: Any, base: Backbone, settings: Mapping[str, Any], out: Path) -> None:
    """Writes the adapter, a reference to its base model with its checksum, and the names that become placeholders."""
    place = base.source or {"path": os.path.relpath(base.folder.resolve(), out.resolve())}
    in_one_file = base.gguf or (base.folder / FULL_MODEL).is_file()  # a user's folder may have several
    reference = {**place, "sha256": base.sha256} if in_one_file else place
    save_tensors(out / ADAPTER, adapter_tensors(model))
    if out.resolve() != base.folder.resolve():
        (out / FULL_MODEL).unlink(missing_ok=True)  # a whole model that was trained into the folder before
    write_text(out / "names.json", NAMES_FILE.read_text(encoding="utf-8"))
    written = {"ppl": {**settings, "adapter": True, "backbone": reference}}
    write_text(out / "config.json", json.dumps(written, indent=2) + "\n")
