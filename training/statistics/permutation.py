"""PERM-BOTH: is one metric's agreement significantly higher than another's (Deutsch, Dror and Roth 2021)?

Under the null hypothesis it does not matter which of two metrics gave a story its score. Each resample exchanges the two
metrics' standardised scores on random stories, each with probability one half. The p-value is
the share of resamples in which the difference of coefficients is at least the observed one. The test is one-sided.

Stories of one prompt are not independent, so their scores are exchanged together (`random_swaps`). Of two equal metrics,
one was better by p <= .05 in .07 of simulations with 5 prompts of 40 stories, and in .61 when single stories were
exchanged (with 40 prompts of 10: .12 and .40); it should be .10.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from openmeva.metrics.openmeva.ties import merge_score_ties, merge_ties
from openmeva.training.statistics.coefficients import COEFFICIENTS, scaled_deviations
from openmeva.training.statistics.exchanges_pooled import (
    Exchange,
    pooled_kendall,
    pooled_pearson,
    pooled_spearman,
)
from openmeva.training.statistics.exchanges_within import within_prompts_exchange

_POOLED = {"pearson": pooled_pearson, "spearman": pooled_spearman, "kendall": pooled_kendall}
# Share of a metric's distinct scores that must remain distinct when standardised.
_KEPT = 0.99
# A difference below the observed one by less than this is equal but for the order of summation.
_EQUAL = 1e-12
# As in mt-metrics-eval: a test stops after a block of resamples if its p-value is already below or above these.
_BLOCK, _LOW, _HIGH = 1000, 0.02, 0.5


@dataclass(frozen=True)
class PermutationTest:
    """Result of one test.

    Attributes:
        p_value: that the first metric is no better than the second, 0 to 1.
        difference: the first metric's coefficient minus the second's.
        resamples: their number when the test stopped.
    """

    p_value: float
    difference: float
    resamples: int

    @property
    def nonzero_p_value(self) -> float:
        """The p-value with 1 added to both counts, so that it is never 0; for correction or for printing."""
        return (self.p_value * self.resamples + 1) / (self.resamples + 1)


class PermutationTests:
    """Tests of any two of several metrics, all on the same resamples.

    Args:
        metrics: `(metrics, n)` scores, none constant.
        judgments: `(n,)`.
        swaps: `(resamples, n)` bool, true where a resample exchanges the two scores (`random_swaps`).
        coefficient: `pearson`, `spearman` or `kendall`. For the last two, midranks replace the scores of a metric whose
            order standardising would lose, such as probabilities of whole stories.
        prompts: `(n,)` labels; the coefficient is then the mean over prompts, where prompts with a constant side count
            as 0. None pools the stories.
        block: the test may stop early after each block of this many resamples. With one block of all resamples it
            never does.

    Raises:
        ValueError: shapes do not match, a metric is constant, or the coefficient is unknown; with `prompts`, what
            `within_prompts_exchange` raises; in `test`, if the observed difference is undefined.
    """

    def __init__(
        self,
        metrics: np.ndarray,
        judgments: np.ndarray,
        swaps: np.ndarray,
        coefficient: str = "pearson",
        prompts: np.ndarray | None = None,
        block: int = _BLOCK,
    ) -> None:
        if coefficient not in COEFFICIENTS:
            raise ValueError(f"expected one of {', '.join(COEFFICIENTS)}, got {coefficient!r}")
        if metrics.ndim != 2 or metrics.shape[1:] != judgments.shape or swaps.shape[1:] != judgments.shape:
            raise ValueError(
                f"expected (metrics, n), (n,) and (resamples, n), got {metrics.shape}, {judgments.shape} and "
                f"{swaps.shape}"
            )
        if not (np.ptp(metrics, axis=1) > 0).all():
            raise ValueError(
                f"metric {int(np.argmin(np.ptp(metrics, axis=1)))} gives every story the same score"
            )
        standard = scaled_deviations(metrics)
        standard /= standard.std(axis=1, keepdims=True)
        # Two metrics that differ only in unit become equal story by story, so that their ties are found.
        standard = merge_ties(standard.ravel(), _EQUAL).reshape(standard.shape)
        if coefficient != "pearson":
            standard = _with_ranks_where_order_is_lost(standard, metrics)
        judgments = scaled_deviations(judgments)
        self._block = block
        self._resamples = len(swaps)
        self._pair: Exchange
        if prompts is None:
            self._pair = _POOLED[coefficient](standard, judgments, swaps)
        else:
            self._pair = within_prompts_exchange(standard, judgments, swaps, prompts, coefficient)

    def test(self, first: int, second: int) -> PermutationTest:
        """Tests whether the first metric agrees better than the second; both are given by their row in `metrics`."""
        pair = self._pair(first, second)
        if not np.isfinite(pair.observed):
            raise ValueError(f"expected a difference of two coefficients, got {pair.observed}")
        count = done = 0
        while done < self._resamples:
            stop = min(done + self._block, self._resamples)
            count += int((pair.differences(done, stop) >= pair.observed - _EQUAL).sum())
            done = stop
            if done % self._block == 0 and not _LOW <= count / done <= _HIGH:
                break
        return PermutationTest(count / done, pair.observed, done)


def _with_ranks_where_order_is_lost(standard: np.ndarray, metrics: np.ndarray) -> np.ndarray:
    """`(metrics, n)` standardised scores; standardised midranks for a metric whose distinct scores became equal."""
    result = standard.copy()
    for row, scores in enumerate(map(merge_score_ties, metrics)):
        if len(np.unique(standard[row])) < _KEPT * len(np.unique(scores)):
            ranks = scaled_deviations(rankdata(scores))
            result[row] = ranks / ranks.std()
    return result


def random_swaps(resamples: int, prompts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """`(resamples, n)` bool, each true with probability one half, and equal for all stories of a prompt.

    Args:
        resamples: their number.
        prompts: `(n,)` labels; different ones for independent stories.
        rng: random generator.
    """
    numbers: dict[int, int] = {}
    columns = [numbers.setdefault(label, len(numbers)) for label in prompts.tolist()]
    return rng.integers(0, 2, (resamples, len(numbers)), dtype=np.bool_)[:, columns]
