"""Three views of one correlation: within prompts, between systems, over the whole dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from openmeva.metrics.openmeva.correlation import COEFFICIENTS, correlate_part
from openmeva.metrics.openmeva.judged import HUMAN, JudgedStories


def prompt_level(metric: np.ndarray, judged: JudgedStories) -> dict[str, Any]:
    """Mean over prompts of the correlation among the stories of one prompt.

    Prompts with fewer than three stories, or where metric or judgment is constant, have none; `undefined`
    counts them.

    Raises:
        ValueError: no prompt has three stories.
    """
    groups = [np.flatnonzero(judged.prompts == prompt) for prompt in np.unique(judged.prompts)]
    if max(map(len, groups)) < 3:
        raise ValueError("no prompt has three stories")
    found = [correlate_part(metric[places], judged.scores[places]) for places in groups]
    defined = [result for result in found if "undefined" not in result]
    means = {
        name: float(np.mean([one[name] for one in defined])) if defined else None for name in COEFFICIENTS
    }
    return {**means, "prompts": len(defined), "undefined": len(found) - len(defined)}


def system_level(metric: np.ndarray, judged: JudgedStories) -> dict[str, Any]:
    """Correlation of mean score with mean judgment over source models.

    No p-values: with five models or so the t approximation claims far too much.

    Raises:
        ValueError: the rows do not say which model wrote each story.
    """
    if judged.source_models is None:
        raise ValueError("the rows have no column 'source_model'")
    names = np.array(judged.source_models)
    systems = list(dict.fromkeys(judged.source_models))
    means = np.array(
        [[values[names == name].mean() for name in systems] for values in (metric, judged.scores)]
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
    """Correlations on human-written and on machine-written stories apart.

    Raises:
        ValueError: not both kinds are known to be present.
    """
    human = np.array([name == HUMAN for name in judged.source_models or []])
    if not human.any() or human.all():
        raise ValueError("the rows do not hold both human-written and machine-written stories")
    return {
        "human": correlate_part(metric[human], judged.scores[human]),
        "machine": correlate_part(metric[~human], judged.scores[~human]),
    }
