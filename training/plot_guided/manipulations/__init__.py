"""Manipulations of plots, for implausible stories (Ghazarian et al. 2021, section 3.2.1).

Each manipulation is in its own module and registered by name in `MANIPULATIONS`. It takes and returns a
`ManipulatedPlot`, which records the manipulation that wrote a phrase, so that none undoes another.
"""

from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot
from openmeva.training.plot_guided.manipulations.manipulator import PlotManipulator, check_excluded
from openmeva.training.plot_guided.manipulations.material import PlotMaterial
from openmeva.training.plot_guided.manipulations.registry import MANIPULATIONS, manipulation_shares
from openmeva.training.plot_guided.manipulations.stories import build_manipulator

__all__ = [
    "MANIPULATIONS",
    "ManipulatedPlot",
    "PlotManipulator",
    "PlotMaterial",
    "build_manipulator",
    "check_excluded",
    "manipulation_shares",
]
