"""Everyday facts instead of ConceptNet, and the caches of WordNet and ConceptNet."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from openmeva.training.perturbations.rules import opposites
from openmeva.training.text.knowledge import commonsense, conceptnet_english, lexicon, resources, senses
from openmeva.training.text.knowledge.conceptnet_files import FILE_NAME

FACTS = Path(__file__).with_name("training") / "everyday_facts.tsv"


@contextmanager
def with_everyday_facts(folder: Path) -> Iterator[None]:
    """Replaces ConceptNet by the facts of `everyday_facts.tsv`, written for this project."""
    resources.require_resource("wordnet")  # `make test` fetches it: without it the tests fail
    shutil.copy(FACTS, folder / FILE_NAME)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resources, "conceptnet_folder", lambda: folder)
        clear_fact_caches()
        yield
    clear_fact_caches()


_OF_CONCEPTNET = (
    lexicon._antonyms,
    lexicon._negated_concepts,
    lexicon._conceptnet_words,
    lexicon.is_keyword,
    commonsense._links,
    commonsense._neighbours,
    conceptnet_english._antonyms,
    conceptnet_english._is_keyword,
    conceptnet_english._negated,
    conceptnet_english._words,
)
_OF_WORDNET_ALONE = (
    lexicon._synonyms,
    lexicon.known_lemma,
    lexicon._semcor_mentions,
    lexicon.wordnet,
    senses.senses,
    senses._lines,
    senses._counted_words,
    opposites._opposites,
)


def clear_fact_caches(wordnet: bool = False) -> None:
    """Empties the caches of ConceptNet and, if `wordnet` has changed, those of WordNet."""
    for cached in (*_OF_CONCEPTNET, *(_OF_WORDNET_ALONE if wordnet else ())):
        cached.cache_clear()
