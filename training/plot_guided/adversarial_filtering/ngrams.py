"""Logistic regression on n-grams of words or part-of-speech tags, as members of the committee."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

PENALTY = 1.0


def ngram_matrix(texts: Sequence[Sequence[str]], longest: int, rarest: int = 3) -> csr_matrix:
    """The n-grams of each text, (texts, n-grams), with rows of L2 norm 1; rare n-grams are excluded.

    Args:
        texts: tokens of each text.
        longest: n is 1 to `longest`.
        rarest: minimum number of texts that contain an n-gram.
    """
    ngrams_of_texts = [set(_ngrams(tokens, longest)) for tokens in texts]
    counts = Counter(ngram for ngrams in ngrams_of_texts for ngram in ngrams)
    places = {ngram: index for index, ngram in enumerate(sorted(n for n, c in counts.items() if c >= rarest))}
    columns = [sorted(places[ngram] for ngram in ngrams if ngram in places) for ngrams in ngrams_of_texts]
    ends = np.cumsum([0, *map(len, columns)])
    values = np.concatenate([np.full(len(row), 1 / max(len(row), 1) ** 0.5) for row in columns])
    return csr_matrix(
        (values, np.concatenate(columns).astype(np.int64), ends), (len(texts), max(len(places), 1))
    )


def _ngrams(tokens: Sequence[str], longest: int) -> Iterable[tuple[str, ...]]:
    for size in range(1, longest + 1):
        for start in range(len(tokens) - size + 1):
            yield tuple(tokens[start : start + size])


class LinearMember:
    """Logistic regression on fixed features of every text, with balanced classes.

    Args:
        features: (texts, features), sparse or dense.
        penalty: coefficient of the L2 penalty.
    """

    def __init__(self, features: csr_matrix | np.ndarray, penalty: float = PENALTY) -> None:
        self.features, self.penalty = features, penalty
        self._weights = np.zeros(features.shape[1] + 1)

    def fit(self, rows: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> None:
        """Trains from scratch; `rng` is not used, since the optimum is unique."""
        features, signs = self.features[rows], 2 * labels - 1
        share = labels.mean()
        weight = np.where(labels == 1, 0.5 / share, 0.5 / (1 - share))

        def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
            margins = signs * (features @ weights[:-1] + weights[-1])
            slopes = -signs * weight / (1 + np.exp(np.clip(margins, -500, 500)))
            value = float(
                (weight * np.logaddexp(0, -margins)).sum() + self.penalty / 2 * (weights[:-1] ** 2).sum()
            )
            return value, np.append(features.T @ slopes + self.penalty * weights[:-1], slopes.sum())

        start = np.zeros(self.features.shape[1] + 1)
        self._weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x

    def score(self, rows: np.ndarray) -> np.ndarray:
        """Log-odds of being human-written, (n,)."""
        return np.asarray(self.features[rows] @ self._weights[:-1] + self._weights[-1])
