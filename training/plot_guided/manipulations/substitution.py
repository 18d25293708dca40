"""Random substitution: phrases, or all phrases of a sentence, are replaced by those of another story."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot, Phrase
from openmeva.training.plot_guided.manipulations.material import PlotMaterial, rounded_count

NAME = "substitution"
TRIALS = 8  # attempts at another story; needed only if plots are empty or duplicates


def substitute(plot: ManipulatedPlot, rng: BufferedRandom, material: PlotMaterial) -> ManipulatedPlot | None:
    """Substitutes phrases or whole sentences, depending on `material.whole_sentences`."""
    return (substitute_sentences if material.whole_sentences else substitute_phrases)(plot, rng, material)


def substitute_sentences(
    plot: ManipulatedPlot, rng: BufferedRandom, material: PlotMaterial
) -> ManipulatedPlot | None:
    """Replaces all phrases of a share of the sentences by those of sentences of one other story (Figure 2).

    None if no sentence has only untouched phrases, or no other story has a plot.
    """
    rows = [
        row
        for row, phrases in enumerate(plot.sentences)
        if phrases and not any(phrase.manipulation for phrase in phrases)
    ]
    if not rows or len(material.plots) < 2:
        return None
    for _ in range(TRIALS):
        source_index = rng.below(len(material.plots))
        foreign = [
            phrases for phrases in material.plots[source_index] if phrases and phrases not in plot.plot
        ]
        if source_index == plot.index or not foreign:
            continue
        chosen = rng.shuffled(rows)[: rounded_count(material.share, len(plot.sentences))]
        for row, phrases in zip(chosen, rng.shuffled(foreign), strict=False):
            new = (Phrase(text, NAME) for text in phrases)
            plot = plot.with_phrases(row, 0, len(plot.sentences[row]), *new)
        return plot.with_manipulation(NAME)
    return None


def substitute_phrases(
    plot: ManipulatedPlot, rng: BufferedRandom, material: PlotMaterial
) -> ManipulatedPlot | None:
    """Replaces a share of the untouched phrases by phrases of one other story; None if it has none.

    The other phrases stay, so a story generated from the plot has to connect the two.
    """
    places = plot.untouched_phrases()
    if not places or len(material.plots) < 2:
        return None
    held = {phrase.text for phrases in plot.sentences for phrase in phrases}
    for _ in range(TRIALS):
        source_index = rng.below(len(material.plots))
        foreign = [p for phrases in material.plots[source_index] for p in phrases if p not in held]
        if source_index == plot.index or not foreign:
            continue
        count = min(rounded_count(material.share, len(places)), len(foreign))
        chosen = rng.shuffled(places)[:count]
        for (row, index), text in zip(chosen, rng.shuffled(foreign), strict=False):
            plot = plot.with_phrases(row, index, index + 1, Phrase(text, NAME))
        return plot.with_manipulation(NAME)
    return None
