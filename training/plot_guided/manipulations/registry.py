"""All manipulations by name."""

from collections.abc import Callable

from openmeva.training.common.draws import Draws
from openmeva.training.plot_guided.manipulations import (
    contradiction,
    illogical_order,
    repetition,
    substitution,
)
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot
from openmeva.training.plot_guided.manipulations.material import PlotMaterial

Manipulation = Callable[[ManipulatedPlot, Draws, PlotMaterial], ManipulatedPlot | None]
"""Takes a plot under manipulation and returns it broken further, or None where it does not apply."""

# In this order they are applied: what replaces phrases comes before what adds to them.
MANIPULATIONS: dict[str, Manipulation] = {
    substitution.NAME: substitution.substitute_phrases,
    illogical_order.NAME: illogical_order.misorder_events,
    contradiction.NAME: contradiction.insert_contradiction,
    repetition.NAME: repetition.insert_repetition,
}
