"""One verdict on a story, or on two, in words: where the recommended metric's score falls among human stories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from openmeva.metrics.core.description import RECOMMENDED
from openmeva.spaces.distributions import Placement, better_than, percent
from openmeva.spaces.scorer import Score

LOW = 1.0
"""A score is low where it is better than at most this percentage of human stories: then errors are looked for."""
_DOUBTFUL, _GOOD = 10.0, 50.0
NOISE_SHARE = 0.8


@dataclass(frozen=True)
class Verdict:
    """What is said first.

    Attributes:
        words: a few, as a heading.
        why: a sentence or two.
        tone: `good`, `doubtful`, `bad`, or `none` where there is no verdict.
        score: the recommended metric's; `None` where it has none.
    """

    words: str
    why: str
    tone: str
    score: Score | None = None


def recommended(scores: Sequence[Score]) -> Score | None:
    """The recommended metric's number, where it has a value."""
    return next((one for one in scores if one.metric == RECOMMENDED and one.value is not None), None)


def among_people(score: Score) -> Placement | None:
    """Where a score falls among human stories."""
    return next((one for one in score.placements if one.group == "human"), None)


def is_low(value: float, score: Score) -> bool:
    """Whether a value is low among the human stories that `score`, of the same metric, was placed among."""
    place = among_people(score)
    return place is not None and better_than(value, place.quantiles, score.number.higher) <= LOW


def verdict_on(scores: Sequence[Score], warning: str | None) -> Verdict:
    """The verdict on one story; `warning` is what speaks against its being one."""
    score = recommended(scores)
    if warning:
        return Verdict("No verdict", f"This may be no story to score ({warning}).", "none", score)
    place = among_people(score) if score else None
    if score is None or place is None:
        return Verdict(
            "No verdict",
            "The recommended metric, or its scores of human stories, are not here.",
            "none",
            score,
        )
    words, tone = next(said for least, said in _WORDS if place.better_than > least)
    why = f"By {score.number.title}, {percent(place.better_than)} of {place.count:,} human stories are worse."
    return Verdict(words, why, tone, score)


_WORDS = (
    (_GOOD, ("It holds together well", "good")),
    (_DOUBTFUL, ("It holds together as many human stories do", "good")),
    (LOW, ("Doubtful: few human stories score so low", "doubtful")),
    (-1.0, ("Something is wrong with it", "bad")),
)


def verdict_between(
    first: Sequence[Score], second: Sequence[Score], warnings: Sequence[str | None]
) -> Verdict:
    """Which of two stories is better, and whether the difference is more than noise.

    Noise is what the scores of human stories differ by: four pairs of five of them lie nearer than `noise`.
    """
    for name, warning in zip(("first", "second"), warnings, strict=True):
        if warning:
            return Verdict("No verdict", f"The {name} may be no story to score ({warning}).", "none")
    one, other = recommended(first), recommended(second)
    place = among_people(one) if one else None
    if one is None or other is None or place is None or one.value is None or other.value is None:
        return Verdict(
            "No verdict", "The recommended metric, or its scores of human stories, are not here.", "none"
        )
    gap, bound = one.value - other.value, noise(place.quantiles)
    said = f"{one.number.title} gives {one.value:.2f} and {other.value:.2f}"
    if abs(gap) <= bound:
        return Verdict(
            "No clear difference",
            f"{said}: no more than noise, since one pair of human stories in five lies further apart than {bound:.2f}.",
            "none",
        )
    better = "first" if (gap > 0) == one.number.higher else "second"
    return Verdict(
        f"The {better} story holds together better",
        f"{said}: more than noise, since four pairs of human stories in five lie nearer than {bound:.2f}.",
        "good",
    )


@lru_cache(maxsize=32)
def noise(quantiles: tuple[float, ...], share: float = NOISE_SHARE) -> float:
    """What this share of pairs of stories lie nearer than, given evenly spaced quantiles of their scores.

    >>> noise((0.0, 1.0, 2.0), 1.0)
    2.0
    """
    values = np.array(quantiles)
    first, second = np.triu_indices(len(values), 1)
    return float(np.quantile(np.abs(values[first] - values[second]), share))
