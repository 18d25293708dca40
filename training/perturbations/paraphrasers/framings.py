"""Framings: each adds a few words to a sentence without changing its meaning.

There are many framings, so that none is in many paraphrases: a frequent phrase would give paraphrases away
(`training.autos.shortcuts` checks this).
"""

from collections.abc import Container
from math import log
from typing import NamedTuple

from openmeva.training.common.draws import Draws
from openmeva.training.perturbations.paraphrasers.frames import (
    Frame,
    at_end,
    at_start,
    at_verb,
    being,
    can_end_up,
    can_last,
    feeling,
    for_oneself,
    in_middle,
    is_achieved,
    is_action,
    is_gradable,
    is_intended,
    is_plain,
    what,
    who,
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


def framed(sentence: Sentence, draws: Draws, taken: Container[str] = ()) -> tuple[str, str, str] | None:
    """The framed sentence, the place of the framing, and its phrase; None where no framing fits.

    Args:
        sentence: the only sentence of its text.
        draws: samples a framing by the weights of those that fit.
        taken: places that are not available.
    """
    free = [(one, place) for place, found in FRAMINGS.items() if place not in taken for one in found]
    # exponential waiting times: the first one that fits is a weighted sample among all that fit
    waits = [-log(1.0 - draws.uniform()) / one.weight for one, _ in free]
    for at in sorted(range(len(free)), key=waits.__getitem__):
        framing, place = free[at]
        text = framing.frame(sentence)
        if text is not None:
            return text, place, framing.phrase
    return None


FRAMINGS: dict[str, tuple[Framing, ...]] = {
    "verb": (
        Framing("ended up", 0.7, at_verb("ended up", "VBG", can_end_up)),
        Framing("wound up", 1.4, at_verb("wound up", "VBG", can_end_up)),
        Framing("was able to", 1.5, at_verb("was able to", "VB", is_achieved, person=True)),
        Framing("managed to", 2.1, at_verb("managed to", "VB", is_achieved, person=True)),
        Framing("went and", 1.5, at_verb("went and", "VBD", is_intended, person=True)),
        Framing("went ahead and", 1.5, at_verb("went ahead and", "VBD", is_intended, person=True)),
        Framing("proceeded to", 1.3, at_verb("proceeded to", "VB", is_intended, person=True)),
        Framing("went on to", 1.0, at_verb("went on to", "VB", is_intended, person=True)),
        Framing("chose to", 1.4, at_verb("chose to", "VB", is_intended, person=True)),
        Framing("was ...ing", 2.1, at_verb("was", "VBG", can_last)),
        Framing("did", 1.4, at_verb("did", "VB", can_end_up)),
        Framing("was feeling", 2.1, feeling),
        Framing("turned out to be", 1.1, being("turned out to be")),
        Framing("happened to be", 1.8, being("happened to be")),
    ),
    "middle": (
        Framing("then", 2.1, in_middle("then", is_action)),
        Framing("soon", 2.1, in_middle("soon", is_action)),
        Framing("eventually", 2.1, in_middle("eventually", is_action)),
        Framing("promptly", 2.1, in_middle("promptly", is_action)),
        Framing("just", 2.1, in_middle("just", is_gradable)),
        Framing("really", 2.1, in_middle("really", is_gradable)),
        Framing("actually", 1.5, in_middle("actually", is_plain)),
        Framing("simply", 1.0, in_middle("simply", is_plain)),
        Framing("indeed", 1.9, in_middle("indeed", is_plain)),
        Framing("clearly", 2.1, in_middle("clearly", is_gradable)),
        Framing("certainly", 0.9, in_middle("certainly", is_plain)),
        Framing("in fact", 1.0, in_middle("in fact", is_plain)),
    ),
    "end": (
        Framing("that day", 0.8, at_end("that day")),
        Framing("in the end", 1.4, at_end("in the end", state=False)),
        Framing("after that", 1.4, at_end("after that", state=False)),
        Framing("soon after", 2.1, at_end("soon after", state=False)),
        Framing("right then", 1.4, at_end("right then", state=False)),
        Framing("then and there", 1.3, at_end("then and there", state=False)),
        Framing("a little later", 1.2, at_end("a little later", state=False)),
        Framing("this time", 1.2, at_end("this time", state=False)),
        Framing("at the time", 1.8, at_end("at the time", state=True)),
        Framing("at that point", 0.7, at_end("at that point")),
        Framing("at that moment", 0.4, at_end("at that moment")),
        Framing("of course", 0.9, at_end("of course", when=False)),
        Framing("indeed", 0.9, at_end("indeed", when=False)),
        Framing("for sure", 0.6, at_end("for sure", when=False)),
        Framing("for oneself", 2.1, for_oneself),
    ),
    "start": (
        Framing("Then", 2.1, at_start("then", when=True)),
        Framing("So", 2.1, at_start("so", when=True)),
        Framing("And", 2.1, at_start("and")),
        Framing("And so", 2.1, at_start("and so", when=True)),
        Framing("And then", 2.1, at_start("and then", when=True)),
        Framing("Eventually", 2.1, at_start("eventually ,", when=True)),
        Framing("After that", 2.1, at_start("after that ,", when=True)),
        Framing("After a while", 1.8, at_start("after a while ,", when=True)),
        Framing("Soon after", 2.1, at_start("soon after ,", when=True)),
        Framing("Shortly after", 2.1, at_start("shortly after ,", when=True)),
        Framing("Before long", 1.8, at_start("before long ,", when=True)),
        Framing("A little later", 1.4, at_start("a little later ,", when=True)),
        Framing("Later on", 1.9, at_start("later on ,", when=True)),
        Framing("Next", 2.1, at_start("next ,", when=True)),
        Framing("In the end", 1.8, at_start("in the end ,", when=True)),
        Framing("That day", 2.1, at_start("that day ,", when=True)),
        Framing("At that point", 1.8, at_start("at that point ,", when=True)),
        Framing("At that moment", 1.8, at_start("at that moment ,", when=True)),
        Framing("With that", 2.1, at_start("with that ,", when=True)),
        Framing("Just then", 2.1, at_start("just then ,", when=True)),
        Framing("This time", 2.1, at_start("this time ,", when=True)),
        Framing("Actually", 1.4, at_start("actually ,")),
        Framing("Of course", 0.3, at_start("of course ,")),
        Framing("Sure enough", 1.5, at_start("sure enough ,", when=True)),
        Framing("In fact", 0.5, at_start("in fact ,")),
        Framing("Indeed", 0.9, at_start("indeed ,")),
        Framing("From there", 2.1, at_start("from there ,", when=True)),
        Framing("At this point", 1.6, at_start("at this point ,", when=True)),
        Framing("Not long after", 1.5, at_start("not long after ,", when=True)),
        Framing("Some time later", 1.9, at_start("some time later ,", when=True)),
        Framing("In no time", 1.7, at_start("in no time ,", when=True)),
        Framing("Right then", 2.1, at_start("right then ,", when=True)),
        Framing("Naturally", 0.9, at_start("naturally ,")),
        Framing("As expected", 0.5, at_start("as expected ,")),
        Framing("All in all", 0.3, at_start("all in all ,")),
        Framing("Clearly", 1.5, at_start("clearly ,")),
        Framing("True enough", 0.7, at_start("true enough ,")),
        Framing("It turned out that", 0.2, at_start("it turned out that")),
        Framing("It so happened that", 0.3, at_start("it so happened that")),
        Framing("It was ... who", 1.9, who),
        Framing("What ... was", 2.1, what),
    ),
}
