"""Framings: each adds a few words to a sentence without changing its meaning.

There are many framings, so that none is in many paraphrases: a frequent phrase would give paraphrases away
(`training.autos.shortcuts` checks this). None claims a link that the story may lack ("as expected", "actually", "this
time"), and there is no time expression at the end of a sentence, where it may belong to another word.
"""

from collections.abc import Container
from math import log
from typing import NamedTuple

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.paraphrasers.frames import (
    Frame,
    add_feeling,
    add_for_oneself,
    can_end_up,
    can_last,
    insert_adverb,
    insert_before_verb,
    is_achieved,
    is_action,
    is_gradable,
    is_intended,
    prepend_words,
    replace_was,
)
from openmeva.training.text.sentence import Sentence


class Framing(NamedTuple):
    """A way to frame a sentence.

    Attributes:
        phrase: the added words, which identify the framing.
        weight: sampling weight, above 0; chosen so that no framing is in many paraphrases.
        frame: inserts it into a sentence.
    """

    phrase: str
    weight: float
    frame: Frame


def add_framing(
    sentence: Sentence, rng: BufferedRandom, taken: Container[str] = ()
) -> tuple[str, str, str] | None:
    """The framed sentence, the place of the framing, and its phrase; None where no framing fits.

    Args:
        sentence: the only sentence of its text.
        rng: random generator; samples a framing by the weights of those that fit.
        taken: places that are not available.
    """
    free = [
        (candidate, index)
        for index, framings in FRAMINGS.items()
        if index not in taken
        for candidate in framings
    ]
    # exponential waiting times: the first one that fits is a weighted sample among all that fit
    waits = [-log(1.0 - rng.uniform()) / candidate.weight for candidate, _ in free]
    for at in sorted(range(len(free)), key=waits.__getitem__):
        framing, index = free[at]
        text = framing.frame(sentence)
        if text is not None:
            return text, index, framing.phrase
    return None


FRAMINGS: dict[str, tuple[Framing, ...]] = {
    "verb": (
        Framing("ended up", 0.7, insert_before_verb("ended up", "VBG", can_end_up)),
        Framing("wound up", 1.4, insert_before_verb("wound up", "VBG", can_end_up)),
        Framing("managed to", 2.1, insert_before_verb("managed to", "VB", is_achieved, person=True)),
        Framing("went and", 1.5, insert_before_verb("went and", "VBD", is_intended, person=True)),
        Framing("went ahead and", 1.5, insert_before_verb("went ahead and", "VBD", is_intended, person=True)),
        Framing("proceeded to", 1.3, insert_before_verb("proceeded to", "VB", is_intended, person=True)),
        Framing("went on to", 1.0, insert_before_verb("went on to", "VB", is_intended, person=True)),
        Framing("chose to", 1.4, insert_before_verb("chose to", "VB", is_intended, person=True)),
        Framing("was ...ing", 2.1, insert_before_verb("was", "VBG", can_last)),
        Framing("was feeling", 2.1, add_feeling),
        Framing("turned out to be", 1.1, replace_was("turned out to be")),
    ),
    "middle": (
        Framing("then", 2.1, insert_adverb("then", is_action)),
        Framing("soon", 2.1, insert_adverb("soon", is_action)),
        Framing("eventually", 2.1, insert_adverb("eventually", is_action)),
        Framing("promptly", 2.1, insert_adverb("promptly", is_action)),
        Framing("really", 2.1, insert_adverb("really", is_gradable)),
    ),
    "end": (Framing("for oneself", 2.1, add_for_oneself),),
    "start": (
        Framing("Then", 2.1, prepend_words("then")),
        Framing("So", 2.1, prepend_words("so")),
        Framing("And then", 1.0, prepend_words("and then")),
        Framing("Eventually", 2.1, prepend_words("eventually ,")),
        Framing("After that", 1.5, prepend_words("after that ,")),
        Framing("Soon after", 1.2, prepend_words("soon after ,")),
        Framing("Shortly after", 1.0, prepend_words("shortly after ,")),
        Framing("Before long", 1.2, prepend_words("before long ,")),
        Framing("A little later", 0.5, prepend_words("a little later ,")),
        Framing("Later on", 0.8, prepend_words("later on ,")),
        Framing("Next", 2.1, prepend_words("next ,")),
        Framing("Not long after", 0.7, prepend_words("not long after ,")),
        Framing("Some time later", 0.5, prepend_words("some time later ,")),
    ),
}
