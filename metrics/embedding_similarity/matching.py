"""Similarity of two texts from the embeddings of their words or tokens.

Pure functions. Each is symmetric in its two texts, except that BERTScore's precision and recall swap."""

import numpy as np

from openmeva.metrics.embedding_similarity.mover_score import unit_rows


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    """Cosine of two vectors, -1 to 1; 0 where one of them is zero."""
    lengths = float(np.linalg.norm(first)) * float(np.linalg.norm(second))
    return float(np.clip(float(first @ second) / lengths, -1.0, 1.0)) if lengths else 0.0


def greedy_matching(first: np.ndarray, second: np.ndarray) -> float:
    """Greedy Matching (Rus and Lintean 2012) of words (n, width) and (m, width), -1 to 1.

    The highest cosine of each word with a word of the other text, averaged over words, then over both directions.
    """
    cosines = _cosines(first, second)
    return float((cosines.max(axis=1).mean() + cosines.max(axis=0).mean()) / 2)


def _cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Cosines of rows (n, width) with rows (m, width): (n, m), clipped to -1..1 against rounding."""
    return np.clip(unit_rows(first) @ unit_rows(second).T, -1.0, 1.0)


def vector_average(first: np.ndarray, second: np.ndarray) -> float:
    """Vector Average (Wieting et al. 2016): cosine of the means of the words, -1 to 1."""
    return cosine(first.mean(axis=0), second.mean(axis=0))


def vector_extrema(first: np.ndarray, second: np.ndarray) -> float:
    """Vector Extrema (Forgues et al. 2014): cosine of the values farthest from 0 in each dimension, -1 to 1."""
    return cosine(_extrema(first), _extrema(second))


def _extrema(vectors: np.ndarray) -> np.ndarray:
    high, low = vectors.max(axis=0), vectors.min(axis=0)
    return np.where(high >= -low, high, low)


def min_max_pooling(first: np.ndarray, second: np.ndarray) -> float:
    """The referenced part of RUBER (Tao et al. 2018, equation 1): cosine of the concatenated maxima and minima
    in each dimension, -1 to 1."""
    return cosine(_pooled(first), _pooled(second))


def _pooled(vectors: np.ndarray) -> np.ndarray:
    return np.concatenate([vectors.max(axis=0), vectors.min(axis=0)])


def bert_score(
    prediction: np.ndarray, reference: np.ndarray, weights: np.ndarray, reference_weights: np.ndarray
) -> tuple[float, float, float]:
    """BERTScore (Zhang et al. 2020): precision, recall and F1, -1 to 1.

    As in the authors' package, special tokens can be matched but have weight 0. F1 is clipped to -1..1, because the
    harmonic mean of numbers of opposite signs can be outside it.

    Args:
        prediction: hidden states (t, width) of a text's tokens, special tokens included.
        reference: hidden states (s, width) of the reference's tokens.
        weights: (t,), at least 0, weights of the prediction's tokens in precision.
        reference_weights: (s,), at least 0, weights of the reference's tokens in recall.
    """
    cosines = _cosines(prediction, reference)
    precision = float(cosines.max(axis=1) @ (weights / weights.sum()))
    recall = float(cosines.max(axis=0) @ (reference_weights / reference_weights.sum()))
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0.0
    precision, recall, f1 = (max(-1.0, min(1.0, value)) for value in (precision, recall, f1))
    return precision, recall, f1
