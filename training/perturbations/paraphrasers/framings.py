"""Framings: each adds a few words to a sentence without changing its meaning.

A frequent phrase would give paraphrases away: built sets limit each (`training.autos.phrase_limits`), and
`training.autos.shortcuts` checks them. None claims a link that the story may lack ("as expected", "actually", "this
time", "eventually", "promptly"), or an outcome that was not meant ("ended up buying").
"""

from collections.abc import Container
from math import log
from typing import NamedTuple

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.paraphrasers.frames import (
    Frame,
    add_feeling,
    can_last,
    insert_adverb,
    insert_before_verb,
    is_achieved,
    is_action,
    is_deed,
    prepend_words,
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


AFTER_EVENT = frozenset({"middle", "start"})
"""Places of "then", which needs an event before it."""

FRAMINGS: dict[str, tuple[Framing, ...]] = {
    "verb": (
        Framing("managed to", 2.1, insert_before_verb("managed to", "VB", is_achieved, person=True)),
        Framing("went ahead and", 1.5, insert_before_verb("went ahead and", "VBD", is_deed, person=True)),
        Framing("proceeded to", 1.3, insert_before_verb("proceeded to", "VB", is_deed, person=True)),
        Framing("was ...ing", 2.1, insert_before_verb("was", "VBG", can_last)),
        Framing("was feeling", 2.1, add_feeling),
    ),
    "middle": (Framing("then", 2.1, insert_adverb("then", is_action)),),
    "start": (
        Framing("Then", 2.1, prepend_words("then")),
        Framing("And then", 1.0, prepend_words("and then")),
    ),
}
