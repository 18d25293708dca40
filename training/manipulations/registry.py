"""All manipulations by name."""

from collections.abc import Callable

from training.manipulations import contradiction, illogical_order, repetition, substitution
from training.manipulations.manipulated import ManipulatedPlot
from training.manipulations.material import PlotMaterial
from training.negatives.draws import Draws

Manipulation = Callable[[ManipulatedPlot, Draws, PlotMaterial], ManipulatedPlot | None]
"""Takes a plot under manipulation and returns it broken further, or None where it does not apply."""

# In this order they are applied: what replaces phrases comes before what adds to them.
MANIPULATIONS: dict[str, Manipulation] = {
    substitution.NAME: substitution.substitute_phrases,
    illogical_order.NAME: illogical_order.misorder_events,
    contradiction.NAME: contradiction.insert_contradiction,
    repetition.NAME: repetition.insert_repetition,
}
