"""Speed of the statistics: every pair of 50 metrics on 1,000 stories tested, with 10,000 resamples each."""

import time
import warnings

import numpy as np
from scipy import stats

from openmeva.training.speed.parts import Rows, seconds
from openmeva.training.statistics.pairs import calibrated_accuracy
from openmeva.training.statistics.permutation import PermutationTests, Stopping, random_swaps

METRICS, STORIES, PROMPT, RESAMPLES = 50, 1000, 5, 10_000
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
TARGET = "under 60 s in all"


def statistics_rows() -> Rows:
    """PERM-BOTH of all pairs without stopping early, beside one resample after the other with SciPy; acc_eq."""
    judgments, metrics, prompts, swaps = made_up(METRICS, STORIES, RESAMPLES)
    rows: Rows = []
    for level, coefficient in (("pooled", "pearson"), ("within prompts", "spearman")):
        chosen = None if level == "pooled" else prompts
        start = time.perf_counter()
        tests = PermutationTests(
            metrics, judgments, swaps, coefficient, chosen, stopping=Stopping(block=RESAMPLES)
        )
        pairs = [tests.test(a, b) for a, b in zip(*np.triu_indices(METRICS, 1), strict=True)]
        took = time.perf_counter() - start
        few = 20 if chosen is None else 2
        slow = one_by_one(metrics[0], metrics[1], judgments, swaps[:few], coefficient, chosen) / few
        rows.append(
            (
                f"PERM-BOTH, {level} {coefficient}, {len(pairs)} pairs of metrics, {STORIES} stories, "
                f"{RESAMPLES} resamples",
                f"{took:.1f} s",
                f"{slow * len(pairs) * RESAMPLES / took:.0f}",
                TARGET,
            )
        )
    took = seconds(lambda: [calibrated_accuracy(metric, judgments) for metric in metrics])
    rows.append(
        (f"acc_eq of {METRICS} metrics, all pairs of {STORIES} stories", f"{took:.1f} s", "-", TARGET)
    )
    return rows


def made_up(
    metrics: int, stories: int, resamples: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Judgments with ties, scores, prompts of five stories, and exchanges."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=stories)
    judgments = np.rint(5 * np.clip(3 + quality, 1, 5)) / 5
    scores = quality + np.linspace(0.5, 3, metrics)[:, None] * rng.normal(size=(metrics, stories))
    return judgments, scores, np.arange(stories) // PROMPT, random_swaps(resamples, stories, rng)


def one_by_one(
    first: np.ndarray,
    second: np.ndarray,
    judgments: np.ndarray,
    swaps: np.ndarray,
    coefficient: str,
    prompts: np.ndarray | None,
) -> float:
    """Seconds of the plain way: two coefficients of SciPy's for each resample (and prompt)."""
    groups = [np.arange(len(judgments))]
    if prompts is not None:
        groups = [np.flatnonzero(prompts == prompt) for prompt in np.unique(prompts)]

    def resample() -> None:
        for swap in swaps:
            for scores in (np.where(swap, second, first), np.where(swap, first, second)):
                for group in groups:
                    SCIPY[coefficient](scores[group], judgments[group])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a prompt whose judgments are equal has no coefficient
        return seconds(resample)
