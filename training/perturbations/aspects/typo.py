"""Typo: typing errors in a few words."""

from collections.abc import Callable
from math import ceil

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import INVARIANCE, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import in_dictionary
from openmeva.training.text.names import FUNCTION_WORDS, is_name
from openmeva.training.text.story import Story
from openmeva.training.text.word_set import word_set

SHARE = 0.02
_SHORTEST = 4
_NUMBERS = word_set("three four five six seven eight nine ten")


def swap(word: str, rng: BufferedRandom) -> str | None:
    """The word with two neighboring characters exchanged; the first character does not change."""
    places = [at for at in range(1, len(word) - 1) if word[at] != word[at + 1]]
    if not places:
        return None
    at = rng.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def repeat(word: str, rng: BufferedRandom) -> str | None:
    """The word with a character repeated; never the first one."""
    at = 1 + rng.below(len(word) - 1)
    return word[: at + 1] + word[at:]


def delete(word: str, rng: BufferedRandom) -> str | None:
    """The word with a character deleted; never the first one."""
    at = 1 + rng.below(len(word) - 1)
    return word[:at] + word[at + 1 :]


def is_word(text: str) -> bool:
    """Whether a typo made another word or name, which changes the meaning: "clam" for "calm", "Eric" for "Erica"."""
    low = text.lower()
    return low in FUNCTION_WORDS or low in _NUMBERS or in_dictionary(low) or is_name(low)


def _typos(
    change: Callable[[str, BufferedRandom], str | None],
) -> Callable[[Story, BufferedRandom, PerturbationMaterial], list[Edit] | None]:
    def technique(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
        """Changes as many words as stay under 2 % of the story's words, at least one."""
        words = [
            (sentence, at)
            for sentence in story.sentences[material.keep :]
            for at, word in enumerate(sentence.words)
            if len(word) >= _SHORTEST and word.isalpha()
        ]
        total = sum(any(map(str.isalnum, word)) for sentence in story.sentences for word in sentence.words)
        wanted = max(1, ceil(SHARE * total) - 1)
        edits: list[Edit] = []
        for sentence, at in rng.shuffled(words):
            new = change(sentence.words[at], rng)
            if new is not None and new != sentence.words[at] and not is_word(new):
                edits.append(Edit(*sentence.spans[at], new))
            if len(edits) == wanted:
                break
        return edits or None

    technique.__name__ = f"typo_{change.__name__}"
    return technique


ASPECT = Aspect(
    name="typo",
    kind=INVARIANCE,
    title="Typo",
    meaning="Letters are swapped, repeated or deleted: the story's quality does not change.",
    techniques={"swap": _typos(swap), "repeat": _typos(repeat), "delete": _typos(delete)},
)
