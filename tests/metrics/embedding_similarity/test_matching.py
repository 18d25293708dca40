"""Similarities of sets of vectors, each compared with its written-out definition."""

import math

import numpy as np
import pytest

from openmeva.metrics.embedding_similarity.matching import (
    bert_score,
    cosine,
    greedy_matching,
    min_max_pooling,
    vector_average,
    vector_extrema,
)
from openmeva.metrics.embedding_similarity.mover_score import bigrams, mover_score
from openmeva.metrics.embedding_similarity.scoring import InverseDocumentFrequency


@pytest.fixture
def texts() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.normal(size=(4, 6)), rng.normal(size=(5, 6))


def cosine_by_hand(a: np.ndarray, b: np.ndarray) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a)) / math.sqrt(sum(y * y for y in b))


def test_greedy_matching_equals_its_definition(texts: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = texts
    one = sum(max(cosine_by_hand(a, b) for b in second) for a in first) / len(first)
    other = sum(max(cosine_by_hand(a, b) for a in first) for b in second) / len(second)
    assert greedy_matching(first, second) == pytest.approx((one + other) / 2)


def test_average_extrema_and_pooling_equal_their_definitions(texts: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = texts
    means = [[sum(column) / len(text) for column in text.T] for text in texts]
    assert vector_average(first, second) == pytest.approx(cosine_by_hand(*map(np.array, means)))
    extremes = [[max(column, key=abs) for column in text.T] for text in texts]
    assert vector_extrema(first, second) == pytest.approx(cosine_by_hand(*map(np.array, extremes)))
    pooled = [[max(column) for column in text.T] + [min(column) for column in text.T] for text in texts]
    assert min_max_pooling(first, second) == pytest.approx(cosine_by_hand(*map(np.array, pooled)))


def test_bertscore_equals_its_definition(texts: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = texts
    weights, others = np.array([0.0, 1.0, 2.0, 1.0]), np.array([1.0, 1.0, 0.0, 3.0, 1.0])
    p = sum(w * max(cosine_by_hand(a, b) for b in second) for w, a in zip(weights, first, strict=True)) / 4
    r = sum(w * max(cosine_by_hand(a, b) for a in first) for w, b in zip(others, second, strict=True)) / 6
    assert bert_score(first, second, weights, others) == pytest.approx((p, r, 2 * p * r / (p + r)))


def test_bertscore_stays_within_its_range() -> None:
    """The harmonic mean of two numbers of opposite signs may be anything."""
    first = np.array([[1.0, 0.0], [0.0, 1.0]])
    for second, harmonic in (
        ([[0.1, -0.995], [-0.11, -0.994]], 1.0),
        ([[0.1, -0.995], [-0.09, -0.996]], -1.0),
    ):
        weights = np.array([1.0, 0.0]), np.array([0.0, 1.0])
        precision, recall, f1 = bert_score(first, np.array(second), *weights)
        assert precision * recall < 0
        assert f1 == harmonic, "clipped"
    close = bert_score(np.array([[1.0, 0.0]]), np.array([[0.6, 0.8]]), np.ones(1), np.ones(1))
    assert close == pytest.approx((0.6, 0.6, 0.6))
    vector = np.full((3, 7), 0.1, dtype=np.float32)
    assert max(bert_score(vector, vector, np.full(3, 0.1), np.full(3, 0.1))) <= 1.0


def test_cosine_with_zero_vector_is_zero() -> None:
    assert cosine(np.zeros(3), np.ones(3)) == 0.0


def test_bigrams_are_weighted_means_of_neighbours() -> None:
    vectors, weights = np.diag([2.0, 1.0, 3.0]), np.array([1.0, 3.0, 0.0])
    pairs, shares = bigrams(vectors, weights)
    assert shares.tolist() == [4.0, 3.0]
    assert pairs.tolist() == [[0.25, 0.75, 0.0], [0.0, 1.0, 0.0]]
    alone, weight = bigrams(vectors[:1], weights[:1])
    assert mover_score(alone, vectors[:1], weight) == pytest.approx(1.0)


def test_inverse_document_frequency() -> None:
    weigh = InverseDocumentFrequency([["a", "b", "a"], ["b"], ["b", "c"]])
    assert weigh(["a", "b", "d"]) == pytest.approx([math.log(4 / 2), math.log(4 / 4), math.log(4 / 1)])
    assert weigh(["b", "b"]).tolist() == [1.0, 1.0]
