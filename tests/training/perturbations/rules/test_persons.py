"""Which persons can take another's place in a story so that it is confused."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.rules.persons import confuses


@pytest.mark.parametrize(
    ("text", "word", "column", "new", "persons", "expected"),
    [
        ("He left.", "he", "subject", "she", {"he"}, True),
        ("He left.", "he", "subject", "she", {"he", "she"}, False),  # she may have left, too
        ("His sister called. He left.", "he", "subject", "she", {"he"}, False),
        ("She called him.", "him", "object", "she", {"he", "she"}, True),  # she cannot be both
        ("He smiled.", "he", "subject", "i", {"he"}, False),  # a narrator may be there
        ("They played.", "they", "subject", "we", {"they"}, False),
        ("He had no food.", "he", "subject", "it", {"he"}, False),  # of a house, too
        ("He decided to go.", "he", "subject", "it", {"he"}, True),
        ("His dog barked. He left.", "he", "subject", "it", {"he"}, False),  # it may be the dog
        ("She said he won.", "he", "subject", "you", {"he", "she"}, False),  # whom she speaks to
        ("The way he wanted.", "he", "subject", "you", {"he"}, False),  # anybody
        ("I left.", "i", "subject", "you", {"i"}, False),
        ("I left my mom.", "i", "subject", "you", {"i"}, True),
        ("He lost his hat.", "his", "possessive", "you", {"he"}, False),
    ],
)
def test_another_person_confuses_the_story(
    text: str, word: str, column: str, new: str, persons: set[str | None], expected: bool
) -> None:
    sentence = Story(text).sentences[-1]
    at = len(sentence) - 1 - sentence.lowered[::-1].index(word)
    assert confuses(sentence, at, column, new, persons) == expected
