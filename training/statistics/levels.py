"""Three levels of agreement: pooled over stories, mean over prompts, between systems.

They answer different questions and are never mixed. Pooled, a metric also gains by distinguishing good prompts and good
systems. Within prompts it has to rank stories for the same prompt. Between systems it has to rank systems by their means.
OpenMEVA and UNION report pooled results, papers on language models as judges often means over prompts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from openmeva.metrics.openmeva.ties import merge_ties
from openmeva.training.statistics.coefficients import Coefficient
from openmeva.training.statistics.groups import Groups

MIN_STORIES = 3  # stories per prompt, or systems: two always give a coefficient of -1 or 1


@dataclass(frozen=True)
class WithinPrompts:
    """A coefficient in each prompt, and its mean.

    Attributes:
        values: `(prompts,)` in the order of the prompts' labels, NaN where the coefficient is undefined.
        constant: `(prompts,)` bool: undefined because the metric or the judgments are constant there.
    """

    values: np.ndarray
    constant: np.ndarray

    @property
    def used(self) -> int:
        """Number of prompts with a coefficient."""
        return int(np.isfinite(self.values).sum())

    @property
    def dropped(self) -> int:
        """Number of prompts dropped because one side is constant."""
        return int(self.constant.sum())

    @property
    def small(self) -> int:
        """Number of prompts with fewer than three stories, which have no coefficient."""
        return len(self.values) - self.used - self.dropped

    @property
    def mean(self) -> float:
        """Mean over the prompts with a coefficient; NaN without any."""
        return float(self.resampled(np.ones((1, len(self.values))))[0])

    @property
    def mean_with_zeros(self) -> float:
        """Mean with dropped prompts counted as 0, so that a metric does not gain from constant scores."""
        return float(self.resampled(np.ones((1, len(self.values))), zeros=True)[0])

    def resampled(self, counts: np.ndarray, zeros: bool = False) -> np.ndarray:
        """The mean on resampled prompts.

        Args:
            counts: `(draws, prompts)`, how often each prompt was sampled.
            zeros: count dropped prompts as 0 (else they are excluded).

        Returns:
            `(draws,)`, NaN where no sampled prompt counts.
        """
        defined = np.isfinite(self.values)
        denominator = counts @ (defined | self.constant if zeros else defined).astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(denominator > 0, (counts @ np.nan_to_num(self.values)) / denominator, np.nan)


def within_prompts(
    metric: np.ndarray, judgments: np.ndarray, prompts: np.ndarray, coefficient: Coefficient
) -> WithinPrompts:
    """The coefficient among the stories of each prompt.

    Args:
        metric, judgments: `(n,)` each.
        prompts: `(n,)` labels.
        coefficient: a function of `coefficients`.
    """
    groups = Groups(prompts)
    values = np.full(len(groups), np.nan)
    for members, indices in groups.by_size(MIN_STORIES):
        values[members] = coefficient(metric[indices], judgments[indices])
    return WithinPrompts(values, (groups.sizes >= MIN_STORIES) & ~np.isfinite(values))


@dataclass(frozen=True)
class BetweenSystems:
    """Mean scores and judgments of each system.

    Attributes:
        systems: names, sorted, so that results do not depend on the order of the rows.
        metric, judgments: `(systems,)` means.
        value: the coefficient over the systems; NaN with fewer than three, or where one side is constant.
    """

    systems: tuple[str, ...]
    metric: np.ndarray
    judgments: np.ndarray
    value: float


class SystemMeans:
    """Means by system, on all stories and on resampled prompts.

    Args:
        judgments: `(n,)`.
        prompts: `(n,)` labels.
        systems: `n` names.
    """

    def __init__(self, judgments: np.ndarray, prompts: np.ndarray, systems: list[str]) -> None:
        self.systems = tuple(sorted(set(systems)))
        _, self._prompts = np.unique(prompts, return_inverse=True)
        index_by_name = {name: index for index, name in enumerate(self.systems)}
        self._systems = np.array([index_by_name[name] for name in systems])
        self._stories = self._sums(np.ones(len(systems)))
        self._judgments = self._sums(judgments)

    def between(self, metric: np.ndarray, coefficient: Coefficient) -> BetweenSystems:
        """The coefficient over the systems' means."""
        every = np.ones((1, len(self._stories)))
        x, y = (merge_ties(self._means(sums, every)[0]) for sums in (self._sums(metric), self._judgments))
        return BetweenSystems(self.systems, x, y, float(self.resampled(metric, every, coefficient)[0]))

    def resampled(self, metric: np.ndarray, counts: np.ndarray, coefficient: Coefficient) -> np.ndarray:
        """`(draws,)` coefficients on prompts sampled `counts` `(draws, prompts)` times, NaN where a system has no story."""
        if len(self.systems) < MIN_STORIES:
            return np.full(len(counts), np.nan)
        x, y = self._means(self._sums(metric), counts), self._means(self._judgments, counts)
        complete = np.isfinite(x).all(axis=1)
        x, y = (merge_ties(np.where(complete[:, None], means, 0.0)) for means in (x, y))
        return np.where(complete, coefficient(x, y), np.nan)

    def complete(self, metric: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scores and judgments, `(systems, prompts)` each, of the prompts with one story of each system."""
        is_complete = (self._stories == 1).all(axis=1)
        return self._sums(metric)[is_complete].T, self._judgments[is_complete].T

    def _sums(self, values: np.ndarray) -> np.ndarray:
        sums = np.zeros((self._prompts.max() + 1, len(self.systems)))
        np.add.at(sums, (self._prompts, self._systems), values)
        return sums

    def _means(self, sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return (counts @ sums) / (counts @ self._stories)
