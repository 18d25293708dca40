"""Slow reference implementations of the papers' definitions, with loops for sums and SciPy for coefficients."""

import itertools
import warnings

import numpy as np
from scipy import stats

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def coefficient(name, x, y):
    """SciPy's coefficient; NaN if a side is constant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(SCIPY[name](x, y).statistic)


def by_prompt(name, metric, judgments, prompts):
    """One coefficient per prompt of three stories or more."""
    groups = [np.flatnonzero(prompts == prompt) for prompt in sorted(set(prompts))]
    return [coefficient(name, metric[group], judgments[group]) for group in groups if len(group) > 2]


def mean(values, zeros=False):
    """Mean of the defined values, or of all values with 0 for undefined ones; 0 if there is none."""
    kept = [value for value in values if np.isfinite(value)]
    return float(sum(kept) / (len(values) if zeros else len(kept))) if kept else 0.0


def accuracy(metric, judgments, threshold=0.0):
    """Share of pairs where people and metric agree on first, second or tie (Deutsch et al. 2023, section 6)."""
    right = total = 0
    for i, j in itertools.combinations(range(len(metric)), 2):
        gap = metric[i] - metric[j]
        right += (0 if abs(gap) <= threshold else np.sign(gap)) == np.sign(judgments[i] - judgments[j])
        total += 1
    return right / total


def calibrated(metric, judgments, prompts):
    """The best mean accuracy over prompts, trying the gap of each pair as the threshold."""
    groups = [np.flatnonzero(prompts == prompt) for prompt in sorted(set(prompts))]
    groups = [group for group in groups if len(group) > 1]
    gaps = {abs(metric[i] - metric[j]) for group in groups for i, j in itertools.combinations(group, 2)}
    return max(
        np.mean([accuracy(metric[group], judgments[group], gap) for group in groups]) for gap in {0.0, *gaps}
    )


def soft_accuracy(metric, judgments, signs):
    """1 minus the mean difference of p-values over pairs of systems (Thompson et al. 2024, section 3)."""
    differences = []
    for i, j in itertools.combinations(range(len(metric)), 2):
        p_values = []
        for scores in (metric, judgments):
            gaps = scores[i] - scores[j]
            p_values.append(np.mean([(sign * gaps).sum() >= gaps.sum() - 1e-9 for sign in signs]))
        differences.append(abs(p_values[0] - p_values[1]))
    return 1 - np.mean(differences)


def perm_both(first, second, judgments, swaps, name, prompts=None, block=1000, low=0.02, high=0.5):
    """Algorithm PERM-BOTH (Deutsch et al. 2021): p-value, observed difference, resamples made."""

    def value(metric):
        if prompts is None:
            return mean([coefficient(name, metric, judgments)])
        return mean(by_prompt(name, metric, judgments, prompts), zeros=True)

    first, second = stats.zscore(first), stats.zscore(second)
    observed = value(first) - value(second)
    count = 0
    for number, swap in enumerate(swaps, 1):
        difference = value(np.where(swap, second, first)) - value(np.where(swap, first, second))
        count += difference >= observed - 1e-12
        if number % block == 0 and not low <= count / number <= high:
            break
    return count / number, observed, number
