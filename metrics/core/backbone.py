"""Finds the backbone of a checkpoint: the shared story encoder, or another model by reference.

A reference is a mapping in the checkpoint's `config.json`:
`{"path": ..., "hub": ..., "revision": ..., "sha256": ..., "package": {...}, "added_tokens": [...]}`. At least one of
`path`, `hub` and `package` is needed, and for an adapter `sha256`. `package` is as in `packaged_folder` or
`packaged_file`. The backbone is looked up next to the checkpoint, with the metrics, in the cache, in an installed
package, and on the Hub, in that order.
"""

import importlib.util
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.constants import HF_HUB_CACHE
from safetensors import safe_open
from safetensors.torch import load_file
from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers
from tokenizers.pre_tokenizers import ByteLevel
from torch import Tensor
from transformers import AutoModel, AutoTokenizer

from openmeva.metrics.core.files import FULL_MODEL
from openmeva.metrics.core.hub import (
    DOWNLOAD_ERRORS,
    download_failure_reason,
    hub_home,
    verify_snapshot,
    weights_checksum,
)
from openmeva.metrics.core.runtime import float32_initialization
from openmeva.metrics.core.text import PLACEHOLDERS

SHARED_ENCODER = "story-encoder"  # the repository's name, under any organisation
_HERE = Path(__file__).resolve().parent
_FILES = ["*.json", FULL_MODEL, "*.txt", "*.model"]
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "tokenizer.model", "vocab.json", "spiece.model")


class BackboneNotFoundError(ValueError):
    """A backbone that has to be downloaded or installed first; the message says in one line how."""


def backbone_folder(reference: Mapping[str, Any], checkpoint_folder: Path | None = None) -> Path:
    """The folder of the encoder of a reference.

    Args:
        reference: see the module's docstring.
        checkpoint_folder: the folder of the checkpoint with the reference, if any.

    Raises:
        BackboneNotFoundError: it is not available (the message says in one line how to get it, and why the download
            failed).
        OSError: the download cannot be written to disk.
        ValueError: a damaged download, or an installed package with other weights than expected.
    """
    hub, _, revision = (reference.get("hub") or "").partition("@")
    revision = reference.get("revision") or revision or None
    candidates = [checkpoint_folder / "encoder"] if checkpoint_folder else []
    if reference.get("path"):
        candidates.append((checkpoint_folder or Path()) / reference["path"])
    if hub.rpartition("/")[2] == SHARED_ENCODER:
        candidates.append(_HERE.parent / "weights" / "encoder")
    for candidate in candidates:
        if (candidate / FULL_MODEL).is_file():
            return candidate.resolve()
    if hub and (folder := hub_folder(hub, revision, local=True)):
        return folder
    if folder := packaged_folder(reference.get("package") or {}):
        return folder
    message = not_found_message(reference, candidates)
    try:
        if hub and (folder := hub_folder(hub, revision, local=False)):
            return folder
    except DOWNLOAD_ERRORS as error:
        raise BackboneNotFoundError(f"{message} ({download_failure_reason(error)})") from error
    raise BackboneNotFoundError(message)


def not_found_message(reference: Mapping[str, Any], tried: Iterable[Path] = ()) -> str:
    """One line: which model is not available, where it was looked up, and how to get it."""
    name = reference.get("hub") or reference.get("path") or "the backbone"
    ways = []
    if reference.get("hub"):
        hub, _, revision = reference["hub"].partition("@")
        revision = reference.get("revision") or revision
        ways.append(f"`hf download {hub}{f' --revision {revision}' if revision else ''}`")
    if install := (reference.get("package") or {}).get("install"):
        ways.append(f"`{install}`")
    get = " or ".join(ways) or "give a folder with its model.safetensors"
    searched = ", ".join(map(str, [*tried, f"the cache ({HF_HUB_CACHE})"]))
    return f"no model {name!r} in {searched}, an installed package or on the Hub: {get}"


def hub_folder(hub: str, revision: str | None, local: bool) -> Path | None:
    """The snapshot of a repository with its weights; None if it is missing or incomplete. `local` uses only the cache.

    Raises:
        DOWNLOAD_ERRORS: from the Hub, unless `local`.
        ValueError: a damaged file, which has been removed from the cache.
    """
    try:
        folder = Path(
            snapshot_download(hub, revision=revision, allow_patterns=_FILES, local_files_only=local)
        )
    except DOWNLOAD_ERRORS:
        if not local:
            raise
        return None
    if not local:
        verify_snapshot(folder)
    shared = hub.rpartition("/")[2] == SHARED_ENCODER
    needed = [FULL_MODEL, "config.json", *(["tokenizer.json", "names.json"] if shared else [])]
    complete = all((folder / name).is_file() for name in needed)
    return folder if complete and any((folder / name).is_file() for name in _TOKENIZERS) else None


def package_folder(name: str) -> Path | None:
    """The folder of an installed package, None if it is not installed. The package is not imported."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def packaged_folder(package: Mapping[str, Any], cache: Path | None = None) -> Path | None:
    """The folder of a checkpoint in installed packages; None if one of them is not installed.

    Args:
        package: `name` and `folder` below it; or `parts`, the parts of one zip archive in order, each as
            `package/path`, with the `sha256` of the checkpoint's weights.
        cache: where the archive is unpacked, once; default: in `HF_HOME`.

    Raises:
        ValueError: the parts are not an archive of one checkpoint, or its weights have another SHA-256.
    """
    if package.get("parts"):
        target = (cache or hub_home() / "openmeva-packages") / package["sha256"]
        if not target.is_dir():
            parts = []
            for part in package["parts"]:
                name, _, path = part.partition("/")
                folder = package_folder(name)
                if folder is None:
                    return None
                parts.append(folder / path)
            _unpack(parts, package["sha256"], target)
        return target
    if package.get("name") and package.get("folder"):
        root = package_folder(package["name"])
        return root / package["folder"] if root else None
    return None


def packaged_file(package: Mapping[str, Any]) -> Path | None:
    """The file of a language model (GGUF) in an installed package, or None.

    Args:
        package: `name`, and `file` below it; its `sha256`, if known.

    Raises:
        ValueError: the file has another SHA-256, or is missing.
    """
    root = package_folder(package["name"]) if package.get("name") and package.get("file") else None
    return verify_checksum(root / package["file"], package.get("sha256")) if root else None


def verify_checksum(file: Path, sha256: str | None) -> Path:
    """The file, after its SHA-256 is verified, if one is given.

    Raises:
        ValueError: the file has another SHA-256, or is missing.
    """
    if sha256 and (actual := weights_checksum(file)) != sha256:
        raise ValueError(f"{file}: expected SHA-256 {sha256}, got {actual}")
    return file


def _unpack(parts: list[Path], sha256: str, folder: Path) -> None:
    """Joins the parts and unpacks the checkpoint to `folder`, atomically."""
    described = f"{parts[0]} and the parts after it"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as temporary:
        archive = Path(temporary) / "joined.zip"
        try:
            with archive.open("wb") as joined:
                for part in parts:
                    with part.open("rb") as file:
                        shutil.copyfileobj(file, joined)
            with zipfile.ZipFile(archive) as members:
                members.extractall(Path(temporary) / "all")
        except (OSError, zipfile.BadZipFile) as error:
            raise ValueError(f"{described}: expected a zip archive ({error})") from error
        weights = list((Path(temporary) / "all").rglob(FULL_MODEL))
        if len(weights) != 1:
            raise ValueError(f"{described}: expected one {FULL_MODEL}, got {len(weights)}")
        verify_checksum(weights[0], sha256)
        try:
            weights[0].parent.rename(folder)
        except OSError:
            if not (folder / FULL_MODEL).is_file():  # otherwise another process was faster
                raise


def has_project_tensor_names(folder: Path) -> bool:
    """Whether an encoder's tensors are named as in the metrics' models: `bert.` and transformers' name."""
    with safe_open(folder / FULL_MODEL, "pt") as file:
        names = list(file.keys())
    return any(name.startswith("bert.") for name in names) and not any(
        name.endswith("gamma") for name in names
    )


def encoder_state(folder: Path) -> dict[str, Tensor]:
    """Weights of an encoder of any architecture, with transformers' names after the prefix `bert.`."""
    if has_project_tensor_names(folder):
        return load_file(folder / FULL_MODEL)
    with float32_initialization():
        model = AutoModel.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    return {f"bert.{name}": tensor for name, tensor in model.state_dict().items()}


def encoder_tokenizer(folder: Path | str, added_tokens: Iterable[str] = PLACEHOLDERS) -> Tokenizer:
    """The tokenizer of any encoder, with added tokens (name placeholders); see `enable_prefix_space`."""
    tokenizer: Tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True).backend_tokenizer
    tokenizer.add_special_tokens([AddedToken(name, lstrip=True, special=True) for name in added_tokens])
    return enable_prefix_space(tokenizer)


def enable_prefix_space(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer, changed in place: a byte-level one encodes the first word of a text as it does words elsewhere.

    A story then has the same tokens whether it is encoded whole, by sentence or by word.
    """
    word = tokenizer.encode("the", add_special_tokens=False).ids
    if tokenizer.encode("the the", add_special_tokens=False).ids == word * 2:
        return tokenizer
    if isinstance(tokenizer.pre_tokenizer, ByteLevel):
        tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=True)
    elif isinstance(tokenizer.pre_tokenizer, pre_tokenizers.Sequence):
        # as a pre-tokenizer it would start each part with a space
        first = [] if tokenizer.normalizer is None else [tokenizer.normalizer]
        tokenizer.normalizer = normalizers.Sequence([*first, normalizers.Prepend(" ")])
    return tokenizer
