"""Frames add a few words to a plain statement, and do not change other sentences."""

import pytest

from openmeva.training.perturbations.paraphrasers.frames import (
    Frame,
    at_end,
    at_start,
    at_verb,
    being,
    can_end_up,
    feeling,
    for_oneself,
    in_middle,
    is_action,
    is_intended,
    what,
    who,
)
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story


def first(text: str) -> Sentence:
    return Story(text).sentences[0]


@pytest.mark.parametrize(
    ("frame", "before", "after"),
    [
        (at_verb("ended up", "VBG", can_end_up), "He bought a car.", "He ended up buying a car."),
        (at_verb("ended up", "VBG", can_end_up), "He was sad.", None),
        (at_verb("went on to", "VB", is_intended, person=True), "the dog ate it .", None),
        (at_verb("chose to", "VB", is_intended, person=True), "He hid the car.", "He chose to hide the car."),
        (at_verb("chose to", "VB", is_intended, person=True), "He hurt his head.", None),  # an accident
        (at_verb("was", "VBG", can_end_up), "they sang a song .", "they were singing a song ."),
        (being("turned out to be"), "It was a gift.", "It turned out to be a gift."),
        (feeling, "She was very tired.", "She was feeling very tired."),
        (in_middle("then", is_action), "She sold the car.", "She then sold the car."),
        (in_middle("then", is_action), "She sold the car that day.", None),  # it has a time expression
        (at_end("that day"), "he sold it .", "he sold it that day ."),
        (at_end("that day"), "He did not sell it.", None),
        (for_oneself, "She baked a cake.", "She baked a cake for herself."),
        (for_oneself, "She made the team.", None),
        (at_start("after that ,"), "She baked a cake.", "After that, she baked a cake."),
        (at_start("after that ,"), "she baked a cake .", "after that , she baked a cake ."),
        (who, "Nora baked a cake.", "It was Nora who baked a cake."),
        (what, "She baked a cake.", "What she baked was a cake."),
        (what, "She trusted a doctor.", None),  # a person is not a "what"
        (what, "Is it a cake?", None),
    ],
)
def test_frames(frame: Frame, before: str, after: str | None) -> None:
    assert frame(first(before)) == after
