"""Fast random sampling, with a Generator's numbers taken in blocks because one call per number is slow; evenly spaced rows."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")
BLOCK = 64
TRACED = 8  # items of a long permutation that are found without making the whole one


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

    def uniforms(self, count: int) -> np.ndarray:
        """The next `count` numbers of `uniform`, (count,), float64."""
        blocks = max(0, -(-(count - len(self._numbers)) // BLOCK))
        # each block is read from its end, as by `uniform`
        new = self._rng.random(blocks * BLOCK).reshape(blocks, BLOCK)[:, ::-1].ravel()
        numbers = np.concatenate([self._numbers[::-1], new])
        self._numbers = numbers[count:][::-1].tolist()
        return numbers[:count]

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

    def permutation(self, size: int) -> Iterator[int]:
        """The numbers of `shuffled(range(size))`, with the same randomness, but fast if only the first ones are needed.

        >>> rngs = [BufferedRandom(np.random.default_rng(0)) for _ in range(2)]
        >>> list(rngs[0].permutation(500)) == rngs[1].shuffled(range(500))
        True
        """
        if size <= BLOCK:
            return iter(self.shuffled(range(size)))
        factors = np.arange(size, 1, -1)
        others = (self.uniforms(size - 1) * factors).astype(np.int64)
        return _permuted(np.append(others, 0)[::-1])


def _permuted(others: np.ndarray) -> Iterator[int]:
    """The numbers from 0 on, after each place from the last to the first exchanged items with the place that `others` names."""
    for place in range(TRACED):
        # back from the last exchange of this place, to the one that put its item there, and so on
        item, step = int(others[place]), place
        while (found := np.flatnonzero(others[step + 1 :] == item)).size:
            item = step = step + 1 + int(found[0])
        yield item
    pool = list(range(len(others)))
    for last in range(len(pool) - 1, 0, -1):
        other = int(others[last])
        pool[last], pool[other] = pool[other], pool[last]
    yield from pool[TRACED:]


def evenly_spaced(rows: Sequence[Item], count: int) -> list[Item]:
    """At most `count` of the rows, evenly spaced.

    >>> evenly_spaced("abcde", 3)
    ['a', 'c', 'e']
    """
    return [rows[index] for index in np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)]
