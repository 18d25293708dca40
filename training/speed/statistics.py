"""Speed of the statistics: tests of every pair of 50 metrics on 1,000 stories, with 10,000 resamples each."""

import warnings
from functools import partial

import numpy as np
from scipy import stats

from openmeva.training.speed.parts import Rows, time_call
from openmeva.training.statistics.pairs import calibrated_accuracy
from openmeva.training.statistics.permutation import PermutationTests, random_swaps

METRICS, STORIES, PROMPT, RESAMPLES = 50, 1000, 5, 10_000
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
TARGET = "under 60 s in all"


def statistics_rows() -> Rows:
    """Rows for PERM-BOTH of all pairs without early stopping, compared with a loop over SciPy, and for acc_eq."""
    judgments, metrics, prompts, swaps = synthetic_scores(METRICS, STORIES, RESAMPLES)
    rows: Rows = []
    for level, coefficient in (("pooled", "pearson"), ("within prompts", "spearman")):
        chosen = None if level == "pooled" else prompts
        wall, took = time_call(partial(all_pairs, metrics, judgments, swaps, coefficient, chosen))
        sample_size = 20 if chosen is None else 2
        slow = (
            direct_method_seconds(metrics[0], metrics[1], judgments, swaps[:sample_size], coefficient, chosen)
            / sample_size
        )
        pairs = METRICS * (METRICS - 1) // 2
        rows.append(
            (
                f"PERM-BOTH, {level} {coefficient}, {pairs} pairs of metrics, {STORIES} stories, "
                f"{RESAMPLES} resamples",
                f"{wall:.1f} s ({took:.1f} s of processor time)",
                f"{slow * pairs * RESAMPLES / took:.0f}",
                TARGET,
            )
        )
    wall, took = time_call(lambda: [calibrated_accuracy(metric, judgments) for metric in metrics])
    title = f"acc_eq of {METRICS} metrics, all pairs of {STORIES} stories"
    rows.append((title, f"{wall:.1f} s ({took:.1f} s of processor time)", "-", TARGET))
    return rows


def synthetic_scores(
    metrics: int, stories: int, resamples: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Synthetic judgments with ties, scores, prompts of five stories, and random swaps."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=stories)
    judgments = np.rint(5 * np.clip(3 + quality, 1, 5)) / 5
    scores = quality + np.linspace(0.5, 3, metrics)[:, None] * rng.normal(size=(metrics, stories))
    return judgments, scores, np.arange(stories) // PROMPT, random_swaps(resamples, np.arange(stories), rng)


def all_pairs(
    metrics: np.ndarray,
    judgments: np.ndarray,
    swaps: np.ndarray,
    coefficient: str,
    prompts: np.ndarray | None,
) -> None:
    """Tests every pair of metrics, with all resamples."""
    tests = PermutationTests(metrics, judgments, swaps, coefficient, prompts, block=len(swaps))
    for first, second in zip(*np.triu_indices(len(metrics), 1), strict=True):
        tests.test(int(first), int(second))


def direct_method_seconds(
    first: np.ndarray,
    second: np.ndarray,
    judgments: np.ndarray,
    swaps: np.ndarray,
    coefficient: str,
    prompts: np.ndarray | None,
) -> float:
    """Processor seconds of the direct method: two SciPy coefficients for each resample (and prompt)."""
    groups = [np.arange(len(judgments))]
    if prompts is not None:
        groups = [np.flatnonzero(prompts == prompt) for prompt in np.unique(prompts)]

    def resample() -> None:
        for swap in swaps:
            for scores in (np.where(swap, second, first), np.where(swap, first, second)):
                for group in groups:
                    SCIPY[coefficient](scores[group], judgments[group])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a prompt with equal judgments has no coefficient
        return time_call(resample)[1]
