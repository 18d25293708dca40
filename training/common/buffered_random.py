"""Fast random sampling, with a Generator's numbers taken in blocks because one call per number is slow; evenly spaced rows."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")
BLOCK = 64


class BufferedRandom:
    """Random decisions from blocks of uniform numbers of a `numpy.random.Generator`.

    Args:
        rng: The source of randomness; numbers are taken from it `BLOCK` at a time.

    >>> BufferedRandom(np.random.default_rng(0)).below(10) < 10
    True
    """

    __slots__ = ("_numbers", "_rng")

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._numbers: list[float] = []

    def uniform(self) -> float:
        """A number in [0, 1)."""
        if not self._numbers:
            self._numbers = self._rng.random(BLOCK).tolist()
        return self._numbers.pop()

    def below(self, size: int) -> int:
        """A uniformly sampled integer in 0 .. size - 1.

        Raises:
            ValueError: `size` is less than 1.
        """
        if size < 1:
            raise ValueError(f"expected a size of at least 1, got {size}")
        return int(self.uniform() * size)

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.uniform() < probability

    def choice(self, items: Sequence[Item]) -> Item:
        """A uniformly sampled item."""
        return items[self.below(len(items))]

    def weighted(self, weights: Sequence[float]) -> int:
        """An index into `weights`, sampled in proportion to them; they need not sum to 1."""
        remaining = self.uniform() * sum(weights)
        last = 0
        for index, weight in enumerate(weights):
            if weight > 0.0:
                last = index  # rounding errors can exhaust all weights: then the last nonzero one
                if remaining < weight:
                    return index
            remaining -= weight
        return last

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """A uniformly random permutation of `items`."""
        pool = list(items)
        for last in range(len(pool) - 1, 0, -1):
            other = int(self.uniform() * (last + 1))
            pool[last], pool[other] = pool[other], pool[last]
        return pool


def evenly_spaced(rows: Sequence[Item], count: int) -> list[Item]:
    """At most `count` of the rows, evenly spaced.

    >>> evenly_spaced("abcde", 3)
    ['a', 'c', 'e']
    """
    return [rows[index] for index in np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)]
