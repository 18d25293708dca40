"""Checksums of the weights that a benchmark's figures were measured with."""

from __future__ import annotations

from pathlib import Path

from openmeva.training.files import checksum


def checkpoint_digest(folder: Path) -> str:
    """SHA-256 of a configuration's weights, or of its settings where it has none of its own."""
    own = sorted(folder.glob("*.safetensors")) or [folder / "config.json"]
    return checksum(own[0])


def checkpoint_digests(root: Path) -> dict[str, str]:
    """`metric/configuration` of every configuration in a checkout, to the digest of its weights."""
    return {
        f"{path.parents[2].name}/{path.parent.name}": checkpoint_digest(path.parent)
        for path in sorted(root.glob("metrics/*/weights/*/config.json"))
    }
