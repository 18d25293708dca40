"""A verdict in words on one story, or on two, from the recommended metric's percentile among human stories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from openmeva.metrics.core.description import DEFAULT_METRIC
from openmeva.spaces.distributions import PercentileRank, better_than, percent
from openmeva.spaces.scorer import Score

LOW_PERCENTILE = 1.0
"""A score is low if it is better than at most this percentage of human stories; only then are errors looked for."""
_DOUBTFUL_PERCENTILE, _GOOD = 10.0, 50.0
NOISE_SHARE = 0.8


@dataclass(frozen=True)
class Verdict:
    """The verdict on a story.

    Attributes:
        words: the heading.
        why: the reason, in one or two sentences.
        tone: `good`, `doubtful`, `bad`, or `none` where there is no verdict.
        score: the recommended metric's score; `None` where it has none.
    """

    words: str
    why: str
    tone: str
    score: Score | None = None


def recommended_score(scores: Sequence[Score]) -> Score | None:
    """The recommended metric's score; `None` where it has no value."""
    return next(
        (score for score in scores if score.metric == DEFAULT_METRIC and score.value is not None), None
    )


def human_percentile_rank(score: Score) -> PercentileRank | None:
    """A score's percentile among human stories; `None` where it is not known."""
    return next((rank for rank in score.percentile_ranks if rank.group == "human"), None)


def is_low(value: float, score: Score) -> bool:
    """Whether a value is low among human stories, by the distribution that `score`, of the same metric, was placed in."""
    rank = human_percentile_rank(score)
    return rank is not None and better_than(value, rank.quantiles, score.number.higher) <= LOW_PERCENTILE


def verdict_on(scores: Sequence[Score], warning: str | None) -> Verdict:
    """The verdict on one story; `warning` says why the text may not be a story."""
    score = recommended_score(scores)
    if warning:
        return Verdict("No verdict", f"This text may not be a story ({warning}).", "none", score)
    rank = human_percentile_rank(score) if score else None
    if score is None or rank is None:
        return Verdict(
            "No verdict",
            "The recommended metric, or its scores of human stories, are not available.",
            "none",
            score,
        )
    words, tone = next(wording for least, wording in _WORDS if rank.better_than > least)
    why = f"By {score.number.title}, {percent(rank.better_than)} of {rank.count:,} human stories are worse."
    return Verdict(words, why, tone, score)


_WORDS = (
    (_GOOD, ("It holds together well", "good")),
    (_DOUBTFUL_PERCENTILE, ("It holds together as many human stories do", "good")),
    (LOW_PERCENTILE, ("Doubtful: few human stories score so low", "doubtful")),
    (-1.0, ("Something is wrong with it", "bad")),
)


def verdict_between(
    first: Sequence[Score], second: Sequence[Score], warnings: Sequence[str | None]
) -> Verdict:
    """Which of two stories is better, and whether the difference is more than noise.

    A difference is more than noise if four in five pairs of human stories differ by less (`noise_bound`).
    """
    for name, warning in zip(("first", "second"), warnings, strict=True):
        if warning:
            return Verdict("No verdict", f"The {name} text may not be a story ({warning}).", "none")
    first_score, second_score = recommended_score(first), recommended_score(second)
    rank = human_percentile_rank(first_score) if first_score else None
    if (
        first_score is None
        or second_score is None
        or rank is None
        or first_score.value is None
        or second_score.value is None
    ):
        return Verdict(
            "No verdict", "The recommended metric, or its scores of human stories, are not available.", "none"
        )
    difference, bound = first_score.value - second_score.value, noise_bound(rank.quantiles)
    comparison = f"{first_score.number.title} gives {first_score.value:.2f} and {second_score.value:.2f}"
    if abs(difference) <= bound:
        return Verdict(
            "No clear difference",
            f"{comparison}: no more than noise, since one in five pairs of human stories differs by more than {bound:.2f}.",
            "none",
        )
    better = "first" if (difference > 0) == first_score.number.higher else "second"
    return Verdict(
        f"The {better} story holds together better",
        f"{comparison}: more than noise, since four in five pairs of human stories differ by less than {bound:.2f}.",
        "good",
    )


@lru_cache(maxsize=32)
def noise_bound(quantiles: tuple[float, ...], share: float = NOISE_SHARE) -> float:
    """The score difference that this share of pairs of stories stays below, given evenly spaced quantiles of their scores.

    >>> noise_bound((0.0, 1.0, 2.0), 1.0)
    2.0
    """
    values = np.array(quantiles)
    first, second = np.triu_indices(len(values), 1)
    return float(np.quantile(np.abs(values[first] - values[second]), share))
