"""Contradiction insertion: a concept in a negated relation, set beside the phrase it contradicts."""

from openmeva.training.common.draws import Draws
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot, Phrase
from openmeva.training.plot_guided.manipulations.material import PlotMaterial, count_of

NAME = "contradiction"


def insert_contradiction(
    plot: ManipulatedPlot, draws: Draws, material: PlotMaterial
) -> ManipulatedPlot | None:
    """Sets beside a share of the phrases the same phrase with one word turned into its opposite.

    Opposites are what stands in one of ConceptNet's negated relations (Antonym, NotDesires, NotCapableOf,
    NotHasProperty) to a word, and WordNet's antonyms. None where no phrase has a word with an opposite.
    """
    wanted = count_of(material.share, sum(map(len, plot.sentences)))
    done = 0
    # from the last phrase on, so that an insertion moves no place still to come
    for row, place in sorted(_contradictable(plot, draws, material)[:wanted], reverse=True):
        phrase = plot.sentences[row][place]
        at = place + draws.below(2)
        plot = plot.with_phrases(row, at, at, Phrase(_opposite(phrase.text, draws, material), NAME))
        done += 1
    return plot.done(NAME) if done else None


def _contradictable(plot: ManipulatedPlot, draws: Draws, material: PlotMaterial) -> list[tuple[int, int]]:
    """Places of phrases with an opposite, in random order."""
    places = [
        (row, place)
        for row, phrases in enumerate(plot.sentences)
        for place, phrase in enumerate(phrases)
        if any(_opposites(word, material) for word in phrase.text.split())
    ]
    return draws.shuffled(places)


def _opposite(text: str, draws: Draws, material: PlotMaterial) -> str:
    words = text.split()
    at = draws.choice([i for i, word in enumerate(words) if _opposites(word, material)])
    words[at] = draws.choice(_opposites(words[at], material))
    return " ".join(words)


def _opposites(word: str, material: PlotMaterial) -> list[str]:
    return [found for found in material.language.antonyms(word, material.tag(word)) if found != word]
