"""MoverScore (Zhao et al., EMNLP 2019): one minus the word mover's distance of two texts.

Pure functions over embeddings. The transport problem is solved exactly, by POT's network simplex.
"""

import numpy as np
import ot


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Rows of `vectors` (n, width) scaled to length 1; rows of zeros stay unchanged."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def mover_score(
    first: np.ndarray,
    second: np.ndarray,
    first_weights: np.ndarray | None = None,
    second_weights: np.ndarray | None = None,
) -> float:
    """One minus the word mover's distance of two texts.

    The cost of moving one word to another is the Euclidean distance of their embeddings scaled to length 1, so
    the distance is in 0..2 and the score in -1..1.

    Args:
        first: embeddings (n, width) of the words of one text.
        second: embeddings (m, width) of the words of the other.
        first_weights: weight of each word, (n,), at least 0; default: equal weights.
        second_weights: weights for the other text, (m,).

    Returns:
        1 for equal embeddings, lower the farther the words are apart; higher is more similar. Neither the order of
        the two texts nor the order of their words matters.

    Raises:
        ValueError: a text without words, different widths, or weights of the wrong shape, below 0 or all 0.

    >>> x = np.eye(3)
    >>> mover_score(x, x[::-1]), round(mover_score(x[:1], x[1:2]), 3)
    (1.0, -0.414)
    """
    for name, vectors in (("first", first), ("second", second)):
        if vectors.ndim != 2 or not len(vectors):
            raise ValueError(f"{name}: expected embeddings (words, width), got shape {vectors.shape}")
    if first.shape[1] != second.shape[1]:
        raise ValueError(f"expected embeddings of one width, got {first.shape[1]} and {second.shape[1]}")
    shares = _shares(first_weights, len(first), "first"), _shares(second_weights, len(second), "second")
    cosines = unit_rows(first.astype(np.float64)) @ unit_rows(second.astype(np.float64)).T
    costs = np.sqrt(np.maximum(2.0 - 2.0 * cosines, 0.0))
    costs[costs < 1e-7] = 0.0  # equal words, up to rounding
    # in long texts, POT's default number of iterations ends before the optimum
    return float(1.0 - ot.emd2(*shares, costs, numItermax=10**9))


def bigrams(vectors: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Embeddings and weights of word bigrams (Zhao et al. 2019, section 3.1), for `mover_score`.

    A bigram's embedding is the weighted mean of its words' embeddings, each scaled to length 1. Its weight is the sum
    of the words' weights. A text of one word is returned unchanged.

    Args:
        vectors: word embeddings (n, width).
        weights: (n,), at least 0.

    Returns:
        Arrays (n - 1, width) and (n - 1,).
    """
    if len(vectors) < 2:
        return vectors, weights
    scaled = unit_rows(vectors) * weights[:, None]
    together = weights[:-1] + weights[1:]
    pairs = (scaled[:-1] + scaled[1:]) / np.where(together > 0, together, 1.0)[:, None]
    return pairs, together


def _shares(weights: np.ndarray | None, count: int, name: str) -> np.ndarray:
    if weights is None:
        return np.full(count, 1.0 / count)
    if weights.shape != (count,):
        raise ValueError(f"{name}_weights: expected {count}, got shape {weights.shape}")
    total = float(weights.sum())
    if (weights < 0).any() or not total > 0:
        raise ValueError(f"{name}_weights: expected weights of at least 0, not all 0, got {weights}")
    return weights.astype(np.float64) / total
