"""What tests of training share.

Everyday facts stand in ConceptNet's place: tests depend neither on what has been fetched nor on its absence.
"""

from collections.abc import Callable, Iterator

import pytest
from accelerate.utils import memory

from openmeva.training.negatives import file
from openmeva.training.paths import RESOURCES
from openmeva.training.text.tagged_story import TaggedStory
from tests.facts import with_everyday_facts
from tests.tiny.language import TinyLanguage, tagged


@pytest.fixture(scope="session", autouse=True)
def _no_full_collections() -> Iterator[None]:
    """accelerate collects garbage before each training, which takes most of a second beside all that the tests import."""
    cleared = memory.clear_device_cache
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "clear_device_cache", lambda garbage_collection=False: cleared())
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_tags_of_earlier_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folder that keeps tags unless another is given is one of this run."""
    tag, folder = file.tag_corpus, tmp_path_factory.mktemp("tags")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            file,
            "tag_corpus",
            lambda found, cache, processes: tag(
                found, folder if cache == RESOURCES / "tags" else cache, processes
            ),
        )
        yield


@pytest.fixture(scope="module")
def everyday_facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The facts of `everyday_facts.tsv`, written for this project, are all that ConceptNet knows."""
    with with_everyday_facts(tmp_path_factory.mktemp("conceptnet")):
        yield


@pytest.fixture
def language() -> TinyLanguage:
    return TinyLanguage()


@pytest.fixture
def story() -> Callable[..., TaggedStory]:
    """The reader of ``word/TAG`` sentences."""
    return tagged
