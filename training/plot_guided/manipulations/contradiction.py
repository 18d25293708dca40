"""Contradiction insertion: a concept in a negated relation, next to the phrase that it contradicts."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot, Phrase
from openmeva.training.plot_guided.manipulations.material import PlotMaterial, rounded_count

NAME = "contradiction"


def insert_contradiction(
    plot: ManipulatedPlot, rng: BufferedRandom, material: PlotMaterial
) -> ManipulatedPlot | None:
    """Inserts next to a share of the phrases a copy with one word replaced by its opposite.

    Opposites are concepts in one of ConceptNet's negated relations (Antonym, NotDesires, NotCapableOf,
    NotHasProperty) to a word, and WordNet's antonyms. None if no phrase has a word with an opposite.
    """
    wanted = rounded_count(material.share, sum(map(len, plot.sentences)))
    num_inserted = 0
    # from last to first, so that an insertion does not shift the indices of later ones
    for row, index in sorted(_contradictable(plot, rng, material)[:wanted], reverse=True):
        phrase = plot.sentences[row][index]
        at = index + rng.below(2)
        plot = plot.with_phrases(row, at, at, Phrase(_opposite(phrase.text, rng, material), NAME))
        num_inserted += 1
    return plot.with_manipulation(NAME) if num_inserted else None


def _contradictable(
    plot: ManipulatedPlot, rng: BufferedRandom, material: PlotMaterial
) -> list[tuple[int, int]]:
    """Positions of phrases that have a word with an opposite, in random order."""
    places = [
        (row, index)
        for row, phrases in enumerate(plot.sentences)
        for index, phrase in enumerate(phrases)
        if any(_opposites(word, material) for word in phrase.text.split())
    ]
    return rng.shuffled(places)


def _opposite(text: str, rng: BufferedRandom, material: PlotMaterial) -> str:
    words = text.split()
    at = rng.choice([i for i, word in enumerate(words) if _opposites(word, material)])
    words[at] = rng.choice(_opposites(words[at], material))
    return " ".join(words)


def _opposites(word: str, material: PlotMaterial) -> list[str]:
    return [antonym for antonym in material.language.antonyms(word, material.tag(word)) if antonym != word]
