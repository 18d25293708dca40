"""Everyday facts in ConceptNet's place: tests depend neither on what has been fetched nor on its absence."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.conceptnet_files import FILE_NAME
from openmeva.training.text.tagged_story import TaggedStory
from tests.facts import forget_facts
from tests.tiny_language import TinyLanguage, tagged

FACTS = Path(__file__).with_name("everyday_facts.tsv")


@pytest.fixture(scope="module")
def everyday_facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The facts of `everyday_facts.tsv`, written for this project, are all that ConceptNet knows."""
    resources.require("wordnet")  # `make test` fetches it: without it the tests fail
    folder = tmp_path_factory.mktemp("conceptnet")
    shutil.copy(FACTS, folder / FILE_NAME)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resources, "conceptnet_folder", lambda: folder)
        forget_facts()
        yield
    forget_facts()


@pytest.fixture
def language() -> TinyLanguage:
    return TinyLanguage()


@pytest.fixture
def story() -> Callable[..., TaggedStory]:
    """The reader of ``word/TAG`` sentences."""
    return tagged
