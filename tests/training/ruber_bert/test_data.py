"""The stories that RUBER's training contrasts with a context's own."""

from collections import Counter
from typing import Any

import pytest
import torch

from openmeva.training.ruber_bert.data import RuberCollator


@pytest.mark.parametrize("count", [2, 4])
def test_sampled_stories_are_uniform_over_the_others(count: int) -> None:
    batcher: Any = None
    numbers = torch.arange(count)
    features = {"contexts": numbers, "stories": numbers}
    collate = RuberCollator([([0], [0])] * count, batcher, features, None, seed=1)
    batch = collate(list(range(400 * count)))
    assert batch["contexts"].equal(batch["stories"])
    sampled = Counter(zip(batch["contexts"].tolist(), batch["sampled"].tolist(), strict=True))
    assert set(sampled) == {(own, other) for own in range(count) for other in range(count) if own != other}
    assert all(seen / 400 == pytest.approx(1 / (count - 1), abs=0.1) for seen in sampled.values())


def test_sampled_stories_are_neighbours_if_these_are_given() -> None:
    batcher: Any = None
    neighbours = torch.tensor([[1, 2], [2, 0], [0, 1], [1, 2]])
    numbers = torch.arange(4)
    collate = RuberCollator(
        [([0], [0])] * 4, batcher, {"contexts": numbers, "stories": numbers}, neighbours, seed=1
    )
    batch = collate(list(range(160)))
    pairs = set(zip(batch["contexts"].tolist(), batch["sampled"].tolist(), strict=True))
    assert pairs == {(own, other) for own in range(4) for other in neighbours[own].tolist()}
