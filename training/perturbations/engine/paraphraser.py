"""The interface of a source of paraphrases."""

from typing import Protocol

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.text.sentence import Sentence


class Paraphraser(Protocol):
    """A source of paraphrases of single sentences."""

    name: str

    def paraphrases(self, sentence: Sentence, rng: BufferedRandom) -> list[str]:
        """Paraphrases of a sentence in its own style, the preferred one first; empty where there is none."""
        ...
