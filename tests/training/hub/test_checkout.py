"""Only committed files are published, and the note names the project's own commit."""

import shutil
import subprocess
from pathlib import Path

import pytest

from openmeva.training.hub import commands
from openmeva.training.hub.checkout import commit_note
from openmeva.training.hub.description import read_description


def git(folder: Path, *arguments: str) -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    completed = subprocess.run(
        ["git", "-C", folder, *author, *arguments], capture_output=True, check=True, text=True
    )
    return completed.stdout.strip()


@pytest.fixture
def checkout(project: Path, tmp_path: Path) -> Path:
    """The small checkout, committed."""
    root = tmp_path / "checkout"
    shutil.copytree(project, root)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "a")
    return root


def test_uncommitted_weights_are_not_published(checkout: Path) -> None:
    commit = git(checkout, "rev-parse", "--short", "HEAD")
    (checkout / "notes.txt").touch()
    assert commit_note(checkout) == f"({commit})"
    shutil.copytree(checkout / "metrics/union/weights/roc", checkout / "metrics/union/weights/mine")
    (checkout / "spaces" / "metric_app.py").write_text("")
    with pytest.raises(ValueError, match="mine") as raised:
        commands.publish(read_description(checkout), checkout, "me", dry_run=True, move_tags=False)
    assert "?? metrics/union/weights/mine/\n" in str(raised.value)
    assert "M spaces/metric_app.py\n" in str(raised.value)
    assert commit_note(checkout, uncommitted=True) == f"({commit}-dirty)"


def test_the_commit_of_another_repository_is_not_named(checkout: Path, tmp_path: Path) -> None:
    inside = checkout / "site-packages" / "openmeva"
    (inside / "metrics").mkdir(parents=True)
    (inside / "metrics" / "new.py").touch()
    assert commit_note(inside) == commit_note(tmp_path) == ""


def test_nothing_is_published_where_git_refuses_to_look(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):  # they may declare all folders safe
        monkeypatch.setenv(name, "/dev/null")
    with pytest.raises(ValueError, match=r"not published: git does not tell .*dubious ownership"):
        commit_note(checkout)
    assert commit_note(checkout, uncommitted=True) == ""


@pytest.mark.parametrize("source", [None, "https://example.org/me/openmeva"])
def test_publish_warns_without_a_source_address(
    project: Path, source: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    addresses = []
    monkeypatch.setattr(
        commands, "lay_out", lambda source_entry, description, *_: addresses.append(description.source)
    )
    monkeypatch.setattr(commands, "_list_files", lambda _: 0)
    monkeypatch.setattr(commands, "repository_problems", lambda *_: [])
    description = read_description(project)
    commands.publish(description, project, None, dry_run=True, move_tags=False, source=source)
    assert set(addresses) == {source or ""}
    assert ("warning: cards mention a clone" in capsys.readouterr().err) == (source is None)
