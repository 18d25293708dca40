"""Correlation within prompts, between systems, and on human-written and machine-generated stories."""

from __future__ import annotations

from typing import Any

import numpy as np

from openmeva.metrics.openmeva.correlation import COEFFICIENTS, coefficients, correlate_part, why_undefined
from openmeva.metrics.openmeva.judged import HUMAN, JudgedStories
from openmeva.metrics.openmeva.ties import merge_ties


def within_prompts(metric: np.ndarray, judged: JudgedStories) -> dict[str, Any]:
    """Mean over prompts of the correlation among the stories of one prompt.

    Returns:
        The three means over the `prompts` (their number) with a coefficient, `dropped` (number of prompts without one,
        because metric or judgments are constant), `with_zeros` (the means with these counted as 0), and `small` (number
        of prompts with fewer than three stories, which are ignored).

    Raises:
        ValueError: no prompt has three stories.
    """
    groups = [np.flatnonzero(judged.prompts == prompt) for prompt in np.unique(judged.prompts)]
    large = [indices for indices in groups if len(indices) >= 3]
    if not large:
        raise ValueError("no prompt has three stories")
    pairs = [(metric[indices], judged.scores[indices]) for indices in large]
    defined = [coefficients(*pair) for pair in pairs if why_undefined(*pair) is None]
    sums = {name: sum(correlation[name] for correlation in defined) for name in COEFFICIENTS}
    return {
        **{name: total / len(defined) if defined else None for name, total in sums.items()},
        "with_zeros": {name: total / len(large) for name, total in sums.items()},
        "prompts": len(defined),
        "dropped": len(large) - len(defined),
        "small": len(groups) - len(large),
    }


def between_systems(metric: np.ndarray, judged: JudgedStories) -> dict[str, Any]:
    """Correlation of mean score with mean judgment over source models.

    Without p-values: with about five models the t approximation is far too optimistic.

    Raises:
        ValueError: the rows do not say which model wrote each story.
    """
    if judged.source_models is None:
        raise ValueError("the rows have no column 'source_model'")
    names = np.array(judged.source_models)
    systems = list(dict.fromkeys(judged.source_models))
    means = merge_ties(
        np.array([[values[names == name].mean() for name in systems] for values in (metric, judged.scores)])
    )
    result = correlate_part(*means)
    result.pop("p_values", None)
    return {
        **result,
        "means": {
            name: {"metric": float(a), "human": float(b)} for name, a, b in zip(systems, *means, strict=True)
        },
    }


def human_and_machine(metric: np.ndarray, judged: JudgedStories) -> dict[str, Any]:
    """Separate correlations on human-written and on machine-generated stories.

    Raises:
        ValueError: the rows do not name both kinds.
    """
    human = np.array([name == HUMAN for name in judged.source_models or []])
    if not human.any() or human.all():
        raise ValueError("the rows do not have both human-written and machine-generated stories")
    return {
        "human": correlate_part(metric[human], judged.scores[human]),
        "machine": correlate_part(metric[~human], judged.scores[~human]),
    }
