"""Which column of the table of pronouns a word stands in."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.rules.pronouns import column_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It made her happy.", "object"),
        ("Colleen learned her lesson.", "possessive"),  # which taggers take for an object
        ("They found her asleep.", "object"),
        ("They let her go.", "object"),
        ("We like her.", "object"),
        ("Her old car broke.", "possessive"),
        ("He kissed her cheek.", "possessive"),
        ("She lost her keys.", "possessive"),
        ("He took her home.", None),  # may be either
        ("He gave her flowers.", None),
    ],
)
def test_her_is_an_object_or_a_possessive(text: str, expected: str | None) -> None:
    (sentence,) = Story(text).sentences
    assert column_of(sentence, sentence.lowered.index("her")) == expected
