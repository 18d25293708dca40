"""Substitution at both levels."""

from collections import Counter
from dataclasses import replace

import pytest

from openmeva.training.negatives import EditedStory
from openmeva.training.negatives.heuristics import substitute_antonyms
from openmeva.training.negatives.substitution import (
    replace_keyword,
    replacement_of,
    substitute_keywords,
    substitute_sentence,
)
from openmeva.training.text.keywords import KeywordTable
from tests.tiny.language import TinyLanguage, tagged


def test_keyword_golden(story, make_rng, material, text):
    edited = substitute_keywords(
        EditedStory.start(story("she/PRP left/VBD .", "[MALE]/NNP denied/VBD it/PRP .")),
        make_rng(0),
        material,
    )
    assert text(edited) == ["she left .", "[MALE] confirmed it ."]
    assert edited.origins == [[0, 1, 2], [3, 4, 5, 6]]
    assert edited.operations[1] == ["", "lexical_substitution", "", ""]
    assert edited.tags[1] == ["NNP", "VBD", "PRP", "."]
    assert [tuple(edit) for edit in edited.edits()] == [("substitution", "lexical", 4, 5)]


def test_keyword_without_antonym_is_replaced_by_one_of_the_same_tag(story, make_rng, material):
    cats = EditedStory.start(story("she/PRP left/VBD .", "the/DT cats/NNS ./."))
    replacements = {substitute_keywords(cats, make_rng(seed), material).words[1][1] for seed in range(50)}
    assert replacements == {"miles", "roses"}  # all plurals of the corpus, not "cats" itself


def test_article_agrees_with_a_substituted_keyword(story, make_rng, material, text):
    """Otherwise "a evil" would tell a negative from a human story."""

    class Language(TinyLanguage):
        def antonyms(self, word, tag):
            return ("evil",)

    good = EditedStory.start(story("she/PRP left/VBD .", "a/DT good/JJ one/PRP ."))
    edited = substitute_keywords(good, make_rng(0), replace(material, language=Language()))
    assert text(edited)[1] == "an evil one ."
    assert edited.operations[1] == ["lexical_substitution", "lexical_substitution", "", ""]
    assert edited.origins[1] == [3, 4, 5, 6]


def test_antonym_is_never_the_word_itself(make_rng, material):
    """ConceptNet lists some words as their own opposites."""

    class Language(TinyLanguage):
        def antonyms(self, word, tag):
            return (word, "evil")

    own = replace(material, language=Language())
    assert {replacement_of("good", "JJ", make_rng(seed), own) for seed in range(20)} == {"evil"}


def test_keyword_share_determines_number_of_substitutions(ken, make_rng, material):
    # weather good cool felt hot walk home went several miles: 10 keywords, 15 % of them are 2 (1.5 rounded)
    def replaced(share):
        edited = substitute_keywords(ken, make_rng(1), replace(material, keyword_share=share))
        return sum(name == "lexical_substitution" for names in edited.operations for name in names)

    assert replaced(0.15) == 2
    assert replaced(0.01) == 1
    # "went" and "felt" replace each other, "walk" has no other verb of its form, "cool" no antonym
    assert replaced(1.0) == 9


def test_substitute_antonyms_replaces_15_percent_of_keywords(story, make_rng, language):
    """15 % of ten are one and a half, which is rounded to two."""
    replacements = substitute_antonyms(story("the/DT " + "good/JJ " * 10 + "."), language, make_rng(0))
    assert replacements is not None
    assert replacements[0].count("good") == 8


def test_story_without_keywords_is_not_edited(story, make_rng, material):
    assert (
        substitute_keywords(EditedStory.start(story("she/PRP left/VBD .", "oh/UH !")), make_rng(0), material)
        is None
    )


def test_sentence_golden(ken, make_rng, material, text):
    edited = substitute_sentence(ken, make_rng(4), material)
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
def test_sentence_is_never_from_the_same_story(corpus, make_rng, material, index):
    own = corpus[index].words
    others = {tuple(words) for at, story in enumerate(corpus) if at != index for words in story.words}
    replacements = set()
    for seed in range(300):
        edited = substitute_sentence(EditedStory.start(corpus[index], index), make_rng(seed), material)
        new = [tuple(words) for words in edited.words if words not in own]
        assert len(new) == 1
        replacements.update(new)
    assert replacements == others


def test_no_sentence_is_taken_from_a_copy_of_the_story(corpus, make_rng, material, language):
    copies = replace(material, stories=[corpus[0]] * 3)
    assert substitute_sentence(EditedStory.start(corpus[0], 0), make_rng(0), copies) is None
    alone = replace(material, stories=[corpus[0]])
    assert substitute_sentence(EditedStory.start(corpus[0], 0), make_rng(0), alone) is None


def test_keywords_are_sampled_by_frequency(make_rng):
    table = KeywordTable({"NN": {"dog": 60, "cat": 30, "bird": 10, "cow": 900}, "JJ": {"red": 5}})
    rng = make_rng(0)
    counts = Counter(table.sample("NN", "cow", rng) for _ in range(4000))
    assert set(counts) == {"dog", "cat", "bird"}
    for word, share in {"dog": 0.6, "cat": 0.3, "bird": 0.1}.items():
        assert counts[word] / 4000 == pytest.approx(share, abs=0.03)
    assert table.sample("JJ", "red", rng) is None
    assert table.sample("VB", "go", rng) is None
    assert table.sample("JJ", "blue", rng) == "red"


def test_keyword_table_counts_occurrences(corpus, language, make_rng):
    table = KeywordTable.count(corpus, language)
    # the only past tenses of the corpus that are keywords, "felt" and "went" among them
    assert {table.sample("VBD", "felt", make_rng(seed)) for seed in range(300)} == {
        "went", "liked", "denied", "laughed", "found", "hoped", "came", "carried", "bloomed",
    }  # fmt: skip
    assert table.sample("NNP", "x", make_rng(0)) is None, "names are no keywords"


@pytest.mark.parametrize(
    ("words", "replacement", "expected", "touched"),
    [
        ("a/DT dog/NN ran/VBD .", "cat", "a cat ran .", [False, True, False, False]),
        ("a/DT dog/NN ran/VBD .", "owl", "an owl ran .", [True, True, False, False]),
        ("an/DT owl/NN ran/VBD .", "dog", "a dog ran .", [True, True, False, False]),
        ("the/DT dog/NN ran/VBD .", "owl", "the owl ran .", [False, True, False, False]),
    ],
)
def test_article_is_touched_only_if_it_changes(words, replacement, expected, touched):
    sentence = EditedStory.start(tagged(words)).sentences[0]
    edited = sentence.apply_rewrite(replace_keyword(sentence, 1, replacement), "lexical_substitution")
    assert " ".join(edited.words) == expected
    assert list(map(bool, edited.operations)) == touched
    assert list(edited.origins) == [0, 1, 2, 3]


def test_edited_article_is_not_changed_with_its_noun() -> None:
    sentence = EditedStory.start(tagged("a/DT dog/NN ran/VBD .")).sentences[0]
    edited = sentence._replace(operations=["lexical_repetition", "", "", ""])
    rewrite = replace_keyword(edited, 1, "owl")
    assert (rewrite.start, rewrite.end) == (1, 2)
