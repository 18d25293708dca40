"""Everyday facts in ConceptNet's place, and what language tools remember of WordNet and ConceptNet."""

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
def facts_for_every_day(folder: Path) -> Iterator[None]:
    """The facts of `everyday_facts.tsv`, written for this project, are all that ConceptNet knows."""
    resources.require("wordnet")  # `make test` fetches it: without it the tests fail
    shutil.copy(FACTS, folder / FILE_NAME)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resources, "conceptnet_folder", lambda: folder)
        forget_facts()
        yield
    forget_facts()


def forget_facts() -> None:
    """Empty the caches that hold answers from WordNet and ConceptNet, so that other files are read."""
    for cached in (
        lexicon._antonyms,
        lexicon._synonyms,
        lexicon._negated_concepts,
        lexicon._conceptnet_words,
        lexicon.is_keyword,
        lexicon.known_lemma,
        lexicon._semcor_mentions,
        lexicon.wordnet,
        senses.senses,
        senses._lines,
        senses._counted_words,
        commonsense._links,
        conceptnet_english._antonyms,
        conceptnet_english._is_keyword,
        conceptnet_english._negated,
        conceptnet_english._words,
        commonsense._neighbours,
        opposites._opposites,
    ):
        cached.cache_clear()
