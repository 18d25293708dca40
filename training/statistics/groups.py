"""Stories grouped by prompt, so that all prompts of one size are computed at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


class Groups:
    """Stories grouped by label.

    Groups are in the order of their labels, stories within a group in their original order.

    Args:
        labels: `(n,)`, equal for stories that share a prompt.

    >>> [indices.tolist() for _, indices in Groups(np.array([1, 0, 1])).by_size()]
    [[[1]], [[0, 2]]]
    """

    def __init__(self, labels: np.ndarray) -> None:
        _, codes = np.unique(labels, return_inverse=True)
        order = np.argsort(codes, kind="stable")
        self.sizes = np.bincount(codes)
        self._starts = np.cumsum(self.sizes) - self.sizes
        self._order = order

    def __len__(self) -> int:
        return len(self.sizes)

    def by_size(self, smallest: int = 1) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Groups by size, smallest first.

        Args:
            smallest: groups with fewer stories are excluded.

        Yields:
            The indices of the groups, `(groups,)`, and of their stories, `(groups, size)`, for one size at a time.
        """
        for size in np.unique(self.sizes[self.sizes >= smallest]):
            members = np.flatnonzero(self.sizes == size)
            yield members, self._order[self._starts[members][:, None] + np.arange(size)]
