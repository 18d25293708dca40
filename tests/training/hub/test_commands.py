"""`openmeva install`, `uninstall` and `publish`: what they hand on, and what comes of it for a small checkout."""

import inspect
from pathlib import Path
from typing import Any

import pytest

from openmeva.metrics.core.version import __version__
from openmeva.training.cli import projects
from openmeva.training.hub import commands, description
from tests.training.cli.test_commands import run
from tests.training.hub.conftest import tree

FLAGS = ("dry_run", "move_tags", "uncommitted")
ASKED = {"organisation": None, "source": None, **dict.fromkeys(FLAGS, False)}


@pytest.fixture(autouse=True)
def small(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands' checkout is the small one."""
    monkeypatch.setattr(projects, "ROOT", project)


@pytest.mark.parametrize(
    "asked",
    [*({flag: True} for flag in FLAGS), {"organisation": "me", "source": "https://example.org/us"}],
    ids=lambda asked: "-".join(asked),
)
def test_options_of_publish_are_handed_on_by_name(
    asked: dict[str, Any], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: dict[str, Any] = {}
    signature = inspect.signature(commands.publish)
    monkeypatch.setattr(
        commands,
        "publish",
        lambda *given, **named: handed.update(signature.bind(*given, **named).arguments),
    )
    words = [
        [f"--{name.replace('_', '-')}", *([] if value is True else [value])] for name, value in asked.items()
    ]
    run("publish", *(word for option in words for word in option))
    assert handed.pop("description") == description.read_description(project)
    assert handed == {"root": project, **ASKED, **asked}


def test_what_is_installed_is_taken_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HF_HOME", str(home))
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_MODULES_CACHE", "HF_DATASETS_CACHE"):
        monkeypatch.delenv(name, raising=False)
    said = run("install").stdout
    assert f"version {__version__} is now installed in {home}" in said
    assert 'evaluate.load("union")  or "openmeva/union"' in said
    assert 'load_dataset("openmeva/autos", "mini")' in said
    assert (home / "hub/models--openmeva--union-roc/refs/main").is_file()
    assert f"version {__version__}: " in run("uninstall").stdout
    assert tree(tmp_path) == {}
    assert "nothing of the project is installed" in run("uninstall").stdout
