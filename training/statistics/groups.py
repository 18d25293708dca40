"""Stories grouped by prompt in one table, so that all prompts are computed at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


class Groups:
    """Stories grouped by label, as the rows of a `(groups, largest)` table.

    Groups are in the order of their labels, stories within a group in their original order.

    Args:
        labels: `(n,)`, equal for stories that share a prompt.

    >>> Groups(np.array([1, 0, 1])).table(np.array([5.0, 6.0, 7.0]))
    array([[ 6., nan],
           [ 5.,  7.]])
    """

    def __init__(self, labels: np.ndarray) -> None:
        _, codes = np.unique(labels, return_inverse=True)
        order = np.argsort(codes, kind="stable")
        self.sizes = np.bincount(codes)
        self._starts = np.cumsum(self.sizes) - self.sizes
        self._codes = codes[order]
        self._columns = np.arange(len(order)) - self._starts[self._codes]
        self._order = order

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def largest(self) -> int:
        """Number of stories in the largest group."""
        return int(self.sizes.max())

    def table(self, values: np.ndarray) -> np.ndarray:
        """`(…, n)` values as `(…, groups, largest)` floats, NaN where a group has fewer stories."""
        table = np.full((*values.shape[:-1], len(self), self.largest), np.nan)
        table[..., self._codes, self._columns] = values[..., self._order]
        return table

    def by_size(self, smallest: int = 1) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Groups by size, without the padding of a table.

        Args:
            smallest: groups with fewer stories are excluded.

        Yields:
            The indices of the groups, `(groups,)`, and of their stories, `(groups, size)`, for one size at a time.
        """
        for size in np.unique(self.sizes[self.sizes >= smallest]):
            members = np.flatnonzero(self.sizes == size)
            yield members, self._order[self._starts[members][:, None] + np.arange(size)]
