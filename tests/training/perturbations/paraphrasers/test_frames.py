"""Frames add a few words to a plain statement, and do not change other sentences."""

import pytest

from openmeva.training.perturbations.paraphrasers.frames import (
    Frame,
    add_feeling,
    can_last,
    insert_adverb,
    insert_before_verb,
    is_action,
    is_deed,
    prepend_words,
)
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story


def first_sentence(text: str) -> Sentence:
    return Story(text).sentences[0]


@pytest.mark.parametrize(
    ("frame", "before", "after"),
    [
        (insert_before_verb("proceeded to", "VB", is_deed, person=True), "the dog ate it .", None),
        (insert_before_verb("proceeded to", "VB", is_deed, person=True), "He hid it and left.", None),
        (insert_before_verb("proceeded to", "VB", is_deed, person=True), "He hid it each day.", None),
        (
            insert_before_verb("chose to", "VB", is_deed, person=True),
            "He hid the car.",
            "He chose to hide the car.",
        ),
        (
            insert_before_verb("chose to", "VB", is_deed, person=True),
            "He hurt his head.",
            None,
        ),  # an accident
        (insert_before_verb("was", "VBG", can_last), "they sang a song .", "they were singing a song ."),
        (add_feeling, "She was very tired.", "She was feeling very tired."),
        (insert_adverb("then", is_action), "She sold the car.", "She then sold the car."),
        (insert_adverb("then", is_action), "She sold the car that day.", None),  # it has a time expression
        (insert_adverb("then", is_action), "It turned out to be a gift.", None),  # a state
        (prepend_words("that day ,"), "It turned out to be a gift.", None),
        (insert_before_verb("was", "VBG", can_last), "They drove home.", None),  # it has an end
        (prepend_words("after that ,"), "She baked a cake.", "After that, she baked a cake."),
        (prepend_words("of course ,"), "She baked a cake of course.", None),
        (prepend_words("after that ,"), "she baked a cake .", "after that , she baked a cake ."),
    ],
)
def test_frames(frame: Frame, before: str, after: str | None) -> None:
    assert frame(first_sentence(before)) == after
