"""A full disk, a read-only cache, truncated weights, two concurrent writers, a failing Hub."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from huggingface_hub import constants

from openmeva.metrics.core.checkpoint import find_checkpoint, load_checkpoint
from openmeva.training.files import checksum, save_tensors, write_rows, write_text
from openmeva.training.stages import Stage
from tests.faults.conftest import Row
from tests.faults.test_killed import MOMENTS, slow
from tests.hub_state import Hub, Repository
from tests.killing import run_to_end
from tests.small_hub import use_endpoint
from tests.tiny.classifier import write_classifier
from tests.training.hub.conftest import (
    hub,  # noqa: F401 - a fixture
    tree,
)
from tests.training.hub.test_killed_install import install, uninstall, used

SCHEMA = pa.schema([("n", pa.int64())])
WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda folder: write_text(folder / "a.txt", "x" * 300_000),
    "rows": lambda folder: write_rows(folder / "a.jsonl", [{"story": "x" * 1000}] * 300),
    "stage": lambda folder: Stage(folder, "numbers", {}).run(
        2,
        lambda span: [{"n": int(n)} for n in np.random.default_rng(0).integers(0, 2**60, 20_000)],
        2,
        SCHEMA,
    ),
    "tensors": lambda folder: save_tensors(folder / "a.safetensors", {"a": torch.ones(60_000)}),
    "install": lambda folder: install(folder / "home"),
}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 600 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)], capture_output=True, text=True
    )
    assert not mounted.returncode, f"a small disk needs the right to mount one, as root's: {mounted.stderr}"
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@slow
@pytest.mark.parametrize("writer", WRITERS)
def test_full_disk(writer: str, small_disk: Path, row: Row) -> None:
    """An error, no leftovers, and with enough space the result of an undisturbed run."""
    write, folder = WRITERS[writer], small_disk / "work"
    filler = small_disk / "filler"
    folder.mkdir()
    write(folder)
    undisturbed = tree(folder)
    shutil.rmtree(folder)
    filler.write_bytes(bytes(590_000))
    folder.mkdir()
    with pytest.raises(OSError, match="No space left"):
        write(folder)
    assert [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    filler.unlink()
    write(folder)
    assert tree(folder) == undisturbed
    row.identical += 1


@slow
def test_read_only_cache(row: Row) -> None:
    """Installing names the folder and changes nothing."""
    folder = Path(tempfile.mkdtemp())
    try:
        used(folder / "home")
        before = tree(folder)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)

        def as_nobody() -> None:
            if os.geteuid() == 0:
                os.setuid(65534)
            with pytest.raises(PermissionError, match=str(folder)):
                install(folder / "home")

        run_to_end(as_nobody)
        assert tree(folder) == before
        row.identical += 1
    finally:
        for path in folder.rglob("*"):
            path.chmod(0o777)
        shutil.rmtree(folder)


def test_truncated_weights(tmp_path: Path, row: Row) -> None:
    """At any length, and with a wrong header: an error that names the file."""
    folder = write_classifier(tmp_path / "checkpoint", "plot_coherence")
    rng = np.random.default_rng(0)
    for name in ("adapter.safetensors", "encoder/model.safetensors", "config.json", "encoder/tokenizer.json"):
        path = folder / name
        whole = path.read_bytes()
        lengths = [0, 1, *map(int, rng.integers(2, len(whole) - 1, MOMENTS))]
        for content in (*(whole[:length] for length in lengths), b"\xff" + whole[1:]):
            path.write_bytes(content)
            with pytest.raises(ValueError, match=path.name):
                load_checkpoint(folder, "plot_coherence")
            row.identical += 1
        path.write_bytes(whole)
    load_checkpoint(folder, "plot_coherence")


@slow
def test_concurrent_installations(tmp_path: Path, row: Row) -> None:
    home = tmp_path / "home"
    used(home)
    before = tree(home)
    install(home)
    alone = tree(home)
    uninstall(home)
    _run_concurrently(lambda: install(home), lambda: install(home))
    assert tree(home) == alone
    _run_concurrently(lambda: uninstall(home), lambda: uninstall(home))
    assert tree(home) == before
    row.identical += 2


def test_concurrent_stages(tmp_path: Path, row: Row) -> None:
    """With the same name and settings, in one folder."""

    def run(folder: Path) -> str:
        stage = Stage(folder, "squares", {})
        return checksum(stage.run(60, lambda span: [{"n": n * n} for n in span], 5, SCHEMA))

    alone = run(tmp_path / "alone")
    _run_concurrently(lambda: run(tmp_path / "both"), lambda: run(tmp_path / "both"))
    assert run(tmp_path / "both") == alone
    row.identical += 1


def _run_concurrently(*works: Callable[[], object]) -> None:
    """Runs work concurrently, each in its own process."""
    children = []
    for work in works:
        child = os.fork()
        if child == 0:
            try:
                work()
                os._exit(0)
            finally:
                os._exit(1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(works)


@pytest.fixture
def published(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:  # noqa: F811
    """A Hub with a complete checkpoint, and an empty cache."""
    folder = write_classifier(tmp_path / "checkpoint", "plot_coherence")
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    hub.repositories["models/me/coherence"] = Repository([("c" * 40, files)])
    use_endpoint(hub.endpoint, monkeypatch)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_ETAG_TIMEOUT", 3)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 3)
    return hub


def fetch_checksums(tmp_path: Path) -> dict[str, str]:
    folder = find_checkpoint("plot_coherence", "me/coherence", {})
    return {
        path.relative_to(folder).as_posix(): checksum(path) for path in folder.rglob("*") if path.is_file()
    }


@slow
@pytest.mark.parametrize("fault", ["500", "cut", "wrong", "slow", "none"])
def test_faulty_hub(
    fault: str, published: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Row
) -> None:
    """An error that names the repository or the file; afterwards, from a working Hub, the correct bytes."""
    address = published.endpoint
    published.fault = fault
    if fault == "none":
        use_endpoint("http://127.0.0.1:9", monkeypatch)
    if fault != "slow":
        with pytest.raises(ValueError, match=r"me/coherence|came damaged"):
            fetch_checksums(tmp_path)
        published.fault = ""
        use_endpoint(address, monkeypatch)
    there = published.repositories["models/me/coherence"].files
    found = fetch_checksums(tmp_path)
    assert found
    for name, digest in found.items():
        (tmp_path / "file").write_bytes(there[name])
        assert checksum(tmp_path / "file") == digest
    row.identical += 1
