"""All manipulations by name."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.plot_guided.manipulations import (
    contradiction,
    illogical_order,
    repetition,
    substitution,
)
from openmeva.training.plot_guided.manipulations.manipulated import ManipulatedPlot
from openmeva.training.plot_guided.manipulations.material import PlotMaterial

Manipulation = Callable[[ManipulatedPlot, BufferedRandom, PlotMaterial], ManipulatedPlot | None]
"""Takes a plot and returns it with one more manipulation, or None if the manipulation does not apply."""

# They are applied in this order, replacements of phrases before insertions; one that is applied instead of another that
# does not apply comes last.
MANIPULATIONS: dict[str, Manipulation] = {
    substitution.NAME: substitution.substitute,
    illogical_order.NAME: illogical_order.misorder_events,
    contradiction.NAME: contradiction.insert_contradiction,
    repetition.NAME: repetition.insert_repetition,
}


def manipulation_shares(applied: Iterable[Sequence[str]]) -> dict[str, float]:
    """The share of stories that each manipulation was applied to, and the mean number per story.

    >>> manipulation_shares([["repetition"], ["repetition", "substitution"]])["repetition"]
    1.0
    """
    rows = [list(names) for names in applied]
    counts = Counter(name for names in rows for name in set(names))
    total = max(len(rows), 1)
    shares = {name: round(counts[name] / total, 3) for name in MANIPULATIONS}
    return {**shares, "manipulations": round(sum(map(len, rows)) / total, 2)}
