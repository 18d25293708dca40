"""Changes that preserve a story's quality."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.aspects.punctuation import deletable_marks
from openmeva.training.perturbations.aspects.typo import is_word


@pytest.mark.parametrize(
    ("text", "deletions"),
    [
        ("On Monday, Tom left.", 1),
        ("When she returned, he slept.", 1),
        ("When she returned, the dress was gone.", 0),  # "returned the dress"
        ("Once inside, the dog slept.", 0),
        ("After dinner, guests left.", 0),
        ("Finally, the train came.", 1),
        ("Finally, the train came, long and red.", 0),  # a list
        ('Finally, the man said "No!" twice.', 0),
        ("Tom left!!", 1),
        ("Not now, Tom.", 0),
        ("Here, boy!", 0),
        ("After he left Tom, Mary cried.", 0),
        ("He ate fish, and chips were cold.", 0),
        ("After dinner, Tom went home.", 1),
        ("That summer, Lena worked.", 1),
        ("She likes cats, but dogs are fine.", 1),
    ],
)
def test_number_of_deletable_marks(text: str, deletions: int) -> None:
    assert len(deletable_marks(Story(text).sentences[0])) == deletions


@pytest.mark.parametrize(("slip", "expected"), [("clam", True), ("Eric", True), ("vilage", False)])
def test_is_word_recognises_words_and_names(slip: str, expected: bool) -> None:
    assert is_word(slip) is expected
