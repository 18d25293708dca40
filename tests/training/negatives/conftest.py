"""Fixtures of the tests of negative samples: a small corpus and the material of operations."""

from collections.abc import Callable

import numpy as np
import pytest

from openmeva.training.negatives import BufferedRandom, EditedStory, NegativeMaterial, TaggedStory
from openmeva.training.text.keywords import KeywordTable
from tests.tiny.language import ANN, KEN, TOM, TinyLanguage, tagged


@pytest.fixture
def corpus() -> list[TaggedStory]:
    """Three stories of five sentences, to which every operation applies."""
    return [tagged(*KEN), tagged(*ANN), tagged(*TOM)]


@pytest.fixture
def material(corpus: list[TaggedStory], language: TinyLanguage) -> NegativeMaterial:
    return NegativeMaterial(language, KeywordTable.count(corpus, language), corpus)


@pytest.fixture
def make_rng() -> Callable[[int], BufferedRandom]:
    """Makes a random generator from a seed."""
    return lambda seed: BufferedRandom(np.random.default_rng(seed))


@pytest.fixture
def ken(corpus: list[TaggedStory]) -> EditedStory:
    return EditedStory.start(corpus[0], 0)


@pytest.fixture
def text() -> Callable[[EditedStory], list[str]]:
    """A story's sentences as texts."""
    return lambda edited: [" ".join(words) for words in edited.words]


@pytest.fixture
def check_origins() -> Callable[[EditedStory, TaggedStory], None]:
    """Fails unless every untouched token is the original's token that its origin names."""

    def check(edited: EditedStory, original: TaggedStory) -> None:
        flat = original.flat_words()
        used = []
        for sentence in edited.sentences:
            lengths = {len(part) for part in sentence[:4]}
            assert len(lengths) == 1
            for word, origin, operation in zip(
                sentence.words, sentence.origins, sentence.operations, strict=True
            ):
                if not operation:
                    assert word == flat[origin]
                if origin >= 0:
                    used.append(origin)
                else:
                    assert operation
        assert len(used) == len(set(used)), "an original token occurs twice"

    return check
