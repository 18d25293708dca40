"""The complement of a verb, and which verbs and nouns fit in a place."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.rules.nominals import noun_fits
from openmeva.training.perturbations.rules.set_phrases import follows_measure, in_set_phrase, is_adverbial
from openmeva.training.perturbations.rules.valency import complement, verb_fits


@pytest.mark.parametrize(
    ("text", "verb", "kind"),
    [
        ("He slept.", "slept", "alone"),
        ("He painted the kitchen.", "painted", "object"),
        ("He cut the gas off.", "cut", ""),
        ("She yelled at the boy.", "yelled", ""),
        ("She bought him a car.", "bought", "two objects"),
        ("She bought a car that day.", "bought", "object"),
        ("He noticed the dog was gone.", "noticed", "clause"),
        ("She enjoyed herself.", "enjoyed", ""),
        ("They planned to leave.", "planned", "infinitive"),
        ("They walked to the park.", "walked", "to"),
        ("They waited in the park.", "waited", "in"),
        ("The man she met was tall.", "met", "gap"),
        ("She was asked to leave.", "asked", ""),
    ],
)
def test_complement(text: str, verb: str, kind: str) -> None:
    sentence = Story(text).sentences[0]
    assert complement(sentence, sentence.words.index(verb)) == kind


def test_verbs_fit_by_complement() -> None:
    sentence = Story("He knew she was late.").sentences[0]
    assert verb_fits(sentence, 1, "hope")
    assert not verb_fits(sentence, 1, "ignore")
    assert not verb_fits(sentence, 1, "call")


def test_nouns_fit_by_article() -> None:
    sentence = Story("She drank milk in a kitchen.").sentences[0]
    assert noun_fits(sentence, 2, "water")
    assert not noun_fits(sentence, 2, "bottle")
    assert noun_fits(sentence, 5, "bottle")
    assert not noun_fits(sentence, 5, "furniture")


@pytest.mark.parametrize(
    ("text", "word", "inside"),
    [
        ("As a result he won.", "result", True),
        ("The result was clear.", "result", False),
        ("The wedding took place here.", "place", True),
        ("She liked the hot dog.", "dog", True),
    ],
)
def test_in_set_phrase(text: str, word: str, inside: bool) -> None:
    sentence = Story(text).sentences[0]
    assert in_set_phrase(sentence, sentence.words.index(word)) is inside


@pytest.mark.parametrize(
    ("text", "word", "free"),
    [
        ("The next day he left.", "day", True),
        ("Two hours later he left.", "hours", True),
        ("He left in the morning.", "morning", False),
        ("He went home.", "home", True),
        ("He sold his home.", "home", False),
    ],
)
def test_is_adverbial(text: str, word: str, free: bool) -> None:
    sentence = Story(text).sentences[0]
    assert is_adverbial(sentence, sentence.words.index(word)) is free


def test_follows_measure() -> None:
    sentence = Story("She was two years old").sentences[0]
    assert follows_measure(sentence, 4)
    assert not follows_measure(Story("Old books last for years").sentences[0], 0), (
        "the last word is not before it"
    )
