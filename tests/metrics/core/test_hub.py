"""Errors of the Hub are reported, and downloads are verified against their checksums."""

import errno
import hashlib
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from openmeva.metrics.core import backbone, checkpoint
from openmeva.metrics.core.backbone import BackboneNotFoundError, backbone_folder
from openmeva.metrics.core.checkpoint import find_checkpoint
from openmeva.metrics.core.hub import hub_home, verify_snapshot
from tests.tiny.models import write_checkpoint


@pytest.mark.parametrize(
    ("failed", "told"),
    [
        (ConnectionError("no route\nto the Hub"), r"\(ConnectionError: no route\)$"),
        (RuntimeError("CAS service error"), r"\(RuntimeError: CAS service error\)$"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
    ],
)
def test_hub_download_errors_are_reported(
    failed: Exception, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def download(*_: str, local_files_only: bool, **__: Any) -> str:
        raise LocalEntryNotFoundError("not in the cache") if local_files_only else failed

    monkeypatch.setattr(checkpoint, "snapshot_download", download)
    monkeypatch.setattr(backbone, "snapshot_download", download)
    is_os_error = isinstance(failed, OSError) and failed.errno is not None
    for name in ("me/mine", "me/mine@v1"):
        with pytest.raises(OSError if is_os_error else ValueError, match=told) as checkpoints:
            find_checkpoint("union", name, {})
        assert failed in (checkpoints.value, checkpoints.value.__cause__)
    with pytest.raises(OSError if is_os_error else BackboneNotFoundError, match=told) as backbones:
        backbone_folder({"hub": "me/encoder", "sha256": "0"})
    assert failed in (backbones.value, backbones.value.__cause__)


def test_tilde_in_hf_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HF_HOME", "~/x")
    assert hub_home() == tmp_path / "x"
    folder = tmp_path / "x" / "openmeva-packages" / "abc"
    folder.mkdir(parents=True)
    assert backbone.packaged_folder({"parts": ["a/b"], "sha256": "abc"}) == folder


@pytest.mark.parametrize("kind", ["git", "sha256"])
def test_damaged_download_is_removed_from_the_cache(kind: str, tmp_path: Path) -> None:
    """A snapshot's files are links to blobs that are named after their content."""
    content = b'{"a": 1}'
    checksum = hashlib.sha1(b"blob %d\0" % len(content)) if kind == "git" else hashlib.sha256()
    checksum.update(content)
    blob, link = tmp_path / "blobs" / checksum.hexdigest(), tmp_path / "snapshots" / "config.json"
    for path in (blob, link):
        path.parent.mkdir()
    blob.write_bytes(content)
    link.symlink_to(blob)
    assert verify_snapshot(link.parent) == link.parent
    blob.write_bytes(content[:-1])
    with pytest.raises(ValueError, match=r"config\.json: came damaged from the Hub and was removed"):
        verify_snapshot(link.parent)
    assert not blob.exists()
    assert not link.is_symlink()


def test_downloaded_checkpoint_is_verified_against_checksums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[Path] = []

    def record(path: Path) -> Path:
        verified.append(path)
        return path

    folder = write_checkpoint(tmp_path / "newest")
    monkeypatch.setattr(checkpoint, "snapshot_download", lambda *_, **__: str(folder))
    monkeypatch.setattr(checkpoint, "verify_snapshot", record)
    assert find_checkpoint("union", "someone/union", {}) == folder
    assert verified == [folder, folder], "the settings before they are read, then the complete snapshot"
