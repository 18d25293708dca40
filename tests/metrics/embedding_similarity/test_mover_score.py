"""MoverScore: the transport problem against an independent solver, and its properties."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

from openmeva.metrics.embedding_similarity.mover_score import mover_score, unit_rows


def linear_program_score(first: np.ndarray, second: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """One minus the least cost of moving shares `a` to `b`, with SciPy's linear programming solver."""
    costs = np.linalg.norm(unit_rows(first)[:, None] - unit_rows(second)[None], axis=2)
    n, m = costs.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    answer = linprog(costs.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([a, b]))
    return 1 - answer.fun


@pytest.mark.parametrize("seed", range(8))
def test_mover_score_equals_linear_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 9, 2)
    first, second = rng.normal(size=(n, 5)), rng.normal(size=(m, 5))
    a, b = rng.random(n), rng.random(m)
    expected = linear_program_score(first, second, a / a.sum(), b / b.sum())
    assert mover_score(first, second, a, b) == pytest.approx(expected, abs=1e-7)


def test_equal_word_counts_reduce_to_the_assignment_problem() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(7, 4)), rng.normal(size=(7, 4))
    costs = np.linalg.norm(unit_rows(first)[:, None] - unit_rows(second)[None], axis=2)
    expected = 1 - costs[linear_sum_assignment(costs)].mean()
    assert mover_score(first, second) == pytest.approx(expected)


def test_mover_score_is_symmetric_and_ignores_vector_order_and_length() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(4, 6)), rng.normal(size=(5, 6))
    score = mover_score(first, second)
    assert mover_score(second, first) == pytest.approx(score)
    assert mover_score(first[::-1], second * 3) == pytest.approx(score)
    assert mover_score(first, first[[2, 0, 3, 1]]) == pytest.approx(1.0)
    assert -1 <= score <= 1


@pytest.mark.parametrize(
    ("first", "second", "weights", "message"),
    [
        (np.ones((0, 3)), np.ones((1, 3)), None, "first: expected embeddings"),
        (np.ones((1, 3)), np.ones(3), None, "second: expected embeddings"),
        (np.ones((1, 3)), np.ones((1, 4)), None, "one width, got 3 and 4"),
        (np.ones((1, 3)), np.ones((1, 3)), np.ones(2), "first_weights: expected 1"),
        (np.ones((2, 3)), np.ones((1, 3)), np.zeros(2), "not all 0"),
    ],
)
def test_bad_input_is_reported(
    first: np.ndarray, second: np.ndarray, weights: np.ndarray | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        mover_score(first, second, weights)
