"""Which model a configuration means: one of this project's, one of others as it is, or any by path or Hub id."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import try_to_load_from_cache
from transformers import BertForMaskedLM, BertLMHeadModel

from openmeva.metrics.core.backbone import file_digest
from openmeva.metrics.core.checkpoint import Checkpoint, find_checkpoint, load_checkpoint, read_settings
from openmeva.metrics.core.language_model import (
    language_model_weights,
    load_language_model,
    max_length_of,
    read_language_model,
)
from openmeva.metrics.core.runtime import token_id
from openmeva.metrics.ppl.causal_model import CausalModel
from openmeva.metrics.ppl.masked_model import MaskedModel
from openmeva.metrics.ppl.texts import NormalizedReader, PlainReader

UNKNOWN_LENGTH = 1024


@dataclass(frozen=True)
class LoadedModel:
    """A model with the reader of its texts, and the digits that identify its weights."""

    model: CausalModel | MaskedModel
    reader: NormalizedReader | PlainReader
    revision: str


def load_model(name: str, hub_ids: dict[str, str]) -> LoadedModel:
    """The model that `name` means: a configuration, a folder or a Hub id.

    Raises:
        ValueError: nothing of that name, a model that is no causal language model, or one that has to be fetched
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
    """Whether a folder or Hub id holds a checkpoint of this project rather than a model of transformers."""
    found: Any = Path(name) / "config.json"
    if not found.is_file():
        found = try_to_load_from_cache(name, "config.json") if name.count("/") == 1 else None
    if not isinstance(found, str | Path) or not Path(found).is_file():
        return False
    try:
        config = json.loads(Path(found).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{found}: missing or damaged ({error})") from error
    return isinstance(config, dict) and "ppl" in config


def from_checkpoint(checkpoint: Checkpoint) -> LoadedModel:
    """The causal or masked language model of one of this project's checkpoints.

    Raises:
        ValueError: weights that the model needs and the checkpoint lacks (they are named).
    """
    settings, config = checkpoint.settings, checkpoint.model_config
    causal = settings["model"] == "causal"
    config.is_decoder, config.use_cache = causal, False
    model: Any = BertLMHeadModel(config) if causal else BertForMaskedLM(config)
    missing, _ = model.load_state_dict(checkpoint.state, strict=False)
    missing = [key for key in missing if "decoder" not in key]  # tied to the word embeddings
    if missing:
        raise ValueError(f"{checkpoint.folder}: weights missing: {', '.join(missing)}")
    model.tie_weights()
    model.eval()
    reader = NormalizedReader(checkpoint, "[SEP]" if causal else None)
    if causal:
        start = token_id(checkpoint.tokenizer, "[CLS]")
        scorer: Any = CausalModel(model, start, settings["max_length"], "cls")
    else:
        scorer = MaskedModel(model, checkpoint.tokenizer, settings["max_length"], settings.get("spacing"))
    return LoadedModel(scorer, reader, checkpoint.revision)


def from_backbone(settings: Mapping[str, Any], folder: Path) -> LoadedModel:
    """A language model of others, as it is, that reads at most `max_length` tokens at once.

    Args:
        settings: `max_length`, and `backbone`, a reference as in `metrics/core/backbone.py`.
        folder: of the checkpoint that has them.

    Raises:
        NotAtHandError: the model has to be fetched first (the message says in one line how).
        ValueError: another file than the known one, or a tokenizer that does not serve.
    """
    weights = language_model_weights(settings["backbone"], folder)
    tokenizer, model = read_language_model(weights)
    return _as_it_is(str(weights), model, tokenizer, file_digest(weights), settings["max_length"])


def from_transformers(name: str, hub_ids: dict[str, str]) -> LoadedModel:
    """Any causal language model with a fast tokenizer, from a folder, the Hub's cache or the Hub.

    Raises:
        ValueError: no such model, no fast tokenizer, or no token to start from.
    """
    try:
        tokenizer, model = load_language_model(name)
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"expected a configuration ({', '.join(sorted(hub_ids))}), or a folder or Hub id of a causal language "
            f"model with safetensors, got {name!r}: {error}"
        ) from error
    return _as_it_is(name, model, tokenizer, getattr(model.config, "_commit_hash", None) or "local")


def _as_it_is(name: str, model: Any, tokenizer: Any, revision: str, bound: int | None = None) -> LoadedModel:
    """A model and its tokenizer; `bound` is the most tokens read at once, where the model's own is not wanted."""
    if not tokenizer.is_fast:
        raise ValueError(f"{name}: expected a fast tokenizer, got {type(tokenizer).__name__}")
    starts = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.cls_token_id)
    start = next((token for token in starts if token is not None), None)
    if start is None:
        raise ValueError(f"{name}: expected a tokenizer with a start or end token, got none")
    known = max_length_of(model, tokenizer) or UNKNOWN_LENGTH
    limit = min(known, bound or known)
    return LoadedModel(CausalModel(model.eval(), start, limit), PlainReader(tokenizer), revision[:12])
