"""Finds and loads weights: one encoder shared by the metrics, and a small adapter for each metric.

A checkpoint is a folder of one of three kinds, given by its `config.json`:

- a whole model's configuration, with `model.safetensors`;
- a reference to an encoder (see `backbone.py`), with `adapter.safetensors`: low-rank factors (LoRA, Hu et al. 2021),
  merged into the encoder's weights on loading, and the metric's heads;
- a reference to a `backbone`, a language model that is used unchanged, without further weights; or, if `adapter` is
  true, with the factors of `adapter.safetensors`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import constants, snapshot_download
from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from transformers import AutoConfig

from openmeva.metrics.core.backbone import backbone_folder, encoder_state, encoder_tokenizer, weights_checksum
from openmeva.metrics.core.files import ADAPTER, FULL_MODEL
from openmeva.metrics.core.hub import DOWNLOAD_ERRORS, download_failure_reason, verify_snapshot
from openmeva.metrics.core.text import Normalizer

WORD_EMBEDDING_SUFFIXES = ("word_embeddings.weight", "tok_embeddings.weight")
NAMES = "names.json"
ADDED_ROWS_SUFFIX = ".added"  # the name of rows that an adapter adds to a word embedding table ends in it
_HERE = Path(__file__).resolve().parent
_FILES = ["*.json", "*.safetensors", "vocab.txt"]


@dataclass
class Checkpoint:
    """The parts from which a metric builds its model: configuration, weights, tokenizer and word lists.

    Attributes:
        folder: where it was found.
        settings: the metric's own settings (the section of `config.json` named after it).
        model_config: the transformers configuration of the encoder.
        state: weights by name, adapter merged.
        tokenizer: of the encoder.
        names_file: `names.json` of the checkpoint or its encoder; its expected path if neither has one.
        revision: the first 12 digits of the SHA-256 of the metric's own weights.
    """

    folder: Path
    settings: dict[str, Any]
    model_config: Any
    state: dict[str, Tensor]
    tokenizer: Tokenizer
    names_file: Path
    revision: str


def find_checkpoint(metric: str, name: str, hub_ids: dict[str, str]) -> Path:
    """The folder of the checkpoint called `name`: local first, then the Hub or its cache (see `_from_hub`).

    Local means a folder `weights` next to this file, as in a published module, or the metric's folder `weights` in the
    checkout or installed package of this file.

    Args:
        metric: folder name of the metric, e.g. `union`.
        name: a configuration of the metric, a folder, or a Hub id (`org/repository` or
            `org/repository@revision`).
        hub_ids: the Hub id of each published configuration; in a published module each has the revision of the
            module's version.

    Raises:
        OSError: the download cannot be written to disk.
        ValueError: no such configuration, folder or repository (the known configurations are listed).
    """
    folders = [weights / name for weights in (_HERE / "weights", _HERE.parent / metric / "weights")]
    for folder in folders if name in hub_ids else []:
        if (folder / "config.json").is_file():
            return folder
    if name not in hub_ids and Path(name).is_dir():
        return Path(name).resolve()
    hint = f"the configurations of {metric} are {', '.join(sorted(hub_ids))}; a folder or a Hub id works too"
    if name not in hub_ids and "/" not in name:
        raise ValueError(f"expected a configuration, a folder or a Hub id, got {name!r}: {hint}")
    return _from_hub(hub_ids.get(name, name), hint, folders if name in hub_ids else [Path(name)])


def _from_hub(hub_id: str, hint: str, tried: Sequence[Path]) -> Path:
    """The snapshot of a repository.

    A named revision comes from the cache, without network access, if it is complete there. Without a revision, the Hub
    is asked for the newest one, and the cache is the fallback if the Hub does not answer.

    Raises:
        OSError: the download cannot be written to disk.
        ValueError: no snapshot, or no such repository (the folders tried before, `hint` and the cause are named).
    """
    repository, _, revision = hub_id.partition("@")
    failed: Exception
    for local in (True, False) if revision else (False, True):
        try:
            folder = _snapshot(repository, revision or None, local_files_only=local)
            return folder if local else verify_snapshot(folder)
        except HFValidationError as error:
            raise ValueError(f"{repository!r} is neither a folder nor a Hub id: {hint}") from error
        except DOWNLOAD_ERRORS as error:
            if not local:  # the cache's error says only that it is not there
                failed = error
    searched = ", ".join(map(str, [*tried, f"the cache ({constants.HF_HUB_CACHE})"]))
    reason = download_failure_reason(failed)
    raise ValueError(f"no checkpoint {hub_id!r} in {searched} or on the Hub: {hint} ({reason})") from failed


def _snapshot(repository: str, revision: str | None, local_files_only: bool) -> Path:
    """The repository's settings, and the weights that the settings require.

    A repository may hold an adapter and also the whole model, for use without a metric.

    Raises:
        LocalEntryNotFoundError: with `local_files_only`, an incomplete snapshot in the cache.
    """

    def fetch(*patterns: str, ignore: str | None = None) -> Path:
        return Path(
            snapshot_download(
                repository,
                revision=revision,
                allow_patterns=[*patterns],
                ignore_patterns=ignore,
                local_files_only=local_files_only,
            )
        )

    folder = fetch("config.json")
    if not local_files_only:
        verify_snapshot(folder)  # before it is read: a damaged file would stay in the cache
    config = read_model_config(folder) if (folder / "config.json").is_file() else {}
    needed = ["config.json", *_needed_files(config)]
    if not local_files_only:
        return fetch(*_FILES, ignore=None if FULL_MODEL in needed else FULL_MODEL)
    missing = [name for name in needed if not (folder / name).is_file()]
    if missing:
        raise LocalEntryNotFoundError(f"{folder}: the cached snapshot lacks {', '.join(missing)}")
    return folder


def _needed_files(config: Mapping[str, Any]) -> list[str]:
    """The files that a checkpoint with these settings needs: no weights if it uses a backbone unchanged.

    `names.json` comes with the shared encoder, to which no tokens are added.
    """
    sections = (section for section in config.values() if isinstance(section, dict))
    settings = {key: value for section in sections for key, value in section.items()}
    needs_names = settings.get("delexicalize") and (
        "encoder" not in settings or "added_tokens" in settings["encoder"]
    )
    names = [NAMES] if needs_names else []
    if "encoder" in settings or settings.get("adapter"):
        return [ADAPTER, *names]
    return names if "backbone" in settings else [FULL_MODEL, "tokenizer.json", *names]


def read_settings(folder: Path, metric: str) -> dict[str, Any]:
    """The metric's section in the `config.json` of a checkpoint.

    Raises:
        ValueError: the file is missing or damaged, or has no such section.
    """
    config = read_model_config(folder)
    settings = config.get(metric)
    if not isinstance(settings, dict):
        raise ValueError(
            f"{folder / 'config.json'}: expected a section {metric!r}, got keys {sorted(config)}: are these the weights of "
            "another metric?"
        )
    return settings


def load_checkpoint(folder: Path, metric: str) -> Checkpoint:
    """Reads the checkpoint in `folder`, with its adapter merged.

    Raises:
        ValueError: a missing or damaged file, or an encoder other than the one that the adapter was trained on
            (the file is named).
    """
    settings = read_settings(folder, metric)
    if "encoder" not in settings:
        weights = folder / FULL_MODEL
        return _checkpoint(folder, settings, folder, read_tensors(weights), weights_checksum(weights))
    reference = settings["encoder"]
    encoder = backbone_folder(reference, folder)
    digest = weights_checksum(encoder / FULL_MODEL)
    if digest != reference["sha256"]:
        raise ValueError(
            f"{encoder / 'model.safetensors'}: expected SHA-256 {reference['sha256'][:12]}…, for which "
            f"{folder.name!r} was trained, got {digest[:12]}…"
        )
    weights = folder / ADAPTER
    try:
        state = merge_adapter(_base_state(encoder), read_tensors(weights))
    except (KeyError, RuntimeError) as error:
        raise ValueError(f"{weights}: does not fit its base: {error}") from error
    return _checkpoint(folder, settings, encoder, state, weights_checksum(weights))


def _base_state(encoder: Path) -> dict[str, Tensor]:
    """Weights of the encoder of an adapter; raises a `ValueError` that names the file if it is damaged."""
    try:
        return encoder_state(encoder)
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{encoder / 'model.safetensors'}: missing or damaged ({error})") from error


def _checkpoint(
    folder: Path, settings: dict[str, Any], encoder: Path, state: dict[str, Tensor], digest: str
) -> Checkpoint:
    described = read_model_config(encoder)
    model_config = AutoConfig.for_model(described.pop("model_type", "bert"), **described)
    added = settings.get("encoder", {}).get("added_tokens")
    belongs = encoder if added is None else folder
    names = next((f / NAMES for f in (folder, encoder) if (f / NAMES).is_file()), belongs / NAMES)
    tokenizer = read_tokenizer(encoder, added)
    if added is not None:
        words = (len(tensor) for name, tensor in state.items() if name.endswith(WORD_EMBEDDING_SUFFIXES))
        model_config.vocab_size = next(words, model_config.vocab_size)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return Checkpoint(folder, settings, model_config, state, tokenizer, names, digest[:12])


def load_normalizer(names: Path, delexicalize: bool = True) -> Normalizer:
    """The normaliser of a checkpoint's texts; with `delexicalize`, the names of a file become placeholders.

    Raises:
        ValueError: no such file, or a damaged one.
    """
    if delexicalize and not names.is_file():
        raise ValueError(f"{names}: missing; without its names scores would differ")
    return Normalizer.load(names) if delexicalize else Normalizer()


def read_model_config(folder: Path) -> dict[str, Any]:
    """The `config.json` in a folder; raises a `ValueError` that names the file if it is missing or damaged."""
    path = folder / "config.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: missing or damaged ({error})") from error


def read_tokenizer(folder: Path, added: Sequence[str] | None = None) -> Tokenizer:
    """The tokenizer in a folder; if a metric has added tokens to it, by `encoder_tokenizer`.

    Raises:
        ValueError: its file is missing or damaged (it is named).
    """
    try:
        if added is None:
            return Tokenizer.from_file(str(folder / "tokenizer.json"))
        return encoder_tokenizer(folder, added)
    except Exception as error:  # the library raises plain Exceptions
        raise ValueError(f"{folder / 'tokenizer.json'}: missing or damaged ({error})") from error


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Tensors of a safetensors file; raises a `ValueError` that names the file if it is missing or damaged."""
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{path}: missing or damaged ({error})") from error


@torch.autocast("cpu", enabled=False)  # the caller's autocast would round the products
def merge_adapter(state: dict[str, Tensor], adapter: dict[str, Tensor]) -> dict[str, Tensor]:
    """Encoder weights with an adapter's low-rank factors added; its other tensors are added or replace those
    of the same name.

    For each pair `NAME.lora_A` (rank, in) and `NAME.lora_B` (out, rank), scale included,
    `NAME.weight` becomes `weight + lora_B @ lora_A`, in float32. Rows `NAME.weight.added` are appended to
    `NAME.weight`: embeddings of tokens that the encoder lacks.
    """
    merged = {name: tensor.float() for name, tensor in state.items()}
    for name, tensor in adapter.items():
        if name.endswith(".lora_A"):
            base = name.removesuffix(".lora_A")
            merged[f"{base}.weight"] = torch.addmm(
                merged[f"{base}.weight"], adapter[f"{base}.lora_B"].float(), tensor.float()
            )
        elif name.endswith(ADDED_ROWS_SUFFIX):
            base = name.removesuffix(ADDED_ROWS_SUFFIX)
            merged[base] = torch.cat([merged[base], tensor.float()])
        elif not name.endswith(".lora_B"):
            merged[name] = tensor.float()
    return merged
