"""Explanations against raters' error types: edits (UNION, appendix D) and the gain without each sentence.

An explanation of a story is `{"sentences": [{"text", "gain"}], "edits": [{"token", "suggestion", "sentence",
…}]}`: how much the score gains when a sentence is dropped, and the tokens that the reconstruction head would
change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.autos import auc
from openmeva.metrics.openmeva.correlation import correlate, why_undefined
from openmeva.metrics.openmeva.error_types import story_error_types
from openmeva.metrics.openmeva.judged import JudgedStories


def explanation_tables(
    explanations: Sequence[dict[str, Any]],
    judged: JudgedStories,
    reasonable_above: float,
    one_error_only: bool,
) -> dict[str, Any]:
    """Edits and sentence gains against the judgments, overall and by error type.

    All measures are signed so that a positive correlation is good: unedited (1) or edited (0), minus the number of
    edits, and minus the largest gain.

    Returns:
        `edited` (share of stories), `edits_per_story`, `spearman` and `p_values` by measure (`unedited`, `few_edits`,
        `low_gain`), `n`, `reasonable` (number of stories), and `types`: for each error type the same against reasonable
        (1) and faulty (0) stories, with `faulty` (number of stories), `by_score` (the same against the judgments),
        `auc`, the probability that a faulty story has the larger gain, and `votes`, Spearman of the
        largest gain with the number of raters who named the type, over all stories.
    """
    if len(explanations) != len(judged):
        raise ValueError(f"expected {len(judged)} explanations, one per story, got {len(explanations)}")
    edits = np.array([float(len(one["edits"])) for one in explanations])
    gains = np.array(
        [max((sentence["gain"] for sentence in one["sentences"]), default=0.0) for one in explanations]
    )
    measures = {"unedited": (edits == 0).astype(float), "few_edits": -edits, "low_gain": -gains}
    result: dict[str, Any] = {
        "n": len(judged),
        "edited": float((edits > 0).mean()),
        "edits_per_story": float(edits.mean()),
        **_spearman(measures, judged.scores),
    }
    if judged.error_types is None:
        return result
    types = story_error_types(judged.error_types, one_error_only=one_error_only)
    reasonable = judged.scores > reasonable_above
    result["reasonable"] = int(reasonable.sum())
    result["types"] = {}
    for name in sorted(set().union(*types)):
        faulty = np.array([name in names for names in types]) & ~reasonable
        keep = faulty | reasonable
        votes = np.array([float(sum(name in one for one in raters)) for raters in judged.error_types])
        result["types"][name] = {
            "faulty": int(faulty.sum()),
            **_spearman(
                {key: values[keep] for key, values in measures.items()}, reasonable[keep].astype(float)
            ),
            "by_score": _spearman(
                {key: values[keep] for key, values in measures.items()}, judged.scores[keep]
            ),
            "auc": auc(gains[faulty], gains[reasonable]) if faulty.any() and reasonable.any() else None,
            "votes": float(stats.spearmanr(gains, votes).statistic)
            if np.ptp(votes) and np.ptp(gains)
            else None,
        }
    return result


def _spearman(measures: dict[str, np.ndarray], judgments: np.ndarray) -> dict[str, Any]:
    values: dict[str, float | None] = {}
    p_values: dict[str, float | None] = {}
    for name, measure in measures.items():
        if why_undefined(measure, judgments):
            values[name] = p_values[name] = None
            continue
        found = correlate(measure, judgments)
        values[name], p_values[name] = found["spearman"], found["p_values"]["spearman"]
    return {"spearman": values, "p_values": p_values}
