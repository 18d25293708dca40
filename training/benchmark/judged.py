"""One judged set: a row for each metric, with intervals, the trivial rows, and paired tests between rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.agreement import agreement
from openmeva.metrics.openmeva.baselines import beats_trivial, trivial_rows
from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.ceiling import noise_ceiling
from openmeva.metrics.openmeva.comparison import compare, correct
from openmeva.metrics.openmeva.correlation import correlate
from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions
from openmeva.metrics.openmeva.sources import judgments_by_source


def judged_table(
    judged: JudgedStories,
    ours: Mapping[str, list[float]],
    released: Mapping[str, list[float]],
    draws: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """The main table of a judged set.

    Args:
        judged: the stories.
        ours: row title to scores of this project's metrics.
        released: row title to scores that others released.
        draws, rng: of the bootstrap, which all rows share.

    Returns:
        `rows` (coefficients, `p_values`, `intervals`, `kind`: ours, released or trivial, and for the first two
        `beats_trivial`), `pairs` (each metric against the best, corrected after Holm), `noise_ceiling`,
        `agreement`, `sources`, `n`, `prompts`, `judgments`, `scores`, `unavailable`.

    Raises:
        ValueError: scores that do not fit the stories (which row of the table, which story).
    """
    bootstrap = PromptBootstrap(judged.scores, judged.prompts, draws, rng)
    trivial, trivial_draws = trivial_rows(judged, bootstrap)
    rows: dict[str, dict[str, Any]] = {}
    scores: dict[str, np.ndarray] = {}
    samples: dict[str, dict[str, np.ndarray]] = {}
    for kind, found in {"ours": ours, "released": released}.items():
        for title, values in found.items():
            name = title if kind == "ours" or title not in ours else f"{title} (released)"
            array = _checked(name, values, judged)
            scores[name], samples[name] = array, bootstrap.correlations(array)
            rows[name] = {
                "kind": kind,
                **correlate(array, judged.scores),
                "intervals": intervals(samples[name]),
            }
            rows[name]["beats_trivial"] = beats_trivial(rows[name], samples[name], trivial, trivial_draws)
    rows |= {name: {"kind": "trivial", **row} for name, row in trivial.items()}
    result: dict[str, Any] = {
        "n": len(judged),
        "prompts": bootstrap.prompts,
        "rows": rows,
        "pairs": _pairs(rows, scores, samples, judged.scores),
        "judgments": judged.scores.tolist(),
        "scores": {name: array.tolist() for name, array in scores.items()},
    }
    unavailable = {}
    for name, compute in {
        "noise_ceiling": lambda: noise_ceiling(_ratings(judged), rng),
        "agreement": lambda: agreement(_ratings(judged), judged.raters),
        "sources": lambda: judgments_by_source(judged),
    }.items():
        try:
            result[name] = compute()
        except ValueError as error:
            unavailable[name] = str(error)
    return {**result, "unavailable": unavailable}


def _checked(name: str, values: list[float], judged: JudgedStories) -> np.ndarray:
    try:
        return check_predictions(values, len(judged))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _ratings(judged: JudgedStories) -> np.ndarray:
    if judged.ratings is None:
        raise ValueError("the single ratings are not known, only their mean")
    return judged.ratings


def _pairs(
    rows: Mapping[str, dict[str, Any]],
    scores: Mapping[str, np.ndarray],
    samples: Mapping[str, dict[str, np.ndarray]],
    judgments: np.ndarray,
) -> dict[str, Any]:
    """Paired tests of the best metric (by Pearson) against each other one."""
    if len(scores) < 2:
        return {}
    best = max(scores, key=lambda name: rows[name]["pearson"])
    tests = {
        name: compare(scores[best], scores[name], judgments, samples[best], samples[name])
        for name in scores
        if name != best
    }
    p_values = {
        name: test["williams"]["p_value"] for name, test in tests.items() if "p_value" in test["williams"]
    }
    for name, corrected in correct(p_values).items():
        tests[name]["williams"]["holm"] = corrected["holm"]
    return {"best": best, "against": tests}
