"""Repetition insertion: phrases repeated throughout the plot."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot, Phrase
from openmeva.training.plot_guided.manipulations.material import PlotMaterial, rounded_count

NAME = "repetition"


def insert_repetition(
    plot: ManipulatedPlot, rng: BufferedRandom, material: PlotMaterial
) -> ManipulatedPlot | None:
    """Repeats a share of the phrases, each in some of the sentences, but not in its own.

    The share is `repeated_share`; the sentences are one in `sentences_per_repetition`, rounded down, at least one.

    None if the plot has only one sentence, or no phrase.
    """
    places = [(row, at) for row, phrases in enumerate(plot.sentences) for at in range(len(phrases))]
    if not places or len(plot.sentences) < 2:
        return None
    chosen = rng.shuffled(places)[: rounded_count(material.repeated_share, len(places))]
    texts = [(row, plot.sentences[row][index].text) for row, index in chosen]
    wanted = max(1, len(plot.sentences) // material.sentences_per_repetition)
    for own, text in texts:
        others = [row for row in range(len(plot.sentences)) if row != own]
        for row in rng.shuffled(others)[:wanted]:
            at = rng.below(len(plot.sentences[row]) + 1)
            plot = plot.with_phrases(row, at, at, Phrase(text, NAME))
    return plot.with_manipulation(NAME)
