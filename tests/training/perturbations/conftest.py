"""What the tests of perturbations share: a small corpus, material that needs no model, resources or a skip."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from training.language import resources
from training.paraphrasers import RuleParaphraser
from training.perturbations import Corpus, Material, parse

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def fetched() -> None:
    """Skip where ConceptNet, which is not ours to ship, has not been fetched."""
    resources.require("wordnet")  # `make test` fetches it: without it the tests fail
    if resources.find("conceptnet") is None:
        pytest.skip(f"conceptnet has not been fetched: run `{resources.COMMANDS['conceptnet']}`")


def all_alike(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """A similarity that finds everything alike."""
    return [1.0] * len(pairs)


@pytest.fixture(scope="session")
def corpus(fetched: None) -> Corpus:
    return Corpus(parse((HERE / "corpus.txt").read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="session")
def material(corpus: Corpus) -> Material:
    """Everything an aspect may need; nothing is kept."""
    return Material(0, corpus, RuleParaphraser(), all_alike)
