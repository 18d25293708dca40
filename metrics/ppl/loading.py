"""Which model a configuration means: one of this project's, or any causal language model by path or Hub id."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huggingface_hub import try_to_load_from_cache
from transformers import BertForMaskedLM, BertLMHeadModel

from openmeva.metrics.core.checkpoint import Checkpoint, find_checkpoint, load_checkpoint
from openmeva.metrics.core.language_model import load_language_model, max_length_of
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
        ValueError: nothing of that name, or a model that is no causal language model.
    """
    if name in hub_ids or _is_checkpoint(name):
        return from_checkpoint(load_checkpoint(find_checkpoint("ppl", name, hub_ids), "ppl"))
    return from_transformers(name, hub_ids)


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
    if not tokenizer.is_fast:
        raise ValueError(f"{name}: expected a fast tokenizer, got {type(tokenizer).__name__}")
    starts = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.cls_token_id)
    start = next((token for token in starts if token is not None), None)
    if start is None:
        raise ValueError(f"{name}: expected a tokenizer with a start or end token, got none")
    limit = max_length_of(model, tokenizer) or UNKNOWN_LENGTH
    revision = getattr(model.config, "_commit_hash", None) or "local"
    return LoadedModel(CausalModel(model.eval(), start, limit), PlainReader(tokenizer), revision[:12])
