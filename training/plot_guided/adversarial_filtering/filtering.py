"""The rounds of adversarial filtering."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

TOLERANCE = 0.002  # a smaller decrease of accuracy is no progress


class TextClassifier(Protocol):
    """A classifier of texts, which are given by their row indices."""

    def fit(self, rows: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> None:
        """Trains from scratch on rows (n,) with labels (n,): 1 human, 0 generated from a plot."""

    def score(self, rows: np.ndarray) -> np.ndarray:
        """Scores (n,) of the texts of `rows`; higher is more human-like."""


@dataclass(frozen=True)
class CandidatePool:
    """Stories and the candidates generated for each, as row indices of a list of texts.

    Attributes:
        humans: row of each human story, (stories,).
        candidates: rows of its candidates, (stories, N); padded with -1 if a story has fewer.
    """

    humans: np.ndarray
    candidates: np.ndarray

    def min_candidates(self) -> int:
        """The minimum number of candidates of a story."""
        return int((self.candidates >= 0).sum(1).min()) if len(self.candidates) else 0


@dataclass(frozen=True)
class Round:
    """The result of a round.

    Attributes:
        assigned: candidates assigned after the round, (stories, A): sorted column indices of
            `CandidatePool.candidates`.
        accuracy: before replacement, on the held-out half: how often a human story scores above one of its assigned
            negatives, 0 to 1 (0.5 is chance); ties count half.
        replaced: share of the held-out half's assigned negatives that were replaced, 0 to 1.
    """

    assigned: np.ndarray
    accuracy: float
    replaced: float


class AdversarialFilter:
    """Keeps for each story the negatives that a classifier trained on other stories rates as most human-like.

    Args:
        pool: stories and candidates.
        judge: the classifier, trained from scratch in each round.
        kept: number of negatives per story (A).
        seed: seed of the first assignment and of the halves of each round.
        margin: a negative is easy if the human story scores higher by more than this, in standard deviations of
            the scores.

    Raises:
        ValueError: fewer than two stories, or a story with fewer candidates than `kept`.
    """

    def __init__(
        self, pool: CandidatePool, judge: TextClassifier, kept: int, seed: int, margin: float = 0.0
    ) -> None:
        if len(pool.humans) < 2 or not 1 <= kept <= pool.min_candidates():
            raise ValueError(
                f"expected two stories or more and {kept} candidates or more of each, "
                f"got {len(pool.humans)} and {pool.min_candidates()}"
            )
        self.pool, self.judge, self.kept, self.seed, self.margin = pool, judge, kept, seed, margin

    def start(self) -> np.ndarray:
        """A random assignment, (stories, A)."""
        rng = np.random.default_rng((self.seed, 0))
        order = rng.random(self.pool.candidates.shape)
        order[self.pool.candidates < 0] = np.inf  # never sampled
        return np.sort(np.argsort(order, axis=1)[:, : self.kept], axis=1)

    def round(self, assigned: np.ndarray, number: int) -> Round:
        """Runs round `number` (from 1); deterministic for the same assignment and number."""
        rng = np.random.default_rng((self.seed, number))
        order = rng.permutation(len(assigned))
        training, held_out = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        negatives = np.take_along_axis(self.pool.candidates[training], assigned[training], axis=1).ravel()
        rows = np.concatenate([self.pool.humans[training], negatives])
        labels = np.concatenate([np.ones(len(training)), np.zeros(len(negatives))])
        self.judge.fit(rows, labels, rng)
        human = self.judge.score(self.pool.humans[held_out])
        is_candidate = self.pool.candidates[held_out] >= 0
        scores = np.full(is_candidate.shape, -np.inf)
        scores[is_candidate] = self.judge.score(self.pool.candidates[held_out][is_candidate])
        assigned_scores = np.take_along_axis(scores, assigned[held_out], axis=1)
        accuracy = float(
            ((human[:, None] > assigned_scores) + 0.5 * (human[:, None] == assigned_scores)).mean()
        )
        standard_deviation = float(np.concatenate([human, scores[is_candidate]]).std())
        changed = assigned.copy()
        replaced = 0
        for row, candidate_scores, human_score in zip(held_out, scores, human, strict=True):
            new = replace_easy(
                assigned[row], candidate_scores, float(human_score) - self.margin * standard_deviation
            )
            replaced += self.kept - len(np.intersect1d(new, assigned[row]))
            changed[row] = new
        return Round(changed, round(accuracy, 4), round(replaced / (self.kept * len(held_out)), 4))


def replace_easy(assigned: np.ndarray, scores: np.ndarray, easy_below: float) -> np.ndarray:
    """The assignment, with negatives that score below `easy_below` replaced by unassigned ones that score higher.

    >>> replace_easy(np.array([0, 1]), np.array([0.1, 0.9, 0.5]), 0.8).tolist()
    [1, 2]
    """
    kept = list(assigned)
    spare = sorted(set(range(len(scores))) - set(kept), key=lambda c: (-scores[c], c))
    for candidate in sorted(assigned, key=lambda c: (scores[c], c)):
        if spare and scores[candidate] < easy_below and scores[spare[0]] > scores[candidate]:
            kept[kept.index(candidate)] = spare.pop(0)
    return np.sort(np.array(kept))


def has_converged(accuracies: Sequence[float], patience: int) -> bool:
    """Whether no accuracy of the last `patience` rounds is `TOLERANCE` or more below the minimum before them.

    >>> has_converged([0.9, 0.7, 0.7, 0.71], 2), has_converged([0.9, 0.7, 0.6], 2)
    (True, False)
    """
    if len(accuracies) <= patience:
        return False
    return min(accuracies[-patience:]) > min(accuracies[:-patience]) - TOLERANCE
