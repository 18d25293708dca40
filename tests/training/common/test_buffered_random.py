"""Evenly spaced rows, and permutations; other random sampling is tested where it is used."""

import numpy as np
import pytest

from openmeva.training.common.buffered_random import BLOCK, TRACED, BufferedRandom, evenly_spaced


def test_evenly_spaced_rows_include_both_ends() -> None:
    assert evenly_spaced(range(10), 4) == [0, 3, 6, 9]
    assert evenly_spaced(range(3), 10) == [0, 1, 2]


@pytest.mark.parametrize("size", [0, 1, 2, 5, BLOCK, BLOCK + 1, 3 * BLOCK, 1000])
@pytest.mark.parametrize("before", [0, 1, BLOCK - 1])
def test_permutation_equals_shuffled_and_takes_the_same_numbers(size: int, before: int) -> None:
    for seed in range(20):
        plain, fast, partly = (BufferedRandom(np.random.default_rng(seed)) for _ in range(3))
        for rng in (plain, fast, partly):
            for _ in range(before):
                rng.uniform()
        expected = plain.shuffled(range(size))
        assert list(fast.permutation(size)) == expected
        first = partly.permutation(size)
        taken = min(size, TRACED - 1)
        assert [next(first) for _ in range(taken)] == expected[:taken]
        assert plain.uniform() == fast.uniform() == partly.uniform()
