"""`openmeva install`, `uninstall` and `publish`: their options, and their effects for a small checkout."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from openmeva.metrics.core.version import __version__
from openmeva.training.cli import sharing
from openmeva.training.hub import commands, description, record_folder
from tests.training.cli.test_commands import run
from tests.training.hub.conftest import tree

FLAGS = ("dry_run", "move_tags", "uncommitted", "replace", "private")
ASKED = {"organisation": None, "source": None, **dict.fromkeys(FLAGS, False)}


@pytest.fixture(autouse=True)
def small_checkout(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands' checkout is the small one."""
    monkeypatch.setattr(sharing, "ROOT", project)


@pytest.mark.parametrize(
    "asked",
    [*({flag: True} for flag in FLAGS), {"organisation": "me", "source": "https://example.org/us"}],
    ids=lambda asked: "-".join(asked),
)
def test_publish_options_are_passed_by_name(
    asked: dict[str, Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: dict[str, Any] = {}
    signature = inspect.signature(commands.publish)
    monkeypatch.setattr(
        commands,
        "publish",
        lambda *given, **named: passed.update(signature.bind(*given, **named).arguments),
    )
    words = [
        [f"--{name.replace('_', '-')}", *([] if value is True else [value])] for name, value in asked.items()
    ]
    run("publish", *(word for option in words for word in option))
    assert passed.pop("description") == description.read_description(project)
    assert passed == {"root": project, **ASKED, **asked}


_OPEN = Path("/proc/self/fd")
needs_open_files = pytest.mark.skipif(not _OPEN.is_dir(), reason="no list of open files")


class _WindowsLock(FileLock):  # type: ignore[misc]
    """As on Windows: the lock file is removed when the lock is released."""

    def _release(self) -> None:
        super()._release()
        Path(self.lock_file).unlink(missing_ok=True)


def refuse_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: no open file, and no folder with an open file, can be removed or moved."""
    monkeypatch.setattr(record_folder, "FileLock", _WindowsLock)

    def refusing(change: Callable[..., None]) -> Callable[..., None]:
        def checked(path: Any, *others: Any, **named: Any) -> None:
            given = [Path(target).resolve() for target in (path, *others)] if "dir_fd" not in named else []
            for number in os.listdir(_OPEN):
                open_file = Path(os.path.realpath(_OPEN / number))
                if any(open_file.is_relative_to(target) for target in given):
                    raise PermissionError(13, "used by another process", str(path))
            change(path, *others, **named)

        return checked

    for name in ("remove", "unlink", "rename", "replace"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))


@pytest.mark.parametrize("windows", [False, pytest.param(True, marks=needs_open_files)])
def test_uninstall_removes_everything_installed(
    windows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if windows:
        refuse_open_files(monkeypatch)
    home = tmp_path / "home"
    monkeypatch.setenv("HF_HOME", str(home))
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_MODULES_CACHE", "HF_DATASETS_CACHE"):
        monkeypatch.delenv(name, raising=False)
    output = run("install").stdout
    assert f"version {__version__} is now installed in {home}" in output
    assert 'evaluate.load("union")  or "openmeva/union"' in output
    assert 'load_dataset("openmeva/autos", "mini")' in output
    assert 'AutoModelForMaskedLM.from_pretrained("openmeva/story-encoder")' in output
    assert (home / "hub/models--openmeva--union-roc/refs/main").is_file()
    assert f"version {__version__}: " in run("uninstall").stdout
    assert tree(tmp_path) == {}
    assert "nothing of the project is installed" in run("uninstall").stdout


@needs_open_files
def test_other_files_are_kept_if_the_lock_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_open_files(monkeypatch)
    (tmp_path / "openmeva").mkdir()
    (tmp_path / "openmeva" / "other.lock").write_text("of a cache")
    before = tree(tmp_path)
    kept = record_folder.RecordFolder(tmp_path / "openmeva", [])
    with kept.locked() as record:
        kept.remove(record)
    assert tree(tmp_path) == before
