"""Manipulates plots: two to four manipulations per story, applied in sequence (section 5.1)."""

from collections.abc import Sequence

import numpy as np

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot
from openmeva.training.plot_guided.manipulations.material import PlotMaterial
from openmeva.training.plot_guided.manipulations.registry import MANIPULATIONS
from openmeva.training.plot_guided.plots.plot import Plot

MIN_MANIPULATIONS, MAX_MANIPULATIONS = 2, 4


def check_excluded(without: Sequence[str]) -> None:
    """Raises a ValueError for an unknown manipulation, or if none is left."""
    if not set(without) < set(MANIPULATIONS):
        raise ValueError(
            f"without: expected some of {', '.join(MANIPULATIONS)}, but not all, got {', '.join(without)}"
        )


class PlotManipulator:
    """Samples manipulations without replacement and applies them; one that does not apply is replaced by another.

    Args:
        material: the data that manipulations use.
        seed: any non-negative integer.
        without: manipulations to exclude (the paper's Table 7).

    Raises:
        ValueError: a negative seed, an unknown manipulation in `without`, or no manipulation left.
    """

    def __init__(self, material: PlotMaterial, seed: int, without: tuple[str, ...] = ()) -> None:
        check_excluded(without)
        if seed < 0:
            raise ValueError(f"expected a seed of 0 or more, got {seed}")
        self.material, self.seed = material, seed
        self.names = [name for name in MANIPULATIONS if name not in without]

    def manipulate(self, plot: Plot, index: int, candidate: int = 0) -> ManipulatedPlot | None:
        """A manipulated plot of story `index`, different for each `candidate`; None if no manipulation applies.

        It depends only on the plot, the seed, the index and the candidate.
        """
        rng = BufferedRandom(np.random.default_rng((self.seed, index, candidate)))
        wanted = MIN_MANIPULATIONS + rng.below(MAX_MANIPULATIONS - MIN_MANIPULATIONS + 1)
        ranking = rng.shuffled(self.names)
        planned = sorted(ranking[:wanted], key=list(MANIPULATIONS).index)
        broken = ManipulatedPlot.start(plot, index)
        for name in (*planned, *ranking[wanted:]):
            if len(broken.applied) < wanted:
                broken = MANIPULATIONS[name](broken, rng, self.material) or broken
        return broken if broken.applied else None
