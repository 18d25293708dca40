"""Frames add a few words to a plain statement, and do not change other sentences."""

import pytest

from openmeva.training.perturbations.paraphrasers.frames import (
    Frame,
    add_feeling,
    add_for_oneself,
    can_end_up,
    insert_adverb,
    insert_before_verb,
    is_action,
    is_intended,
    prepend_words,
    replace_was,
)
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story


def first_sentence(text: str) -> Sentence:
    return Story(text).sentences[0]


@pytest.mark.parametrize(
    ("frame", "before", "after"),
    [
        (insert_before_verb("ended up", "VBG", can_end_up), "He bought a car.", "He ended up buying a car."),
        (insert_before_verb("ended up", "VBG", can_end_up), "He was sad.", None),
        (insert_before_verb("went on to", "VB", is_intended, person=True), "the dog ate it .", None),
        (
            insert_before_verb("chose to", "VB", is_intended, person=True),
            "He hid the car.",
            "He chose to hide the car.",
        ),
        (
            insert_before_verb("chose to", "VB", is_intended, person=True),
            "He hurt his head.",
            None,
        ),  # an accident
        (insert_before_verb("was", "VBG", can_end_up), "they sang a song .", "they were singing a song ."),
        (replace_was("turned out to be"), "It was a gift.", "It turned out to be a gift."),
        (add_feeling, "She was very tired.", "She was feeling very tired."),
        (insert_adverb("then", is_action), "She sold the car.", "She then sold the car."),
        (insert_adverb("then", is_action), "She sold the car that day.", None),  # it has a time expression
        (insert_adverb("then", is_action), "It turned out to be a gift.", None),  # a state
        (prepend_words("that day ,"), "It turned out to be a gift.", None),
        (add_for_oneself, "She baked a cake.", "She baked a cake for herself."),
        (add_for_oneself, "She made the team.", None),
        (prepend_words("after that ,"), "She baked a cake.", "After that, she baked a cake."),
        (prepend_words("of course ,"), "She baked a cake of course.", None),
        (prepend_words("after that ,"), "she baked a cake .", "after that , she baked a cake ."),
    ],
)
def test_frames(frame: Frame, before: str, after: str | None) -> None:
    assert frame(first_sentence(before)) == after
