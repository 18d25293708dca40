"""Sources are tried in order, installation is atomic, and an error message says what to do."""

import http.client
import io
import os
import shutil
import subprocess
import urllib.error
import zipfile
from pathlib import Path

import pytest

from openmeva.training.text.knowledge import wordnet_files
from openmeva.training.text.knowledge.wordnet_files import (
    REQUIRED_FILES,
    FetchError,
    fetch_wordnet,
    lexnames,
    wordnet_checksum,
    wordnet_path,
)


def write_all(folder: Path) -> None:
    for name in REQUIRED_FILES:
        (folder / name).write_text(name)


def without_internet(folder: Path) -> None:
    raise FetchError("no internet")


def write_half(folder: Path) -> None:
    (folder / "data.noun").write_text("half")


def test_next_source_is_tried_after_a_failure(tmp_path):
    folder = fetch_wordnet(tmp_path / "nltk_data", (without_internet, write_half, write_all))
    assert folder == tmp_path / "nltk_data" / "corpora" / "wordnet" == wordnet_path(tmp_path / "nltk_data")
    assert sorted(file.name for file in folder.iterdir()) == sorted(REQUIRED_FILES)
    assert (folder / "data.noun").read_text() == "data.noun"
    assert [file.name for file in folder.parent.iterdir()] == ["wordnet"], "nothing is left behind"


def test_installed_wordnet_is_not_fetched_again(tmp_path):
    fetch_wordnet(tmp_path, (write_all,))
    fetch_wordnet(tmp_path, (without_internet,))
    (tmp_path / "corpora" / "wordnet" / "lexnames").unlink()
    assert wordnet_path(tmp_path) is None
    fetch_wordnet(tmp_path, (write_all,))
    assert wordnet_path(tmp_path) is not None


def test_archive_of_nltk_downloader_is_accepted(tmp_path):
    (tmp_path / "corpora").mkdir(0o755)
    archive = tmp_path / "corpora" / "wordnet.zip"
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("wordnet/lexnames", "00 adj.all 3\n" * 100)
    whole = archive.read_bytes()
    archive.write_bytes(whole[:-30])
    assert wordnet_path(tmp_path) is None
    archive.write_bytes(whole)
    archive.chmod(0o644)
    assert wordnet_path(tmp_path) == tmp_path / "corpora" / "wordnet.zip"
    archive.chmod(0o664)
    assert wordnet_path(tmp_path) is None, "NLTK does not read it"


def test_checksum_covers_all_files_and_is_the_same_for_the_archive(tmp_path):
    folder = fetch_wordnet(tmp_path, (write_all,))
    before = wordnet_checksum(folder)
    archive = shutil.make_archive(str(folder), "zip", folder.parent, "wordnet")
    assert wordnet_checksum(Path(archive)) == before
    (folder / "lexnames").write_text("other")
    assert wordnet_checksum(folder) != before


def test_error_lists_all_failed_sources(tmp_path):
    with pytest.raises(FetchError) as failure:
        fetch_wordnet(tmp_path, (without_internet, write_half))
    for part in ("no internet", "write_half left out", "lexnames", "apt-get update", "nltk.downloader"):
        assert part in str(failure.value)
    assert list((tmp_path / "corpora").iterdir()) == []


def test_installed_files_are_not_group_writable(tmp_path):
    before = os.umask(0o002)
    try:
        folder = fetch_wordnet(tmp_path / "nltk_data", (write_all,))
    finally:
        os.umask(before)
    made = [tmp_path / "nltk_data", tmp_path / "nltk_data" / "corpora", folder, *folder.iterdir()]
    assert not any(path.stat().st_mode & 0o022 for path in made)


def test_group_writable_folder_is_refused(tmp_path):
    tmp_path.chmod(0o775)
    for sources in ((write_all,), (without_internet,)):
        with pytest.raises(FetchError, match="NLTK reads no data that others own or may write"):
            fetch_wordnet(tmp_path, sources)
    tmp_path.chmod(0o755)
    assert fetch_wordnet(tmp_path, (without_internet,)) == tmp_path / "corpora" / "wordnet"


def test_lexnames():
    lines = [line.split("\t") for line in lexnames().splitlines()]
    assert len(lines) == 45
    assert [int(number) for number, _, _ in lines] == list(range(45))
    # From lexnames(5WN).
    assert lines[0] == ["00", "adj.all", "3"]
    assert lines[3] == ["03", "noun.Tops", "1"]
    assert lines[28] == ["28", "noun.time", "1"]
    assert lines[29] == ["29", "verb.body", "2"]
    assert lines[43] == ["43", "verb.weather", "2"]
    assert lines[44] == ["44", "adj.ppl", "3"]


@pytest.mark.parametrize(
    "failure", [urllib.error.URLError("no route"), http.client.BadStatusLine("no route")]
)
def test_network_failure_raises_fetch_error(tmp_path, monkeypatch, failure):
    def no_route(*arguments, **options):
        raise failure

    monkeypatch.setattr(wordnet_files.urllib.request, "urlopen", no_route)
    with pytest.raises(FetchError, match="no route"):
        wordnet_files.from_nltk(tmp_path)


def test_damaged_archive_raises_fetch_error(tmp_path, monkeypatch):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("wordnet/data.noun", bytes(range(256)) * 9)
    content = whole.getvalue()
    garbled = content.replace(b"wordnet/data.noun", b"wordnet/data.n\xff\xffn", 1)
    bodies = iter([b"an error page", garbled, content[:60] + bytes(60) + content[120:], b""])

    def download(command, cwd, **options):
        (Path(cwd) / "corpora").mkdir()
        (Path(cwd) / "corpora" / "wordnet.zip").write_bytes(next(bodies))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(wordnet_files.urllib.request, "urlopen", lambda *_, **__: io.BytesIO(b"index"))
    monkeypatch.setattr(wordnet_files.subprocess, "run", download)
    for _ in range(4):
        with pytest.raises(FetchError, match=r"wordnet\.zip is damaged"):
            wordnet_files.from_nltk(tmp_path)


def test_missing_apt_get_raises_fetch_error(tmp_path, monkeypatch):
    monkeypatch.setattr(wordnet_files.shutil, "which", lambda tool: None)
    with pytest.raises(FetchError, match="there is no apt-get"):
        wordnet_files.from_debian(tmp_path)


@pytest.mark.parametrize("user", [0, 1000])
def test_only_root_updates_apt_package_lists(tmp_path, monkeypatch, user):
    """Root updates the lists and tries again; anyone else is told to."""
    commands = []

    def apt(command, **options):
        commands.append(command[:2])
        return subprocess.CompletedProcess(
            command, 0 if command[1] == "update" else 100, "", "E: Unable to locate"
        )

    monkeypatch.setattr(wordnet_files.shutil, "which", lambda tool: f"/usr/bin/{tool}")
    monkeypatch.setattr(wordnet_files.subprocess, "run", apt)
    monkeypatch.setattr(wordnet_files.os, "geteuid", lambda: user)
    with pytest.raises(FetchError, match="Unable to locate" if user == 0 else "apt-get update"):
        wordnet_files.from_debian(tmp_path)
    assert (
        commands
        == [["apt-get", "download"], ["apt-get", "update"], ["apt-get", "download"]][: 3 if user == 0 else 1]
    )


def test_debian_packages_are_unpacked(tmp_path, monkeypatch):
    def debian(command, cwd, **options):
        if command[0] == "apt-get":
            (Path(cwd) / "wordnet-base_3.0.deb").write_text("")
        else:
            files = Path(cwd) / "unpacked" / "usr" / "share" / "wordnet"
            files.mkdir(parents=True)
            write_all(files)
            (files / "lexnames").unlink()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(wordnet_files.shutil, "which", lambda tool: f"/usr/bin/{tool}")
    monkeypatch.setattr(wordnet_files.subprocess, "run", debian)
    folder = fetch_wordnet(tmp_path, (wordnet_files.from_debian,))
    assert (folder / "lexnames").read_text() == lexnames()


def test_hanging_download_times_out(tmp_path, monkeypatch):
    monkeypatch.setattr(wordnet_files, "DOWNLOAD_SECONDS", 0.2)
    with pytest.raises(FetchError, match="timed out"):
        wordnet_files._run([shutil.which("sleep") or "sleep", "30"], tmp_path, timeout=0.2)
