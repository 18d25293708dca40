"""Results on one judged set: a row per metric with intervals, trivial baselines, and paired tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from openmeva.metrics.openmeva.agreement import agreement
from openmeva.metrics.openmeva.baselines import beats_trivial, trivial_baselines
from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.ceiling import check_ceiling, noise_ceiling
from openmeva.metrics.openmeva.comparison import correct_p_values, paired_tests
from openmeva.metrics.openmeva.correlation import correlate
from openmeva.metrics.openmeva.judged import JudgedStories, check_predictions
from openmeva.metrics.openmeva.sources import judgments_by_source
from openmeva.metrics.openmeva.trivial import trivial_scores
from openmeva.training.benchmark.results.levels import BootstrapSamples, Levels
from openmeva.training.benchmark.results.standings import standings
from openmeva.training.benchmark.results.titles import OURS, RELEASED, TRIVIAL, released_title
from openmeva.training.benchmark.results.verdicts import add_verdicts, least_draws
from openmeva.training.statistics.pairs import calibrated_accuracy
from openmeva.training.statistics.permutation import PermutationTests, random_swaps

RESAMPLES = 10_000  # of permutation tests; the tests of `standings` stop early
# Maximum of resamples times stories: sets of more than 5,000 stories have fewer resamples, at least 1,000.
MAX_SWAPS = 50_000_000
MAX_PAIRED_STORIES = 3000  # stories: larger sets have no pairwise accuracy


def judged_table(
    judged: JudgedStories,
    ours: Mapping[str, list[float]],
    released: Mapping[str, list[float]],
    draws: int,
    rng: np.random.Generator,
    sources: bool = True,
    maybe_trained_on: Collection[str] = (),
    comparisons: bool = True,
    coefficient: str | None = None,
    kinds: tuple[str, str] = (OURS, RELEASED),
) -> dict[str, Any]:
    """The main table of a judged set.

    Args:
        judged: the stories.
        ours: row title to scores of this project's metrics.
        released: row title to scores that others released.
        draws, rng: least number of bootstrap samples, which all rows share, and their random generator; there are more if
            so many metrics need them (`least_draws`).
        sources: whether to compare the judgments of every two source models, which is slow for many.
        maybe_trained_on: titles of metrics that may have been trained on these judgments: if one exceeds the noise ceiling,
            that is no evidence against the ceiling.
        comparisons: whether to compare metrics with each other; else the result has `draws` (title to bootstrap
            coefficients) instead of `pairs` and `standings`.
        coefficient: `pearson`, `spearman` or `kendall`, which comparisons use at every level. Default: Pearson, and
            Spearman within prompts.
        kinds: of the rows of `ours`, and of those of `released`.

    Returns:
        `rows` (coefficients pooled over stories, `p_values`, `intervals`, the levels `within_prompts` and
        `between_systems`, `accuracy` (acc_eq, of at most 3,000 stories), `kind`: one of `kinds`, or trivial, and
        for the first two `beats_trivial`), `pairs` (each metric against the best, with Holm's correction), `standings`
        (significance clusters and ranks), `noise_ceiling`, `agreement`, `sources` if requested, `n`, `prompts`,
        `judgments`, `scores`, `unavailable`.

    Raises:
        ValueError: scores do not fit the stories (names the row of the table and the story).
    """
    # The tests have their own random stream, so that they do not change the bootstrap samples.
    permutation_rng, level_rng = rng.spawn(2)
    resamples = n_resamples(len(judged))
    draws = max(draws, least_draws(len(ours) + len(released)))
    bootstrap = PromptBootstrap(judged.scores, judged.prompts, draws, rng)
    levels = Levels(judged, bootstrap.counts, int(level_rng.integers(2**63)))
    trivial, trivial_draws = trivial_baselines(judged, bootstrap)
    rows: dict[str, dict[str, Any]] = {}
    scores: dict[str, np.ndarray] = {}
    samples: dict[str, BootstrapSamples] = {}
    within: dict[str, BootstrapSamples] = {}
    for kind, by_title in zip(kinds, (ours, released), strict=True):
        for title, values in by_title.items():
            name = title if by_title is ours else released_title(title, ours)
            array = _checked(name, values, judged)
            scores[name], samples[name] = array, bootstrap.correlations(array)
            rows[name] = {
                "kind": kind,
                **correlate(array, judged.scores),
                "intervals": intervals(samples[name]),
            }
            within[name] = _add_levels(rows[name], array, judged, levels)
            rows[name]["beats_trivial"] = beats_trivial(rows[name], samples[name], trivial, trivial_draws)
    for name, array in trivial_scores(judged.stories).items():
        rows[name] = {"kind": TRIVIAL, **trivial[name]}
        if "undefined" not in trivial[name]:
            _add_levels(rows[name], array, judged, levels)
    comparable = {name: row for name, row in rows.items() if name not in maybe_trained_on}
    comparison_results: dict[str, Any] = (
        {
            "pairs": _pairs(
                rows, scores, samples, judged, resamples, permutation_rng, coefficient or "pearson"
            ),
            "standings": standings(
                judged, rows, scores, samples, within, resamples, permutation_rng, coefficient
            ),
        }
        if comparisons
        else {"draws": samples}
    )
    result: dict[str, Any] = {
        "n": len(judged),
        "prompts": bootstrap.prompts,
        "rows": rows,
        **comparison_results,
        "judgments": judged.scores.tolist(),
        "scores": {name: array.tolist() for name, array in scores.items()},
    }
    unavailable = {}
    for name, compute in {
        "noise_ceiling": lambda: _ceiling(judged, comparable, rng),
        "agreement": lambda: agreement(_ratings(judged), judged.raters),
        **({"sources": lambda: judgments_by_source(judged)} if sources else {}),
    }.items():
        try:
            result[name] = compute()
        except ValueError as error:
            unavailable[name] = str(error)
    return {**result, "unavailable": unavailable}


def n_resamples(stories: int) -> int:
    """Number of resamples of a permutation test on this number of stories.

    >>> n_resamples(200), n_resamples(10_000)
    (10000, 5000)
    """
    return min(RESAMPLES, max(1000, MAX_SWAPS // stories))


def _checked(name: str, values: list[float], judged: JudgedStories) -> np.ndarray:
    try:
        return check_predictions(values, len(judged))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _add_levels(
    row: dict[str, Any], metric: np.ndarray, judged: JudgedStories, levels: Levels
) -> BootstrapSamples:
    """Adds the levels and the pairwise accuracy to a row; returns the bootstrap means within prompts."""
    if len(judged) <= MAX_PAIRED_STORIES:
        row["accuracy"] = asdict(calibrated_accuracy(metric, judged.scores))
    row["within_prompts"], samples = levels.within(metric)
    row["between_systems"] = levels.between(metric)
    return samples


def _ratings(judged: JudgedStories) -> np.ndarray:
    if judged.ratings is None:
        raise ValueError("the individual ratings are not known, only their mean")
    return judged.ratings


def _ceiling(
    judged: JudgedStories, rows: Mapping[str, Mapping[str, Any]], rng: np.random.Generator
) -> dict[str, Any]:
    result = noise_ceiling(_ratings(judged), rng, prompts=judged.prompts)
    check_ceiling(result, rows)
    return result


def _pairs(
    rows: Mapping[str, dict[str, Any]],
    scores: Mapping[str, np.ndarray],
    samples: Mapping[str, BootstrapSamples],
    judged: JudgedStories,
    resamples: int,
    rng: np.random.Generator,
    coefficient: str,
) -> dict[str, Any]:
    """Paired tests of the best metric (by the pooled coefficient) against each other one; p-values are two-sided.

    The best metric is chosen on the same judgments. The permutation test uses the coefficient, too.
    """
    if len(scores) < 2:
        return {}
    names = list(scores)
    best = max(scores, key=lambda name: rows[name][coefficient])
    tests = {
        name: paired_tests(scores[best], scores[name], judged.scores, samples[best], samples[name])
        for name in scores
        if name != best
    }
    permutations = PermutationTests(
        np.array([scores[name] for name in names]),
        judged.scores,
        random_swaps(resamples, judged.prompts, rng),
        coefficient,
        block=resamples,  # p-values to be corrected need all resamples
    )
    for name, test in tests.items():
        result = permutations.test(names.index(best), names.index(name))
        test["permutation"] = {**asdict(result), "p_value": min(1.0, 2 * result.nonzero_p_value)}
    add_verdicts(tests, coefficient)
    p_values = {
        name: test["williams"]["p_value"] for name, test in tests.items() if "p_value" in test["williams"]
    }
    for name, corrected in correct_p_values(p_values).items():
        tests[name]["williams"]["holm"] = corrected["holm"]
    return {"best": best, "coefficient": coefficient, "against": tests}
