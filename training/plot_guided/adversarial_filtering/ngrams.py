"""Members that count n-grams, of words or of part-of-speech tags, with logistic regression."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

PENALTY = 1.0


def ngram_matrix(texts: Sequence[Sequence[str]], longest: int, rarest: int = 3) -> csr_matrix:
    """Which n-grams each text has, (texts, n-grams), rows of length 1; rare n-grams are left out.

    Args:
        texts: tokens of each text.
        longest: n runs from 1 to this.
        rarest: an n-gram counts where so many texts have it.
    """
    found = [set(_ngrams(tokens, longest)) for tokens in texts]
    counts = Counter(ngram for ngrams in found for ngram in ngrams)
    places = {ngram: place for place, ngram in enumerate(sorted(n for n, c in counts.items() if c >= rarest))}
    columns = [sorted(places[ngram] for ngram in ngrams if ngram in places) for ngrams in found]
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
    """Logistic regression on fixed features of every text; both classes weigh the same.

    Args:
        features: (texts, features), sparse or dense.
        penalty: of the squared weights.
    """

    def __init__(self, features: csr_matrix | np.ndarray, penalty: float = PENALTY) -> None:
        self.features, self.penalty = features, penalty
        self._weights = np.zeros(features.shape[1] + 1)

    def fit(self, rows: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> None:
        """Learns from scratch; the draw of `rng` is not used, the optimum being unique."""
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
        """Log-odds of being human, (n,)."""
        return np.asarray(self.features[rows] @ self._weights[:-1] + self._weights[-1])
