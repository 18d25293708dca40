"""Substitution at both levels."""

from collections import Counter
from dataclasses import replace

import pytest

from openmeva.training.negatives import EditedStory, KeywordTable
from openmeva.training.negatives.heuristics import substitute_antonyms
from openmeva.training.negatives.substitution import (
    replacement_of,
    substitute_keywords,
    substitute_sentence,
)
from tests.tiny_language import TinyLanguage


def test_keyword_by_an_antonym_golden(story, draws, material, text):
    edited = substitute_keywords(
        EditedStory.start(story("she/PRP left/VBD .", "[MALE]/NNP denied/VBD it/PRP .")), draws(0), material
    )
    assert text(edited) == ["she left .", "[MALE] confirmed it ."]
    assert edited.origins == [[0, 1, 2], [3, 4, 5, 6]]
    assert edited.operations[1] == ["", "lexical_substitution", "", ""]
    assert edited.tags[1] == ["NNP", "VBD", "PRP", "."]
    assert [tuple(edit) for edit in edited.edits()] == [("substitution", "lexical", 4, 5)]


def test_keyword_without_antonym_by_one_of_the_same_tag(story, draws, material):
    cats = EditedStory.start(story("she/PRP left/VBD .", "the/DT cats/NNS ./."))
    found = {substitute_keywords(cats, draws(seed), material).words[1][1] for seed in range(50)}
    assert found == {"miles", "roses"}  # all plurals of the corpus, not "cats" itself


def test_an_antonym_is_another_word(draws, material):
    """ConceptNet lists some words as their own opposites."""

    class Language(TinyLanguage):
        def antonyms(self, word, tag):
            return (word, "evil")

    own = replace(material, language=Language())
    assert {replacement_of("good", "JJ", draws(seed), own) for seed in range(20)} == {"evil"}


def test_share_of_the_keywords(ken, draws, material):
    # weather good cool felt hot walk home went several miles: 10 keywords, 15 % of them are 2 (1.5 rounded)
    def replaced(share):
        edited = substitute_keywords(ken, draws(1), replace(material, keyword_share=share))
        return sum(name == "lexical_substitution" for names in edited.operations for name in names)

    assert replaced(0.15) == 2
    assert replaced(0.01) == 1
    # "went" and "felt" replace each other, "walk" has no other verb of its form, "cool" no antonym
    assert replaced(1.0) == 9


def test_a_share_of_the_keywords_becomes_antonyms(story, draws, language):
    """15 % of ten are one and a half, which is rounded to two."""
    found = substitute_antonyms(story("the/DT " + "good/JJ " * 10 + "."), language, draws(0))
    assert found is not None
    assert found[0].count("good") == 8


def test_no_keyword_to_replace(story, draws, material):
    assert (
        substitute_keywords(EditedStory.start(story("she/PRP left/VBD .", "oh/UH !")), draws(0), material)
        is None
    )


def test_sentence_golden(ken, draws, material, text):
    edited = substitute_sentence(ken, draws(4), material)
    assert text(edited) == [
        "[MALE] was out jogging one morning .",
        "the weather was good and cool .",
        "the roses bloomed .",
        "he did n't walk home .",
        "he went several miles .",
    ]
    assert edited.origins[2] == [-1] * 4
    assert [tuple(edit) for edit in edited.edits()] == [("substitution", "sentence", 14, 18)]


@pytest.mark.parametrize("index", [0, 1, 2])
def test_sentence_never_from_the_same_story(corpus, draws, material, index):
    own = corpus[index].words
    others = {tuple(words) for at, story in enumerate(corpus) if at != index for words in story.words}
    found = set()
    for seed in range(300):
        edited = substitute_sentence(EditedStory.start(corpus[index], index), draws(seed), material)
        new = [tuple(words) for words in edited.words if words not in own]
        assert len(new) == 1
        found.update(new)
    assert found == others


def test_no_sentence_in_a_corpus_of_copies(corpus, draws, material, language):
    copies = replace(material, stories=[corpus[0]] * 3)
    assert substitute_sentence(EditedStory.start(corpus[0], 0), draws(0), copies) is None
    alone = replace(material, stories=[corpus[0]])
    assert substitute_sentence(EditedStory.start(corpus[0], 0), draws(0), alone) is None


def test_keywords_are_drawn_by_mentions(draws):
    table = KeywordTable({"NN": {"dog": 60, "cat": 30, "bird": 10, "cow": 900}, "JJ": {"red": 5}})
    stream = draws(0)
    drawn = Counter(table.sample("NN", "cow", stream) for _ in range(4000))
    assert set(drawn) == {"dog", "cat", "bird"}
    for word, share in {"dog": 0.6, "cat": 0.3, "bird": 0.1}.items():
        assert drawn[word] / 4000 == pytest.approx(share, abs=0.03)
    assert table.sample("JJ", "red", stream) is None
    assert table.sample("VB", "go", stream) is None
    assert table.sample("JJ", "blue", stream) == "red"


def test_table_counts_mentions(corpus, language, draws):
    table = KeywordTable.count(corpus, language)
    # the only past tenses of the corpus that are keywords, "felt" and "went" among them
    assert {table.sample("VBD", "felt", draws(seed)) for seed in range(300)} == {
        "went", "liked", "denied", "laughed", "found", "hoped", "came", "carried", "bloomed",
    }  # fmt: skip
    assert table.sample("NNP", "x", draws(0)) is None, "names are no keywords"
