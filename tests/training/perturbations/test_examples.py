"""The examples in the docstrings of perturbations and paraphrasers run as they stand."""

import doctest
import importlib
import pkgutil

import pytest

import training.paraphrasers
import training.perturbations

MODULES = [
    f"{package.__name__}.{found.name}"
    for package in (training.perturbations, training.paraphrasers)
    for found in pkgutil.iter_modules(package.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    assert len(found) >= 8
