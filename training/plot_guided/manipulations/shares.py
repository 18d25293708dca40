"""The share of stories that each manipulation was applied to."""

from collections import Counter
from collections.abc import Iterable, Sequence

from openmeva.training.plot_guided.manipulations.registry import MANIPULATIONS


def manipulation_shares(applied: Iterable[Sequence[str]]) -> dict[str, float]:
    """The share of stories that each manipulation was applied to, and the mean number a story.

    >>> manipulation_shares([["repetition"], ["repetition", "substitution"]])["repetition"]
    1.0
    """
    rows = [list(names) for names in applied]
    counts = Counter(name for names in rows for name in set(names))
    total = max(len(rows), 1)
    shares = {name: round(counts[name] / total, 3) for name in MANIPULATIONS}
    return {**shares, "manipulations": round(sum(map(len, rows)) / total, 2)}
