"""Random substitution: phrases of another story in the place of the plot's own."""

from openmeva.training.common.draws import Draws
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot, Phrase
from openmeva.training.plot_guided.manipulations.material import PlotMaterial, count_of

NAME = "substitution"
TRIALS = 8  # other stories tried before giving up; needed only where plots are empty or copies


def substitute_phrases(plot: ManipulatedPlot, draws: Draws, material: PlotMaterial) -> ManipulatedPlot | None:
    """Replaces a share of the untouched phrases by phrases of one other story; None where it has none.

    The story's other phrases stay, so what is written from the plot has to bring the two together.
    """
    places = plot.own()
    if not places or len(material.plots) < 2:
        return None
    held = {phrase.text for phrases in plot.sentences for phrase in phrases}
    for _ in range(TRIALS):
        other = draws.below(len(material.plots))
        foreign = [p for phrases in material.plots[other] for p in phrases if p not in held]
        if other == plot.index or not foreign:
            continue
        count = min(count_of(material.share, len(places)), len(foreign))
        chosen = draws.shuffled(places)[:count]
        for (row, place), text in zip(chosen, draws.shuffled(foreign), strict=False):
            plot = plot.with_phrases(row, place, place + 1, Phrase(text, NAME))
        return plot.done(NAME)
    return None
