"""The examples in the docstrings of training and Spaces run as they stand."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from openmeva.training.paths import ROOT

EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)


def modules_with_examples(top: str) -> list[str]:
    """Names of the modules below a folder whose source holds an example."""
    paths = [path for path in sorted((ROOT / top).rglob("*.py")) if path.name != "__main__.py"]
    return [module_name(path) for path in paths if EXAMPLE.search(path.read_text(encoding="utf-8"))]


def module_name(path: Path) -> str:
    """A module's dotted name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("openmeva", *parts)).removesuffix(".__init__")


@pytest.mark.parametrize("module", [*modules_with_examples("training"), *modules_with_examples("spaces")])
def test_docstring_examples(module: str) -> None:
    results = doctest.testmod(importlib.import_module(module))
    assert results.failed == 0
    assert results.attempted > 0
