"""Antonyms, synonyms and keywords on WordNet only, and with a small ConceptNet for tests."""

import nltk
import pytest

from openmeva.training.text.knowledge import conceptnet_files, lexicon, resources
from openmeva.training.text.knowledge.conceptnet_english import ConceptNetEnglish
from openmeva.training.text.knowledge.lexicon import antonyms, is_keyword, synonyms
from tests.facts import clear_fact_caches


@pytest.fixture
def with_conceptnet(wordnet_alone):
    assertions = [
        ("Antonym", "went", "stayed"),
        ("Antonym", "go", "arrive"),
        ("Antonym", "go", "take off"),
        ("Antonym", "go", "her"),
        ("Antonym", "go", "dog"),
        ("NotDesires", "dog", "fleas"),
        ("NotCapableOf", "dog", "cats"),
        ("NotHasProperty", "dog", "invisible"),
        ("Causes", "dog", "noise"),
        ("Antonym", "mackled", "unmackled"),
        ("IsA", "zorgle", "thing"),
        ("Antonym", "nobody", "somebody"),
        ("Antonym", "dog", "everybody"),
        ("Antonym", "always", "never"),
        ("Antonym", "decide", "indecisive"),
        ("Antonym", "strong", "weak"),
        ("Antonym", "booklet", "sluts"),
        ("Antonym", "booklet", "magazine"),
    ]
    conceptnet_files.store(assertions, wordnet_alone)


@pytest.mark.usefixtures("wordnet_alone")
@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("happy", "JJ", ("unhappy",)),
        ("loved", "VBD", ("hated",)),
        ("Opened", "VBD", ("Closed",)),
        ("quickly", "RB", ("slowly",)),
        ("taller", "JJR", ("shorter",)),
        ("men", "NNS", ("women",)),
        ("agreed", "VBD", ("disagreed",)),
        ("goes", "VBZ", ("comes",)),
        ("buying", "VBG", ("selling",)),
        ("table", "NN", ()),
        ("the", "DT", ()),
        ("[MALE]", "NNP", ()),
        ("Love", "NNP", ()),
    ],
)
def test_wordnet_antonyms(word, tag, expected):
    assert antonyms(word, tag) == expected


@pytest.mark.usefixtures("with_conceptnet")
def test_conceptnet_antonyms():
    # By form ("went") and by lemma ("go"), as past tenses; no phrases, and no words that are never
    # or rarely verbs.
    # WordNet adds "come", its only antonym.
    assert antonyms("went", "VBD") == ("arrived", "came", "stayed")
    # Lists of one word differ in number and part of speech: only nouns are kept, inflected to the tag.
    assert antonyms("dogs", "NNS") == ("cats", "fleas")
    assert antonyms("dog", "NN") == ("cat", "flea")


@pytest.mark.usefixtures("wordnet_alone")
@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("quickly", "RB", "rapidly"),
        ("bigger", "JJR", "larger"),
        ("bought", "VBD", "purchased"),
        ("Results", "NNS", "Consequences"),
    ],
)
def test_synonyms(word, tag, expected):
    assert expected in synonyms(word, tag)


def test_mention_counts_match_nltk():
    by_part = lexicon._semcor_mentions()
    assert by_part["dog"]["n"] == sum(e.count() for e in lexicon.wordnet().lemmas("dog", "n"))
    assert by_part["dog"]["n"] > by_part["dog"]["v"] > 0


@pytest.mark.usefixtures("wordnet_alone")
def test_rare_senses_give_no_synonyms():
    assert not {"frump", "cad", "blackguard"} & set(synonyms("dog", "NN"))
    assert "locomoted" not in synonyms("went", "VBD")
    assert synonyms("the", "DT") == ()


@pytest.mark.usefixtures("with_conceptnet")
def test_results_are_sorted_single_words_without_the_word_itself():
    words = [
        ("went", "VBD"),
        ("good", "JJ"),
        ("better", "JJR"),
        ("dogs", "NNS"),
        ("careful", "JJS"),
        ("make", "VB"),
    ]
    for word, tag in words:
        for results in (antonyms(word, tag), synonyms(word, tag)):
            assert list(results) == sorted(set(results))
            assert all(result.isalpha() and result != word for result in results)


@pytest.mark.usefixtures("with_conceptnet")
@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("dog", "NN", True),
        ("went", "VBD", True),
        ("nobody", "NN", True),
        ("never", "RB", True),
        ("mackled", "JJ", True),  # only ConceptNet has it
        ("glorped", "VBD", False),
        ("zorgle", "NN", False),  # no negated relation has it
        ("was", "VBD", False),
        ("did", "VBD", False),
        ("has", "VBZ", False),
        ("could", "MD", False),
        ("not", "RB", False),
        ("very", "RB", False),
        ("the", "DT", False),
        ("[FEMALE]", "NNP", False),
        ("Boston", "NNP", False),
        (".", ".", False),
        ("1990", "NN", False),
    ],
)
def test_keywords(word, tag, expected):
    assert is_keyword(word, tag) is expected


@pytest.mark.usefixtures("wordnet_alone")
def test_missing_wordnet_error_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "nltk_data_folder", lambda: tmp_path / "nltk_data")
    monkeypatch.setattr(nltk.data, "path", [])
    clear_fact_caches(wordnet=True)
    for call in (antonyms, synonyms, is_keyword):
        with pytest.raises(resources.MissingResourceError, match="make resources"):
            call("dog", "NN")


@pytest.mark.usefixtures("with_conceptnet")
def test_conceptnet_keywords_and_antonyms_as_in_unions_paper():
    english = ConceptNetEnglish()
    assert english.antonyms("went", "VBD") == ("arrived", "dogged", "stayed"), "by word and lemma, inflected"
    assert english.antonyms("dogs", "NNS") == ("cats", "fleas", "invisible")
    assert english.antonyms("happy", "JJ") == (), "WordNet is not used"
    assert all(english.is_keyword(*word) for word in (("zorgle", "NN"), ("noise", "NN"), ("dogs", "NNS")))
    assert not any(english.is_keyword(*word) for word in (("her", "PRP$"), ("table", "NN"), ("off", "RP")))


@pytest.mark.usefixtures("with_conceptnet")
def test_negation_words_are_conceptnet_keywords_as_in_unions_appendix_a():
    english = ConceptNetEnglish()
    assert english.antonyms("nobody", "NN") == ("somebody",), "a stop word, too"
    assert english.is_keyword("nobody", "NN")
    assert english.is_keyword("never", "RB")
    assert not english.is_keyword("always", "RB")


@pytest.mark.usefixtures("with_conceptnet")
def test_antonyms_of_conceptnet_are_words_and_not_coarse():
    english = ConceptNetEnglish()
    assert english.antonyms("decided", "VBD") == ("indecisive",), "not indecisived"
    assert english.antonyms("stronger", "JJR") == ("weaker",)
    assert english.antonyms("booklet", "NN") == antonyms("booklet", "NN") == ("magazine",)
