"""Causal language models, by name or by the reference in a checkpoint; custom model code is never run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import try_to_load_from_cache
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import is_gguf_available

from openmeva.metrics.core.backbone import (
    BackboneNotFoundError,
    backbone_folder,
    packaged_file,
    weights_checksum,
)
from openmeva.metrics.core.files import FULL_MODEL
from openmeva.metrics.core.runtime import float32_initialization, load_pretrained

GGUF = ".gguf"


@float32_initialization()
def load_language_model(name: str, dtype: torch.dtype = torch.float32) -> tuple[Any, Any]:
    """Tokenizer and model of a folder or Hub id; the network is used only if the files are not available locally.

    Args:
        name: a folder, `org/repository` or `org/repository@revision`.
        dtype: of the model.

    Raises:
        OSError, ValueError, KeyError: no such model, no safetensors file, or not a causal language model.
    """
    source, revision = _source_of(name)
    try:
        return _load(source, dtype, local=True, revision=revision)
    except OSError:
        if Path(name).is_dir():
            raise
    return _load(source, dtype, local=False, revision=revision)


def revision_of(name: str) -> str:
    """The revision of a model: 12 digits of the Hub's commit or each weights file's SHA-256, else
    `unknown`."""
    source, revision = _source_of(name)
    if Path(name).is_dir():
        return "+".join(weights_checksum(path)[:12] for path in sorted(Path(name).glob("*.safetensors")))
    cached = try_to_load_from_cache(source, "config.json", revision=revision)
    return Path(cached).parent.name[:12] if isinstance(cached, str) else "unknown"


def _source_of(name: str) -> tuple[str, str | None]:
    """Folder or repository, and the revision if one is named."""
    if Path(name).is_dir():
        return name, None
    repository, _, revision = name.partition("@")
    return repository, revision or None


def language_model_weights(reference: Mapping[str, Any], checkpoint_folder: Path | None = None) -> Path:
    """The weights file of the language model of a reference: GGUF, or safetensors in the model's folder.

    Args:
        reference: as in `backbone.py`; an installed package that has the `file` takes precedence over all other places.
        checkpoint_folder: the folder of the checkpoint with the reference, if any.

    Raises:
        BackboneNotFoundError: they are not available (the message says in one line how to get them).
        ValueError: a packaged file with another SHA-256 than expected.
    """
    return (
        packaged_file(reference.get("package") or {})
        or backbone_folder(reference, checkpoint_folder) / FULL_MODEL
    )


@float32_initialization()
def read_language_model(weights: Path) -> tuple[Any, Any]:
    """Tokenizer and model, in float32, of local weights.

    Quantised GGUF weights are dequantised to float32, so that the model can be trained and saved like any other.

    Args:
        weights: a GGUF file, or safetensors in the folder of a transformers model.

    Raises:
        BackboneNotFoundError: a GGUF file, if the package that reads such files is not installed.
        ValueError: files that are missing or damaged.
    """
    packed = weights.suffix == GGUF
    if packed and not is_gguf_available():
        raise BackboneNotFoundError(f"{weights}: reading it needs the package gguf: `pip install gguf`")
    file = weights.name if packed else None
    try:
        tokenizer, model = _load(str(weights.parent), torch.float32, local=True, gguf=file)
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{weights}: missing or damaged ({error})") from error
    if (backend := getattr(tokenizer, "backend_tokenizer", None)) is not None:
        backend.no_truncation()  # stored with some tokenizers
        backend.no_padding()
    return tokenizer, _without_quantization_config(model) if packed else model


def max_length_of(model: Any, tokenizer: Any) -> int | None:
    """Maximum length of a model in tokens; None if neither it nor its tokenizer has one."""
    config = model.config.get_text_config()
    lengths = [getattr(config, key, None) for key in ("max_position_embeddings", "n_positions")]
    limits = [n for n in (*lengths, tokenizer.model_max_length) if isinstance(n, int) and 1 < n < 10**6]
    return min(limits, default=None)


def _load(
    name: str, dtype: torch.dtype, local: bool, gguf: str | None = None, revision: str | None = None
) -> tuple[Any, Any]:
    load_options: dict[str, Any] = {
        "local_files_only": local,
        "trust_remote_code": False,
        "revision": revision,
        **({"gguf_file": gguf} if gguf else {}),
    }
    tokenizer = AutoTokenizer.from_pretrained(name, **load_options)
    safetensors = None if gguf else True
    model = load_pretrained(
        AutoModelForCausalLM, name, use_safetensors=safetensors, dtype=dtype, **load_options
    )
    _check_causal(name, model)
    return tokenizer, model


@torch.inference_mode()
def _check_causal(name: str, model: Any) -> None:
    """Raises a ValueError if the first token's logits depend on the second one, as in a masked language model."""
    first, second = (
        model.eval()(input_ids=torch.tensor([[0, 1], [0, 2]]), use_cache=False).logits[:, 0].float()
    )
    if not torch.allclose(first, second, rtol=1e-2, atol=1e-2):
        raise ValueError(f"{name}: expected a causal language model, got one that reads the words to come")


def _without_quantization_config(model: Any) -> Any:
    """A model read from a GGUF file, without the mark of quantisation that transformers gives it."""
    shape = model.config.to_dict()
    shape.pop("quantization_config", None)
    plain = type(model)(type(model.config)(**shape))
    plain.load_state_dict(model.state_dict())
    plain.tie_weights()
    return plain
