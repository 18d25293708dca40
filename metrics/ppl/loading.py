"""Loads the model of a configuration: a model of this project, a third-party one, or any by path or Hub id."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from huggingface_hub import hf_hub_download, try_to_load_from_cache
from transformers import BertForMaskedLM, BertLMHeadModel
from transformers.pytorch_utils import Conv1D

from openmeva.metrics.core.backbone import enable_prefix_space, weights_checksum
from openmeva.metrics.core.checkpoint import (
    NAMES,
    Checkpoint,
    find_checkpoint,
    load_checkpoint,
    load_normalizer,
    merge_adapter,
    read_model_config,
    read_settings,
    read_tensors,
)
from openmeva.metrics.core.files import ADAPTER
from openmeva.metrics.core.hub import HUB_ERRORS
from openmeva.metrics.core.language_model import (
    language_model_weights,
    load_language_model,
    max_length_of,
    read_language_model,
    revision_of,
)
from openmeva.metrics.core.runtime import build_model, token_id
from openmeva.metrics.ppl.causal_model import CausalModel
from openmeva.metrics.ppl.masked_model import MaskedModel
from openmeva.metrics.ppl.texts import NormalizedReader, PlainReader

DEFAULT_MAX_LENGTH = 1024


@dataclass(frozen=True)
class LoadedModel:
    """A model, the reader of its texts, and what identifies its weights in a signature.

    Attributes:
        model: the model.
        reader: of its texts.
        revision: the digits that identify its weights (`adapter+base` with an adapter of a third-party model).
        settings: the metric's settings in the checkpoint of an encoder; empty for other models.
    """

    model: CausalModel | MaskedModel
    reader: NormalizedReader | PlainReader
    revision: str
    settings: Mapping[str, Any] = field(default_factory=dict)


def load_model(name: str, hub_ids: dict[str, str]) -> LoadedModel:
    """Loads the model of a configuration, a folder or a Hub id.

    Raises:
        ValueError: nothing has that name, the model is not a causal language model, or it has to be fetched
            first (the message says in one line how).
    """
    if name not in hub_ids and not _is_checkpoint(name):
        return from_transformers(name, hub_ids)
    folder = find_checkpoint("ppl", name, hub_ids)
    settings = read_settings(folder, "ppl")
    if "backbone" in settings:
        return from_backbone(settings, folder)
    return from_checkpoint(load_checkpoint(folder, "ppl"))


def _is_checkpoint(name: str) -> bool:
    """Whether a folder or Hub id is a checkpoint of this project, not a model of transformers."""
    config_file = Path(name) / "config.json"
    if not config_file.is_file():
        repository, _, revision = name.partition("@")
        if repository.count("/") != 1 or Path(name).exists():
            return False
        try:
            cached = try_to_load_from_cache(repository, "config.json", revision=revision or None)
            if not isinstance(cached, str):
                cached = hf_hub_download(repository, "config.json", revision=revision or None)
            config_file = Path(cached)
        except HUB_ERRORS:
            return False
    config: Any = read_model_config(config_file.parent)
    return isinstance(config, dict) and "ppl" in config


def from_checkpoint(checkpoint: Checkpoint) -> LoadedModel:
    """The causal or masked language model of a checkpoint of this project.

    Raises:
        ValueError: weights or name lists that the model needs are missing (they are named).
    """
    settings, config = checkpoint.settings, checkpoint.model_config
    causal = settings["model"] == "causal"
    config.is_decoder, config.use_cache = causal, False
    kind: Any = BertLMHeadModel if causal else BertForMaskedLM
    model = build_model(lambda: kind(config), checkpoint.state, checkpoint.folder)
    normalizer = load_normalizer(checkpoint.names_file, settings["delexicalize"])
    reader = NormalizedReader(checkpoint.tokenizer, normalizer, "[SEP]" if causal else None)
    if causal:
        start = token_id(checkpoint.tokenizer, "[CLS]")
        scorer: Any = CausalModel(model, start, settings["max_length"], "cls")
    else:
        scorer = MaskedModel(model, checkpoint.tokenizer, settings["max_length"], settings.get("spacing"))
    return LoadedModel(scorer, reader, checkpoint.revision, settings)


def from_backbone(settings: Mapping[str, Any], folder: Path) -> LoadedModel:
    """A third-party language model, with or without an adapter, and with a maximum length of `max_length` tokens.

    Args:
        settings: `max_length`; `backbone`, a reference as in `metrics/core/backbone.py`; and, with an `adapter`,
            whether names become placeholders (`delexicalize`).
        folder: of the checkpoint with these settings.

    Raises:
        BackboneNotFoundError: the model has to be fetched first (the message says in one line how).
        ValueError: a weights file with another checksum, an unsuitable tokenizer, a missing adapter or name list, or
            an adapter of another model.
    """
    weights = language_model_weights(settings["backbone"], folder)
    digest = weights_checksum(weights)
    if settings.get("adapter"):
        _check_base(folder, settings["backbone"], weights, digest)
    tokenizer, model = read_language_model(weights)
    if settings.get("adapter"):
        return _with_adapter(folder, settings, model, tokenizer, digest[:12])
    return _without_adapter(str(weights), model, tokenizer, digest[:12], settings["max_length"])


def _check_base(folder: Path, reference: Mapping[str, Any], weights: Path, digest: str) -> None:
    """Checks that an adapter's base model is the one on which it was trained, as far as its reference tells.

    A model that a package contains may come from the Hub instead, with more bits: then the user is warned.

    Raises:
        ValueError: other weights than those of the adapter's training.
    """
    package = reference.get("package") or {}
    trained_on = reference.get("sha256") or package.get("sha256")
    if trained_on in (None, digest):
        return
    message = f"{weights}: expected SHA-256 {trained_on[:12]}…, for which {folder.name!r} was trained, got {digest[:12]}…"
    if not package:
        raise ValueError(message)
    warnings.warn(f"{message}: scores differ from those of its card", stacklevel=2)


def _with_adapter(
    folder: Path, settings: Mapping[str, Any], model: Any, tokenizer: Any, base: str
) -> LoadedModel:
    """A model with the adapter of a checkpoint. Texts are normalised, as in the adapter's training.

    `base` is the digest of the model's weights, which may come from the package or from the Hub.
    """
    adapter = read_tensors(folder / ADAPTER)
    state = model.state_dict()
    turned = [f"{name}.weight" for name, module in model.named_modules() if isinstance(module, Conv1D)]
    state |= {name: state[name].T for name in turned}  # weights of GPT-2's Conv1D are (inputs, outputs)
    layers = {f"{name.removesuffix('.lora_A')}.weight" for name in adapter if name.endswith(".lora_A")}
    if strange := sorted(layers - state.keys()):
        raise ValueError(
            f"{folder / ADAPTER}: expected low-rank factors of the model's layers, got {strange[0]}"
        )
    state = merge_adapter(state, adapter)
    model.load_state_dict(state | {name: state[name].T for name in turned})
    start, end = start_and_end_tokens(tokenizer)
    normalizer = load_normalizer(folder / NAMES, settings["delexicalize"])
    reader = NormalizedReader(enable_prefix_space(tokenizer.backend_tokenizer), normalizer, end)
    scorer = CausalModel(model.eval(), token_id(reader.tokenizer, start), settings["max_length"])
    return LoadedModel(scorer, reader, f"{weights_checksum(folder / ADAPTER)[:12]}+{base}")


def start_and_end_tokens(tokenizer: Any) -> tuple[str, str]:
    """The start and end tokens of a story, from a language model's own tokenizer.

    Raises:
        ValueError: the tokenizer has no token to start from.
    """
    candidates = (tokenizer.bos_token, tokenizer.eos_token, tokenizer.cls_token)
    start = next((token for token in candidates if token is not None), None)
    if start is None:
        raise ValueError("expected a tokenizer with a start or end token, got none")
    return start, tokenizer.eos_token or start


def from_transformers(name: str, hub_ids: dict[str, str]) -> LoadedModel:
    """Any causal language model with a fast tokenizer, from a folder, the Hub's cache or the Hub.

    Raises:
        ValueError: no such model, no fast tokenizer, or no start token.
    """
    try:
        tokenizer, model = load_language_model(name)
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"expected a configuration ({', '.join(sorted(hub_ids))}), or a folder or Hub id of a causal language "
            f"model with safetensors, got {name!r}: {error}"
        ) from error
    return _without_adapter(name, model, tokenizer, revision_of(name))


def _without_adapter(
    name: str, model: Any, tokenizer: Any, revision: str, bound: int | None = None
) -> LoadedModel:
    """A model without an adapter, and its tokenizer; `bound` limits the maximum length below the model's own."""
    if not tokenizer.is_fast:
        raise ValueError(f"{name}: expected a fast tokenizer, got {type(tokenizer).__name__}")
    try:
        start = tokenizer.convert_tokens_to_ids(start_and_end_tokens(tokenizer)[0])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    model_limit = max_length_of(model, tokenizer) or DEFAULT_MAX_LENGTH
    limit = min(model_limit, bound or model_limit)
    return LoadedModel(CausalModel(model.eval(), start, limit), PlainReader(tokenizer), revision)
