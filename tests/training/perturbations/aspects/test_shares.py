"""The share of a story that an aspect changes."""

import pytest

from openmeva.training.perturbations import PerturbationMaterial, Perturber, Story

PLAIN = PerturbationMaterial(keep=0)


def test_typos_are_under_two_percent_of_words_but_at_least_one() -> None:
    sentence = "Nora carried seven heavy boxes slowly upstairs after dinner yesterday. "
    perturber = Perturber("typo", 1, ["swap"], PLAIN)
    for tens, words in ((1, 1), (5, 1), (10, 1), (11, 2), (15, 2), (16, 3)):
        result = perturber.perturb(sentence * tens, "1")
        assert result is not None
        assert len(result.spans) == words


def test_one_fifth_of_sentences_is_negated() -> None:
    sentences = "They can't swim, so they stay in the boat. " * 5
    perturber = Perturber("consistency", 1, ["negation_alteration"], PLAIN)
    for times in (1, 2, 3):
        result = perturber.perturb(sentences * times, "1")
        assert result is not None
        pairs = zip(Story(sentences * times).sentences, Story(result.story).sentences, strict=True)
        assert sum(old.text != new.text for old, new in pairs) == times


def test_one_fifth_of_sentences_includes_the_context_in_the_count() -> None:
    sentences = "They can't swim, so they stay in the boat. " * 8  # a fifth of 8 is 1.6, of 7 it is 1.4
    result = Perturber("consistency", 1, ["negation_alteration"], PerturbationMaterial(keep=1)).perturb(
        sentences, "1"
    )
    assert result is not None
    pairs = zip(Story(sentences).sentences, Story(result.story).sentences, strict=True)
    assert [old.text != new.text for old, new in pairs].count(True) == 2


def test_one_quarter_of_nouns_and_verbs_is_replaced(material: PerturbationMaterial) -> None:
    sentence = "The boy opened the door. The farmer baked a cake. "  # six nouns and verbs in two sentences
    perturber = Perturber("relatedness", 1, ["word_substitution"], material)
    for times, words in ((1, 2), (2, 3), (4, 6)):
        result = perturber.perturb(sentence * times, "1")
        assert result is not None
        assert len(result.spans) == words


def test_pronoun_is_replaced_by_one_of_another_person_in_the_story() -> None:
    story = "Ann called him twice. You lost his map. He waited for you."
    perturber = Perturber("character_behavior", 1, ["pronoun_substitution"], PLAIN)
    results = {perturber.perturb(story, str(key)) for key in range(40)}
    new = {
        result.story[span.start : span.end].lower() for result in results if result for span in result.spans
    }
    assert new <= {"he", "you", "him", "his", "your"}
    assert len(new) >= 2
    alone = perturber.perturb("The actor slept. He woke up.", "1")
    assert alone is not None  # no other person in the story: any other pronoun
    asked = perturber.perturb("Did you see it?", "1")
    assert asked is not None
    assert asked.story != "Did you see you?"


@pytest.mark.parametrize(
    ("aspect", "technique", "sentence", "words"),
    [
        ("common_sense", "neighbor_substitution", "The boy read a book on the bench in the park. ", 5),
        ("consistency", "antonym_substitution", "The boy opened the heavy door of the old house. ", 6),
    ],
)
def test_one_tenth_of_words_is_replaced(aspect: str, technique: str, sentence: str, words: int) -> None:
    perturber = Perturber(aspect, 1, [technique], PLAIN)
    for times, changed in ((1, 1), (10, words)):  # a tenth of the words in ten sentences: those in one
        result = perturber.perturb(sentence * times, "1")
        assert result is not None
        assert len(result.spans) == changed
