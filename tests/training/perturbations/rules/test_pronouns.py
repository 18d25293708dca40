"""The column of the table of pronouns for a word in context."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.rules.pronouns import column_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It made her happy.", "object"),
        ("Colleen learned her lesson.", "possessive"),  # which taggers tag as an object
        ("They found her asleep.", "object"),
        ("They found her desperate coworkers.", None),  # a noun that WordNet lacks
        ("They let her go.", "object"),
        ("We like her.", "object"),
        ("Her old car broke.", "possessive"),
        ("He kissed her cheek.", "possessive"),
        ("She lost her keys.", "possessive"),
        ("He took her home.", None),  # ambiguous
        ("He gave her flowers.", None),
    ],
)
def test_her_is_classified_as_object_or_possessive(text: str, expected: str | None) -> None:
    (sentence,) = Story(text).sentences
    assert column_of(sentence, sentence.lowered.index("her")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Did you see it?", [None, "object"]),
        ("Didn't you like it?", [None, "object"]),
        ("How many dogs do you have?", [None]),
        ("What's it like?", [None]),
        ("So did you.", [None]),
        ("He did it and she had it.", ["object", "object"]),
        ("She will have you.", ["object"]),
        ("He came and did it.", ["object"]),
    ],
)
def test_pronoun_after_an_auxiliary_may_be_its_subject(text: str, expected: list[str | None]) -> None:
    (sentence,) = Story(text).sentences
    positions = [at for at, word in enumerate(sentence.lowered) if word in {"you", "it"}]
    assert [column_of(sentence, at) for at in positions] == expected
