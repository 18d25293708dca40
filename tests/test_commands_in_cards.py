"""Every command that a README or card names exists, with the options that it names."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer.main

from openmeva.training.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "metrics/*.md",
        "metrics/*/*.md",
        "training/*.md",
        "training/*/*.md",
        "spaces/*.md",
        "datasets/*/*.md",
    )
    for path in ROOT.glob(pattern)
)
MODULE = re.compile(r"python -m ((?:openmeva\.)?(?:metrics|training|spaces)[\w.]*)")
COMMAND = re.compile(
    r"^(?:\.venv/bin/)?openmeva ([a-z]+)(.*?)(?:#.*)?$|`(?:\.venv/bin/)?openmeva ([a-z]+)([^`]*)`",
    re.MULTILINE,
)
TARGET = re.compile(r"(?:^|`)make ((?:[\w=.,/\"' -]|\n(?!\n))+)", re.MULTILINE)


def found(pattern: re.Pattern[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for page in PAGES:
        for match in pattern.finditer(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), tuple(group for group in match.groups() if group is not None)


def test_pages_are_found() -> None:
    assert {"README.md", "training/README.md", "metrics/union/README.md"} <= {
        str(path.relative_to(ROOT)) for path in PAGES
    }


@pytest.mark.parametrize("module", sorted({groups[0].rstrip(".") for _, groups in found(MODULE)}))
def test_modules_that_are_run_exist(module: str) -> None:
    name = module if module.startswith("openmeva.") else f"openmeva.{module}"
    spec = find_spec(name)
    assert spec is not None, module
    runs = Path(spec.origin) if spec.origin and not spec.origin.endswith("__init__.py") else None
    if runs is None:
        inner = find_spec(f"{name}.__main__")
        assert inner is not None, f"{module} cannot be run"
        assert inner.origin is not None
        runs = Path(inner.origin)
    assert '__name__ == "__main__"' in runs.read_text(encoding="utf-8"), module


def test_commands_have_the_options_that_are_named() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    named = list(found(COMMAND))
    assert {groups[0] for _, groups in named} <= set(commands)
    for page, (name, rest) in named:
        known = {option for parameter in commands[name].params for option in parameter.opts} | {"--help"}
        asked = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", rest.partition(" -- ")[0]))
        assert asked <= known, f"{page}: openmeva {name} has no {', '.join(sorted(asked - known))}"


def test_targets_and_their_variables_stand_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z.-]+):", makefile, re.MULTILINE))
    variables = set(re.findall(r"\$\(?(?:if |or )?\$?\(?([A-Z_]+)\)", makefile))
    for page, (text,) in found(TARGET):
        words = text.split()
        assert words[0] in targets, f"{page}: make {words[0]}"
        for word in words[1:]:
            name, separator, _ = word.partition("=")
            if separator and name.isupper():
                assert name in variables, f"{page}: make {words[0]} {word}"


def test_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"grep -hE '([^']+)'", makefile)
    listed = {
        line.partition(":")[0]
        for line in makefile.split("\n")
        if re.search(pattern.replace(".*", ".*"), line)
    }
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(phony.split()) <= listed
