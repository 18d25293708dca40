"""Plots broken on purpose, for implausible stories (Ghazarian et al. 2021, section 3.2.1).

Each manipulation stands in its own module and is registered by name in `MANIPULATIONS`; all take and return a
`ManipulatedPlot`, which remembers which of them wrote a phrase, so that none undoes another.
"""

from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot
from openmeva.training.plot_guided.manipulations.manipulator import PlotManipulator
from openmeva.training.plot_guided.manipulations.material import PlotMaterial
from openmeva.training.plot_guided.manipulations.registry import MANIPULATIONS, manipulation_shares
from openmeva.training.plot_guided.manipulations.stories import manipulator_of

__all__ = [
    "MANIPULATIONS",
    "ManipulatedPlot",
    "PlotManipulator",
    "PlotMaterial",
    "manipulation_shares",
    "manipulator_of",
]
