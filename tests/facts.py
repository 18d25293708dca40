"""What language tools remember of WordNet and ConceptNet."""

from openmeva.training.perturbations.rules import opposites
from openmeva.training.text.knowledge import commonsense, lexicon, senses


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
        commonsense._neighbours,
        opposites._opposites,
    ):
        cached.cache_clear()
