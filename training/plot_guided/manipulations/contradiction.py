"""Contradiction insertion: a concept in a negated relation, next to the phrase that it contradicts."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot, Phrase
from openmeva.training.plot_guided.manipulations.material import PlotMaterial, rounded_count

NAME = "contradiction"


def insert_contradiction(
    plot: ManipulatedPlot, draws: BufferedRandom, material: PlotMaterial
) -> ManipulatedPlot | None:
    """Inserts next to a share of the phrases a copy with one word replaced by its opposite.

    Opposites are concepts in one of ConceptNet's negated relations (Antonym, NotDesires, NotCapableOf,
    NotHasProperty) to a word, and WordNet's antonyms. None if no phrase has a word with an opposite.
    """
    wanted = rounded_count(material.share, sum(map(len, plot.sentences)))
    done = 0
    # from last to first, so that an insertion does not shift the indices of later ones
    for row, place in sorted(_contradictable(plot, draws, material)[:wanted], reverse=True):
        phrase = plot.sentences[row][place]
        at = place + draws.below(2)
        plot = plot.with_phrases(row, at, at, Phrase(_opposite(phrase.text, draws, material), NAME))
        done += 1
    return plot.with_manipulation(NAME) if done else None


def _contradictable(
    plot: ManipulatedPlot, draws: BufferedRandom, material: PlotMaterial
) -> list[tuple[int, int]]:
    """Positions of phrases that have a word with an opposite, in random order."""
    places = [
        (row, place)
        for row, phrases in enumerate(plot.sentences)
        for place, phrase in enumerate(phrases)
        if any(_opposites(word, material) for word in phrase.text.split())
    ]
    return draws.shuffled(places)


def _opposite(text: str, draws: BufferedRandom, material: PlotMaterial) -> str:
    words = text.split()
    at = draws.choice([i for i, word in enumerate(words) if _opposites(word, material)])
    words[at] = draws.choice(_opposites(words[at], material))
    return " ".join(words)


def _opposites(word: str, material: PlotMaterial) -> list[str]:
    return [found for found in material.language.antonyms(word, material.tag(word)) if found != word]
