"""Fixtures for tests of perturbations: a small corpus, material that needs no model, the same facts everywhere."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from openmeva.training.perturbations import PerturbationMaterial, StoryPool, parse
from openmeva.training.perturbations.paraphrasers import RuleParaphraser

HERE = Path(__file__).parent


@pytest.fixture(scope="module", autouse=True)
def facts(everyday_facts: None) -> None:
    """All tests here use WordNet and the everyday facts."""


def all_similar(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """A similarity function for which all pairs are similar."""
    return [1.0] * len(pairs)


@pytest.fixture(scope="module")
def corpus(facts: None) -> StoryPool:
    return StoryPool(parse((HERE / "corpus.txt").read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="module")
def material(corpus: StoryPool) -> PerturbationMaterial:
    """Everything an aspect may need; no sentence is kept unchanged."""
    return PerturbationMaterial(0, corpus, RuleParaphraser(), all_similar)
