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


def find_in_pages(pattern: re.Pattern[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for page in PAGES:
        for match in pattern.finditer(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), tuple(group for group in match.groups() if group is not None)


def test_pages_are_found() -> None:
    assert {"README.md", "training/README.md", "metrics/union/README.md"} <= {
        str(path.relative_to(ROOT)) for path in PAGES
    }


@pytest.mark.parametrize("module", sorted({groups[0].rstrip(".") for _, groups in find_in_pages(MODULE)}))
def test_named_modules_can_be_run(module: str) -> None:
    name = module if module.startswith("openmeva.") else f"openmeva.{module}"
    spec = find_spec(name)
    assert spec is not None, module
    main_file = Path(spec.origin) if spec.origin and not spec.origin.endswith("__init__.py") else None
    if main_file is None:
        main_spec = find_spec(f"{name}.__main__")
        assert main_spec is not None, f"{module} cannot be run"
        assert main_spec.origin is not None
        main_file = Path(main_spec.origin)
    assert '__name__ == "__main__"' in main_file.read_text(encoding="utf-8"), module


def test_named_commands_and_options_exist() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    named = list(find_in_pages(COMMAND))
    assert {groups[0] for _, groups in named} <= set(commands)
    for page, (name, rest) in named:
        options = {option for parameter in commands[name].params for option in parameter.opts} | {"--help"}
        named_options = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", rest.partition(" -- ")[0]))
        assert named_options <= options, (
            f"{page}: openmeva {name} has no {', '.join(sorted(named_options - options))}"
        )


def test_named_make_targets_and_variables_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z.-]+):", makefile, re.MULTILINE))
    variables = set(re.findall(r"\$\(?(?:if |or )?\$?\(?([A-Z_]+)\)", makefile))
    for page, (text,) in find_in_pages(TARGET):
        words = text.split()
        assert words[0] in targets, f"{page}: make {words[0]}"
        for word in words[1:]:
            name, separator, _ = word.partition("=")
            if separator and name.isupper():
                assert name in variables, f"{page}: make {words[0]} {word}"


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"grep -hE '([^']+)'", makefile)
    listed = {
        line.partition(":")[0]
        for line in makefile.split("\n")
        if re.search(pattern.replace(".*", ".*"), line)
    }
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(phony.split()) <= listed
