"""Synonyms that fit their sentence."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.rules.synonyms import fitting_synonyms


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("He fed a big dog.", "big", ["large"]),
        ("He won a big match.", "big", []),  # an important one
        ("He is my biggest fan.", "biggest", []),
        ("She saw her doctor.", "doctor", ["physician"]),
        ("She went to the doctor.", "doctor", []),  # a set phrase
        ("He fixed his phone.", "phone", []),  # not "telephone", of a mobile one
        ("He made a mistake.", "mistake", ["error"]),
        ("He left it by mistake.", "mistake", []),
        ("He had a chance to win.", "chance", ["opportunity"]),
        ("There was a chance of rain.", "chance", []),
        ("He quickly forgot it.", "quickly", []),
    ],
)
def test_synonyms_fit_their_sentence(text: str, word: str, expected: list[str]) -> None:
    (sentence,) = Story(text).sentences
    assert fitting_synonyms(sentence, sentence.lowered.index(word)) == expected
