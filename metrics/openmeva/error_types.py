"""Correlations on reasonable stories and stories of one error type (OpenMEVA Table 3, UNION Table 7)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.drift import correlations_with_intervals
from openmeva.metrics.openmeva.judged import JudgedStories

REASONABLE = "reasonable"
RATERS = 3  # who have to name a type; all of them if a story has fewer


def story_error_types(
    error_types: list[list[list[str]]], raters: int = RATERS, one_error_only: bool = True
) -> list[set[str]]:
    """The error types of each story that at least `raters` raters named, or all of them if it has fewer.

    OpenMEVA assigns a type to a story only if it is the only one agreed on. UNION assigns every agreed type
    (`one_error_only=False` gives the 24, 38, 61 and 23 stories of its Table 7).

    >>> story_error_types([[["chaotic"], ["chaotic"], ["chaotic", "repeated"], [], []]])
    [{'chaotic'}]
    """
    types_by_story = []
    for by_rater in error_types:
        votes = Counter(name for types in by_rater for name in set(types))
        agreed = {name for name, count in votes.items() if count >= min(raters, len(by_rater))}
        types_by_story.append(set() if one_error_only and len(agreed) > 1 else agreed)
    return types_by_story


def by_error_type(
    metric: np.ndarray,
    judged: JudgedStories,
    reasonable_above: float,
    draws: int,
    rng: np.random.Generator,
    one_error_only: bool = True,
) -> dict[str, Any]:
    """Correlation on the reasonable stories and those of one error type, for each type.

    OpenMEVA correlates scores with labels, 1 (reasonable) or 0 (of this type), and uses stories with only one type
    (section 4.2). UNION correlates scores with ratings, and uses a story for each of its types (section 4.5).

    Args:
        metric: `(n,)` scores.
        judged: the stories, with error types.
        reasonable_above: a story judged above this is reasonable.
        draws, rng: for the intervals.
        one_error_only: as OpenMEVA, exclude stories of several types and correlate with labels; otherwise as UNION.

    Returns:
        `reasonable` (their number), `raters` (how many had to name a type, if a story has so many), `against` (`labels`
        or `ratings`: what scores are correlated with) and `types`, which maps each type to coefficients, `p_values`, `intervals`,
        `n` (both groups) and `unreasonable` (number of stories of that type).

    Raises:
        ValueError: the rows have no error types.
    """
    if judged.error_types is None:
        raise ValueError("the rows have no column 'error_types'")
    raters = min(RATERS, max(map(len, judged.error_types), default=RATERS))
    types = story_error_types(judged.error_types, raters, one_error_only)
    reasonable = judged.scores > reasonable_above
    results = {}
    for name in sorted(set().union(*types)):
        wrong = np.array([name in story_types for story_types in types]) & ~reasonable
        keep = reasonable | wrong
        chosen = judged.subset(keep)
        if one_error_only:
            chosen = replace(chosen, scores=reasonable[keep].astype(float), low=0.0, high=1.0)
        results[name] = {
            **correlations_with_intervals(metric[keep], chosen, draws, rng),
            "unreasonable": int(wrong.sum()),
        }
    against = "labels" if one_error_only else "ratings"
    return {REASONABLE: int(reasonable.sum()), "raters": raters, "against": against, "types": results}
