"""Finding and loading weights: one encoder shared by the metrics, a small adapter for each of them.

A checkpoint is a folder. Its `config.json` holds either a whole model's configuration, with
`model.safetensors` beside it, or a reference to the shared encoder, with `adapter.safetensors`: low-rank
factors (Hu et al. 2021) that are merged into the encoder's weights once, on loading, and the metric's heads.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import constants, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor
from transformers import AutoConfig

SHARED_ENCODER = "story-encoder"  # the repository, whoever has published it
_HERE = Path(__file__).resolve().parent
_FILES = ["*.json", "*.safetensors", "vocab.txt"]


@dataclass
class Checkpoint:
    """What a metric needs to build its model: configuration, weights, tokenizer and word lists.

    Attributes:
        folder: where it was found.
        settings: the metric's own settings (the section of `config.json` named after it).
        model_config: the encoder's configuration, of transformers.
        state: weights by name, adapter merged.
        tokenizer: of the encoder.
        names_file: `names.json`, where the checkpoint has one.
        revision: the first 12 digits of the SHA-256 of the metric's own weights.
    """

    folder: Path
    settings: dict[str, Any]
    model_config: Any
    state: dict[str, Tensor]
    tokenizer: Tokenizer
    names_file: Path | None
    revision: str


def find_checkpoint(metric: str, name: str, hub_ids: dict[str, str]) -> Path:
    """The folder of the checkpoint called `name`: local first, then the Hub's cache, then the network.

    Local is a folder `weights` beside this file, as a published module may have, or the metric's own in the checkout
    or the installed package that this file belongs to.

    Args:
        metric: folder name of the metric, e.g. `union`.
        name: a configuration of the metric, a folder, or a Hub id (`org/repository` or
            `org/repository@revision`).
        hub_ids: the Hub id of each configuration that the project publishes; in a published module each
            names the revision that belongs to the module's version.

    Raises:
        ValueError: no such configuration, folder or repository (the known configurations are listed).
    """
    folders = [weights / name for weights in (_HERE / "weights", _HERE.parent / metric / "weights")]
    for folder in folders if name in hub_ids else []:
        if (folder / "config.json").is_file():
            return folder
    if name not in hub_ids and Path(name).is_dir():
        return Path(name).resolve()
    known = f"the configurations of {metric} are {', '.join(sorted(hub_ids))}; a folder or a Hub id works too"
    if name not in hub_ids and "/" not in name:
        raise ValueError(f"expected a configuration, a folder or a Hub id, got {name!r}: {known}")
    return _from_hub(hub_ids.get(name, name), known, folders if name in hub_ids else [Path(name)])


def _from_hub(hub_id: str, known: str, tried: Sequence[Path]) -> Path:
    """The snapshot of a repository: from the cache where it is there and whole, without asking the network.

    Raises:
        ValueError: none, or no such repository (names the folders that were tried before, and `known`).
    """
    repository, _, revision = hub_id.partition("@")
    try:
        return _snapshot(repository, revision or None, local_files_only=True)
    except LocalEntryNotFoundError:
        pass
    except HFValidationError as error:
        raise ValueError(f"{repository!r} is neither a folder nor a Hub id: {known}") from error
    try:
        return _snapshot(repository, revision or None, local_files_only=False)
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        places = ", ".join(map(str, [*tried, f"the cache ({constants.HF_HUB_CACHE})"]))
        raise ValueError(f"no checkpoint {hub_id!r} in {places} or on the Hub: {known}") from error


def _snapshot(repository: str, revision: str | None, local_files_only: bool) -> Path:
    """The repository's settings, and of its weights those that the settings call for.

    A repository may hold an adapter and, for those who load it without a metric, the whole model.

    Raises:
        LocalEntryNotFoundError: with `local_files_only`, a cached snapshot that lacks some of it.
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
    config = _read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    adapter = any(isinstance(part, dict) and "encoder" in part for part in config.values())
    if not local_files_only:
        return fetch(*_FILES, ignore="model.safetensors" if adapter else None)
    needed = "adapter.safetensors" if adapter else "model.safetensors"
    missing = [name for name in ("config.json", needed) if not (folder / name).is_file()]
    if missing:
        raise LocalEntryNotFoundError(f"{folder}: the cached snapshot lacks {', '.join(missing)}")
    return folder


def load_checkpoint(folder: Path, metric: str) -> Checkpoint:
    """Reads the checkpoint in `folder`, adapter merged.

    Raises:
        ValueError: a file that is missing or damaged, or an encoder other than the adapter was made for
            (the message names the file).
    """
    config = _read_json(folder / "config.json")
    settings = config.get(metric)
    if not isinstance(settings, dict):
        raise ValueError(
            f"{folder / 'config.json'}: expected a section {metric!r}, got keys {sorted(config)}"
        )
    if "encoder" not in settings:
        weights = folder / "model.safetensors"
        return _checkpoint(folder, settings, folder, read_tensors(weights), file_digest(weights))
    encoder = encoder_folder(folder, settings["encoder"])
    digest = file_digest(encoder / "model.safetensors")
    if digest != settings["encoder"]["sha256"]:
        raise ValueError(
            f"{encoder / 'model.safetensors'}: expected SHA-256 {settings['encoder']['sha256'][:12]}…, for which "
            f"{folder.name!r} was trained, got {digest[:12]}…"
        )
    weights = folder / "adapter.safetensors"
    state = merge_adapter(read_tensors(encoder / "model.safetensors"), read_tensors(weights))
    return _checkpoint(folder, settings, encoder, state, file_digest(weights))


def _checkpoint(
    folder: Path, settings: dict[str, Any], encoder: Path, state: dict[str, Tensor], digest: str
) -> Checkpoint:
    names = next((f / "names.json" for f in (folder, encoder) if (f / "names.json").is_file()), None)
    described = _read_json(encoder / "config.json")
    model_config = AutoConfig.for_model(described.pop("model_type", "bert"), **described)
    try:
        tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
    except Exception as error:  # the library raises plain Exceptions
        raise ValueError(f"{encoder / 'tokenizer.json'}: missing or damaged ({error})") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return Checkpoint(folder, settings, model_config, state, tokenizer, names, digest[:12])


def encoder_folder(folder: Path, reference: dict[str, str]) -> Path:
    """Where the encoder of the checkpoint in `folder` lies: with it, with the metrics, in the cache or on the Hub.

    Args:
        folder: of the checkpoint.
        reference: `hub` (a Hub id, `@revision` where it is pinned), `sha256` of its weights, and, for one that lies
            in the checkout, `path` relative to `folder`.
    """
    candidates = [folder / "encoder"]
    if "path" in reference:
        candidates.append(folder / reference["path"])
    if reference["hub"].partition("@")[0].endswith(SHARED_ENCODER):
        candidates.append(_HERE.parent / "weights" / "encoder")
    for candidate in candidates:
        if (candidate / "model.safetensors").is_file():
            return candidate.resolve()
    what = "it is the encoder to which the metric's adapter is added"
    return _from_hub(reference["hub"], what, candidates)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: missing or damaged ({error})") from error


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Tensors of a safetensors file; a `ValueError` that names the file where it is missing or damaged."""
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{path}: missing or damaged ({error})") from error


def file_digest(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ValueError(f"{path}: missing or damaged ({error})") from error


def merge_adapter(state: dict[str, Tensor], adapter: dict[str, Tensor]) -> dict[str, Tensor]:
    """Encoder weights with an adapter's low-rank factors added, and its other tensors put in their place.

    For each pair `NAME.lora_A` (rank, in) and `NAME.lora_B` (out, rank), scale included,
    `NAME.weight` becomes `weight + lora_B @ lora_A`, in float32.
    """
    merged = {name: tensor.float() for name, tensor in state.items()}
    for name, tensor in adapter.items():
        if name.endswith(".lora_A"):
            base = name.removesuffix(".lora_A")
            merged[f"{base}.weight"] = torch.addmm(
                merged[f"{base}.weight"], adapter[f"{base}.lora_B"].float(), tensor.float()
            )
        elif not name.endswith(".lora_B"):
            merged[name] = tensor.float()
    return merged
