"""Senses of one file of WordNet against what NLTK reads from the synsets themselves."""

import pytest

from openmeva.training.text.knowledge.lexicon import wordnet
from openmeva.training.text.knowledge.senses import senses, words_of


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("dog", "n"),
        ("go", "v"),
        ("happy", "a"),
        ("quickly", "r"),
        ("large", "a"),
        ("bill", "n"),
        ("saw", "v"),
    ],
)
def test_senses_match_nltk_in_order(word, part):
    own = [e for synset in wordnet().synsets(word, part) for e in synset.lemmas() if e.name().lower() == word]
    assert [(sense.synset, sense.mentions) for sense in senses(word, part)] == [
        (entry.synset().offset(), entry.count()) for entry in own
    ]


def test_words_of_synset_are_those_with_a_count():
    synset = wordnet().synset("begin.v.01")
    expected = {entry.name().lower() for entry in synset.lemmas() if entry.count()}
    assert set(words_of("v", synset.offset())) == expected >= {"begin", "start"}


def test_unknown_words_have_no_senses():
    assert senses("the", "n") == ()
    assert senses("quickly", "v") == ()
    assert senses("dog", "n") != senses("dogs", "n") == ()
    assert words_of("n", 1) == ()


def test_satellite_adjectives_have_counts():
    """NLTK finds no count where the key of a satellite's head has a number or a marker."""
    assert senses("scared", "a")[0].mentions > 0
