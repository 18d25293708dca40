"""The first sentence in place of a plot, for open-ended generation."""

from collections.abc import Sequence

import numpy as np

from openmeva.training.plot_guided.plots.plot import Plot


def opening(
    words: Sequence[Sequence[str]], tags: Sequence[Sequence[str]], generator: np.random.Generator
) -> Plot:
    """The first sentence as one phrase; the others have none.

    >>> opening([["Ann", "ran", "."], ["She", "fell", "."]], [], np.random.default_rng(0))
    [['Ann ran .'], []]
    """
    return [[" ".join(words[0])], *([] for _ in words[1:])]
