"""Results of metrics on one set: agreement with people, also compared with other metrics."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from openmeva.metrics.openmeva.comparison import paired_tests
from openmeva.metrics.openmeva.drift import model_drift
from openmeva.metrics.openmeva.error_types import by_error_type
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.data.sets import TestSet, own_references
from openmeva.training.benchmark.results.judged import judged_table, n_resamples
from openmeva.training.benchmark.results.levels import BootstrapSamples
from openmeva.training.benchmark.results.titles import OTHER, OWN
from openmeva.training.benchmark.results.verdicts import add_verdicts
from openmeva.training.common.fields import prompt_of
from openmeva.training.statistics.permutation import PermutationTests, random_swaps

EXAMPLES = 3  # stories shown per side
Scores = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Sampling:
    """Number of bootstrap samples of prompts, and the random seed, which the permutation tests share."""

    draws: int = 10_000
    seed: int = 0


def judge_set(
    test_set: TestSet,
    rows: Sequence[Mapping[str, Any]],
    own: Scores,
    others: Scores,
    sampling: Sampling,
    negated: Collection[str] = (),
) -> dict[str, Any]:
    """The user's metrics on a judged set.

    Args:
        test_set, rows: the set and its stories.
        own: title to the scores of the user's metrics, higher is better.
        others: title to the scores of metrics to compare with.
        negated: titles of `own` whose scores were negated; their examples show the scores as they were given.

    Returns:
        `rows` (all metrics and trivial baselines: `kind` own, other or trivial, and three levels as in `judged_table`),
        `metrics` (of the user's: `comparisons`, `by_source`, `error_types`, `examples`, `scores`), `judgments`,
        `sources`, `n`, `prompts`, `noise_ceiling`, `agreement`, `unavailable`, `title`, `corpus`, `licence`.

    Raises:
        ValueError: scores do not fit the stories or are constant.
    """
    judged = JudgedStories.from_rows(rows, test_set.scale)
    rng = np.random.default_rng(sampling.seed)
    table = judged_table(
        judged,
        {k: list(v) for k, v in own.items()},
        {k: list(v) for k, v in others.items()},
        sampling.draws,
        rng,
        sources=False,
        maybe_trained_on=own,
        comparisons=False,
        kinds=(OWN, OTHER),
    )
    scores = {title: np.array(values) for title, values in table.pop("scores").items()}
    given = {
        title: [float(value) for value in values] for title, values in own.items()
    }  # `scores` may be rescaled
    comparisons = _comparisons(list(own), scores, judged, table.pop("draws"), sampling)
    table["sources"] = judged.source_models
    table["metrics"] = {
        title: {
            "comparisons": comparisons[title],
            "examples": _examples(scores[title], given[title], judged, rows, -1 if title in negated else 1),
            "scores": given[title],
            **_parts(test_set, scores[title], judged, sampling),
        }
        for title in own
    }
    table["own_references"] = own_references(rows)
    return {"title": test_set.title, "corpus": test_set.corpus, "licence": test_set.licence, **table}


def _comparisons(
    titles: Sequence[str],
    scores: Mapping[str, np.ndarray],
    judged: JudgedStories,
    samples: Mapping[str, BootstrapSamples],
    sampling: Sampling,
) -> dict[str, dict[str, Any]]:
    """Each metric of `titles` against every other: difference of Pearson, PERM-BOTH, bootstrap, Holm's correction.

    PERM-BOTH's p-value is two-sided: twice that of the one-sided test in the direction of the observed difference. With few
    resamples no p-value could be small enough after the correction, so there are at least `n_resamples`. All comparisons
    share the bootstrap coefficients `samples` (by title) and the exchanges.
    """
    resamples = max(sampling.draws, n_resamples(len(judged)))
    swaps = random_swaps(resamples, judged.prompts, np.random.default_rng(sampling.seed))
    # p-values to be corrected need all resamples
    tests = PermutationTests(np.stack(list(scores.values())), judged.scores, swaps, block=resamples)
    indices = {name: index for index, name in enumerate(scores)}
    comparisons: dict[str, dict[str, Any]] = {title: {} for title in titles}
    for title, others in comparisons.items():
        for name in scores:
            if name == title:
                continue
            forward = tests.test(indices[title], indices[name])
            against = forward if forward.difference >= 0 else tests.test(indices[name], indices[title])
            others[name] = paired_tests(
                scores[title], scores[name], judged.scores, samples[title], samples[name]
            )
            others[name]["permutation"] = {"p_value": min(1.0, 2 * against.nonzero_p_value)}
        add_verdicts(others, "pearson")
    return comparisons


def _parts(
    test_set: TestSet, metric: np.ndarray, judged: JudgedStories, sampling: Sampling
) -> dict[str, Any]:
    """Agreement within each source model and against each error type, if the set names them."""
    rng = np.random.default_rng(sampling.seed)
    above = test_set.options.get("reasonable_above", judged.reasonable_above)
    single = test_set.options.get("one_error_only", True)
    result: dict[str, Any] = {}
    if judged.source_models is not None:
        result["by_source"] = model_drift(metric, judged, sampling.draws, rng)["by_source"]
    if judged.error_types is not None:
        result["error_types"] = by_error_type(
            metric, judged, above, sampling.draws, rng, one_error_only=single
        )
    return result


def _examples(
    metric: np.ndarray,
    given: Sequence[float],
    judged: JudgedStories,
    rows: Sequence[Mapping[str, Any]],
    sign: int,
) -> dict[str, list[dict[str, Any]]]:
    """The stories that the metric ranks furthest above (`higher`) and below (`lower`) people's ranks, if any.

    `sign` restores the `given` scores as the metric returned them.
    """
    n = len(judged)
    metric_ranks, people_ranks = (
        100 * (stats.rankdata(values) - 1) / (n - 1) for values in (metric, judged.scores)
    )
    difference = metric_ranks - people_ranks
    order = np.argsort(difference, kind="stable")
    higher, lower = order[::-1][:EXAMPLES], order[:EXAMPLES]
    sides = {"higher": higher[difference[higher] > 0], "lower": lower[difference[lower] < 0]}
    return {
        side: [
            {
                "story_id": judged.story_ids[index],
                "source": judged.source_models[index] if judged.source_models else None,
                "prompt": prompt_of(rows[index]),
                "story": judged.stories[index],
                "judgment": float(judged.scores[index]),
                "score": sign * given[index],
                "metric_rank": float(metric_ranks[index]),
                "people_rank": float(people_ranks[index]),
            }
            for index in indices
        ]
        for side, indices in sides.items()
    }
