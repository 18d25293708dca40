"""What the READMEs tell a reader to type or to open is there."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from openmeva.training.cli.app import app
from openmeva.training.paths import ROOT

READMES = [ROOT / folder / "README.md" for folder in ("", "metrics", "training", "spaces")]
each = pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)


@each
def test_links_lead_somewhere(readme: Path) -> None:
    text = re.sub(r"```.*?```", "", readme.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [link for link in links if link and not link.startswith("http")]
    assert [link for link in local if not (readme.parent / link).exists()] == []


@each
def test_modules_that_are_run_exist(readme: Path) -> None:
    modules = re.findall(r"python -m ([\w.]+)", readme.read_text(encoding="utf-8"))
    ours = [name for name in modules if name.split(".")[0] in {"metrics", "training", "spaces"}]
    assert [name for name in ours if importlib.util.find_spec(f"openmeva.{name}") is None] == []


@each
def test_targets_of_make_exist(readme: Path) -> None:
    targets = set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    named = re.findall(
        r"`make ([a-z-]+)|^make ([a-z-]+)", readme.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert {first or second for first, second in named} <= targets


@each
def test_commands_and_their_options_exist(readme: Path) -> None:
    commands: Any = typer.main.get_command(app)
    text = readme.read_text(encoding="utf-8")
    for line in re.findall(r"^openmeva (.+)$", text, flags=re.MULTILINE) + re.findall(
        r"`openmeva ([^`]+)`", text
    ):
        name, *words = line.partition("#")[0].split()
        command = commands.commands[name]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_the_first_page_is_short() -> None:
    assert len(READMES[0].read_text(encoding="utf-8").split()) < 800
