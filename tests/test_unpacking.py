"""Archives are only unpacked in the listed files, and never outside their folders."""

import ast
import io
import subprocess
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.core import backbone
from openmeva.training.paths import ROOT
from openmeva.training.speed import spaces
from openmeva.training.text.knowledge import wordnet_files
from tests.test_supply import SOURCES, calls

FUNCTIONS = ("extractall", "unpack_archive", "extract")
Unpack = Callable[[str, Path, pytest.MonkeyPatch], None]


def from_parts(member: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """A checkpoint contained in packages."""
    patch.setattr(backbone, "package_folder", lambda name: folder)
    write_zip(folder / "model.zip", member)
    with pytest.raises(ValueError, match=r"expected one model\.safetensors, got 0"):
        backbone.packaged_folder({"parts": ["package/model.zip"], "sha256": "0"}, folder)


def of_a_revision(member: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """A revision of this project from git: a tar, whose members may be refused."""

    def fake_git_archive(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        with tarfile.open(command[command.index("--output") + 1], "w") as members:
            members.addfile(tarfile.TarInfo(member), io.BytesIO())
        return subprocess.CompletedProcess(command, 0)

    patch.setattr(subprocess, "run", fake_git_archive)
    patch.setattr(tempfile, "tempdir", str(folder))
    with suppress(tarfile.FilterError), spaces.checked_out_revision("HEAD"):
        pass


def of_wordnet(member: str, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """WordNet as downloaded by NLTK."""

    def fake_download(command: list[str], data: Path, timeout: float) -> None:
        write_zip(data / "corpora" / "wordnet.zip", member)

    patch.setattr(urllib.request, "urlopen", lambda *_, **__: io.BytesIO())
    patch.setattr(wordnet_files, "_run", fake_download)
    with pytest.raises(wordnet_files.FetchError, match=r"wordnet\.zip holds no folder wordnet"):
        wordnet_files.from_nltk(folder / "wordnet")


UNPACKERS: dict[str, Unpack] = {
    "metrics/core/backbone.py": from_parts,
    "training/speed/spaces.py": of_a_revision,
    "training/text/knowledge/wordnet_files.py": of_wordnet,
}


def write_zip(archive: Path, member: str) -> None:
    archive.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr(member, "text")


def test_archives_are_unpacked_only_in_listed_files() -> None:
    found = set()
    for path in SOURCES:
        code = path.read_text(encoding="utf-8")
        if not any(name in code for name in FUNCTIONS):
            continue
        for name, call in calls(ast.parse(code)):
            if name.rpartition(".")[2] in FUNCTIONS:
                found.add(path.relative_to(ROOT).as_posix())
                call_text = ast.unparse(call)  # an archive that is not a zip may be a tar
                assert "filter='data'" in call_text or ".zip'" in call_text or name == "members.extractall", (
                    call_text
                )
    assert found == UNPACKERS.keys()


@pytest.mark.parametrize("unpack", UNPACKERS.values())
def test_unpacking_writes_nothing_outside_the_folder(
    unpack: Unpack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    for member in (*(f"{'../' * steps}up.txt" for steps in range(1, 5)), str(tmp_path / "absolute.txt")):
        with monkeypatch.context() as patch:
            unpack(member, folder, patch)
    assert {path.name for path in tmp_path.rglob("*") if folder not in path.parents} == {"outer", "inner"}
