"""Checksums of the weights and settings behind the benchmark's results."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from openmeva.training.files import checksum

_TEXT_FILES = ("names.json", "tokenizer.json", "vocab.txt")  # of a checkpoint: how it reads a text


def checkpoint_digest(folder: Path) -> str:
    """SHA-256 of a configuration's weights, names, vocabulary and settings, except the path of its encoder."""
    sections: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    for settings in sections.values():
        if isinstance(settings, dict) and isinstance(settings.get("encoder"), dict):
            settings["encoder"].pop("path", None)
    files = [*sorted(folder.glob("*.safetensors")), *(folder / name for name in _TEXT_FILES)]
    weights = [checksum(path) for path in files if path.is_file()]
    return hashlib.sha256(json.dumps([weights, sections], sort_keys=True).encode()).hexdigest()


def checkpoint_digests(root: Path) -> dict[str, str]:
    """`metric/configuration` to digest, for every configuration in a checkout."""
    return {
        f"{path.parents[2].name}/{path.parent.name}": checkpoint_digest(path.parent)
        for path in sorted(root.glob("metrics/*/weights/*/config.json"))
    }
