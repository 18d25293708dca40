"""The examples in the docstrings of perturbations and paraphrasers run as they stand."""

import doctest
import importlib
import pkgutil

import pytest

from openmeva.training import perturbations

MODULES = [
    found.name
    for found in pkgutil.walk_packages(perturbations.__path__, f"{perturbations.__name__}.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) >= 8
