"""The rounds of adversarial filtering."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

TOLERANCE = 0.002  # of accuracy: less is no progress


class Judge(Protocol):
    """A classifier of texts that are known by their row."""

    def fit(self, rows: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> None:
        """Learns from scratch which rows (n,) are human: labels (n,), 1 human, 0 written from a plot."""

    def score(self, rows: np.ndarray) -> np.ndarray:
        """How human the texts of `rows` look, (n,); higher is more human."""


@dataclass(frozen=True)
class Pool:
    """Stories and the candidates written for each, as rows of a list of texts.

    Attributes:
        humans: row of each human story, (stories,).
        candidates: rows of its candidates, (stories, N); -1 where a story has fewer.
    """

    humans: np.ndarray
    candidates: np.ndarray

    def fewest(self) -> int:
        """The number of candidates of the story that has the fewest."""
        return int((self.candidates >= 0).sum(1).min()) if len(self.candidates) else 0


@dataclass(frozen=True)
class Round:
    """A round's outcome.

    Attributes:
        assigned: which candidates are assigned after it, (stories, A), columns of `Pool.candidates`, sorted.
        accuracy: before replacement, on the half not trained on: how often a human story scores above one of its
            assigned negatives (0.5 is chance); ties count half.
        replaced: share of that half's assigned negatives that were replaced.
    """

    assigned: np.ndarray
    accuracy: float
    replaced: float


class Filtering:
    """Keeps for each story the negatives that a classifier trained on other stories takes for human.

    Args:
        pool: stories and candidates.
        judge: trained anew in each round.
        kept: negatives of a story (A).
        seed: of the first assignment and of each round's halves.
        margin: an assigned negative is easy where the human story scores higher by more than this, in standard
            deviations of the scores.

    Raises:
        ValueError: fewer than two stories, or one with fewer candidates than are kept.
    """

    def __init__(self, pool: Pool, judge: Judge, kept: int, seed: int, margin: float = 0.0) -> None:
        if len(pool.humans) < 2 or not 1 <= kept <= pool.fewest():
            raise ValueError(
                f"expected two stories or more and {kept} candidates or more of each, "
                f"got {len(pool.humans)} and {pool.fewest()}"
            )
        self.pool, self.judge, self.kept, self.seed, self.margin = pool, judge, kept, seed, margin

    def start(self) -> np.ndarray:
        """A random assignment, (stories, A)."""
        rng = np.random.default_rng((self.seed, 0))
        order = rng.random(self.pool.candidates.shape)
        order[self.pool.candidates < 0] = np.inf  # never drawn
        return np.sort(np.argsort(order, axis=1)[:, : self.kept], axis=1)

    def round(self, assigned: np.ndarray, number: int) -> Round:
        """One round; the same for the same assignment and number (from 1)."""
        rng = np.random.default_rng((self.seed, number))
        order = rng.permutation(len(assigned))
        learning, other = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        negatives = np.take_along_axis(self.pool.candidates[learning], assigned[learning], axis=1).ravel()
        rows = np.concatenate([self.pool.humans[learning], negatives])
        labels = np.concatenate([np.ones(len(learning)), np.zeros(len(negatives))])
        self.judge.fit(rows, labels, rng)
        human = self.judge.score(self.pool.humans[other])
        there = self.pool.candidates[other] >= 0
        scores = np.full(there.shape, -np.inf)
        scores[there] = self.judge.score(self.pool.candidates[other][there])
        held = np.take_along_axis(scores, assigned[other], axis=1)
        accuracy = float(((human[:, None] > held) + 0.5 * (human[:, None] == held)).mean())
        spread = float(np.concatenate([human, scores[there]]).std())
        changed = assigned.copy()
        replaced = 0
        for row, own, of_human in zip(other, scores, human, strict=True):
            new = replace_easy(assigned[row], own, float(of_human) - self.margin * spread)
            replaced += self.kept - len(np.intersect1d(new, assigned[row]))
            changed[row] = new
        return Round(changed, round(accuracy, 4), round(replaced / (self.kept * len(other)), 4))


def replace_easy(assigned: np.ndarray, scores: np.ndarray, easy_below: float) -> np.ndarray:
    """The assignment with negatives that score under `easy_below` replaced by unassigned ones that score higher.

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
    """Whether the last `patience` rounds brought no accuracy `TOLERANCE` or more below the lowest before them.

    >>> has_converged([0.9, 0.7, 0.7, 0.71], 2), has_converged([0.9, 0.7, 0.6], 2)
    (True, False)
    """
    if len(accuracies) <= patience:
        return False
    return min(accuracies[-patience:]) > min(accuracies[:-patience]) - TOLERANCE
