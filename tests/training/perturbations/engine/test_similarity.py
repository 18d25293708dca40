"""Comparing pairs with a threshold: rough scores give the same decisions as exact ones."""

from collections.abc import Sequence

import numpy as np
import pytest

from openmeva.training.perturbations.engine.similarity import MoverSimilarity, any_similar


class BiasedSimilarity(MoverSimilarity):
    """The pairs contain their scores; rough scores are off by up to .009, and requests for exact ones are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.exact = 0

    def _scores(self, pairs: Sequence[tuple[str, str]], dtype: str) -> list[float]:
        if dtype == "float32":
            self.exact += len(pairs)
            return [float(score) for score, _ in pairs]
        return [float(score) + float(error) for score, error in pairs]


def pairs_near(threshold: float, count: int) -> list[tuple[str, str]]:
    rng = np.random.default_rng(3)
    scores = threshold + rng.normal(0, 0.02, count)
    return [(str(s), str(e)) for s, e in zip(scores, rng.uniform(-0.009, 0.009, count), strict=True)]


@pytest.mark.parametrize("threshold", [-0.05, 0.25])
def test_rough_scores_give_the_same_decisions_as_exact_ones(threshold: float) -> None:
    pairs = pairs_near(threshold, 400)
    similarity = BiasedSimilarity()
    expected = [float(score) >= threshold for score, _ in pairs]
    assert similarity.are_similar(pairs, threshold) == expected
    assert 0 < similarity.exact < 300
    assert 100 < sum(expected) < 300


@pytest.mark.parametrize("threshold", [-0.05, 0.25])
def test_any_similar_finds_a_pair_above_the_threshold_anywhere(threshold: float) -> None:
    pairs = pairs_near(threshold, 400)
    groups = [pairs[at : at + 3] for at in range(0, 400, 3)]
    expected = [any(float(score) >= threshold for score, _ in group) for group in groups]
    assert [BiasedSimilarity().any_similar(group, threshold) for group in groups] == expected
    assert 0 < sum(expected) < len(expected)


def test_clear_decision_needs_no_exact_score() -> None:
    similarity = BiasedSimilarity()
    assert similarity.any_similar([("0.2", "0"), ("0.9", "0")], 0.25)
    assert not similarity.any_similar([("0.2", "0"), ("0.1", "0")], 0.25)
    assert not similarity.any_similar([], 0.25)
    assert similarity.exact == 0


def test_custom_similarity_is_compared_directly() -> None:
    pairs = [("a", "b"), ("c", "d")]
    assert any_similar(lambda _: [0.1, 0.25], pairs, 0.25)
    assert not any_similar(lambda _: [], [], 0.25)


def test_decisions_agree_with_exact_encoder_scores() -> None:
    """Pairs like the first and last ones of Table 14: dissimilar, and nearly the same."""
    pairs = [
        ("She hired an attorney.", "The lake was frozen in winter."),
        ("He bought a new car.", "He purchased a new automobile."),
    ]
    similarity = MoverSimilarity()
    low, high = similarity(pairs)
    assert low < 0.1 < 0.25 < high <= 1.0
    assert similarity.are_similar(pairs, 0.25) == [False, True]
    for threshold in np.linspace(low - 0.02, high + 0.02, 9):
        assert similarity.are_similar(pairs, threshold) == [low >= threshold, high >= threshold]
