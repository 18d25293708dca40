"""Each bootstrap draw compared with SciPy on the resampled stories."""

import numpy as np
import pytest
from scipy import stats

from openmeva.metrics.openmeva import bootstrap as module
from openmeva.metrics.openmeva.bootstrap import (
    PromptBootstrap,
    bootstrap_part,
    interval,
    intervals,
    pearson_columns,
    pearson_of,
)
from openmeva.metrics.openmeva.comparison import paired_bootstrap
from openmeva.metrics.openmeva.drift import _masked_pearson
from openmeva.metrics.openmeva.shared_samples import cached_sample, share_random_samples


def resampled(counts, prompts, *arrays):
    """The stories of a draw: each prompt's stories, repeated as often as the prompt was drawn."""
    names = np.unique(prompts)
    rows = np.concatenate(
        [np.tile(np.flatnonzero(prompts == n), int(c)) for n, c in zip(names, counts, strict=True)]
    )
    return [values[rows] for values in arrays]


def assert_draws_equal_scipy(metric, scores, prompts, draws=30):
    bootstrap = PromptBootstrap(scores, prompts, draws, np.random.default_rng(5))
    result = bootstrap.correlations(metric)
    for draw in range(draws):
        x, y = resampled(bootstrap.counts[draw], prompts, metric, scores)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan([result[name][draw] for name in result]).all()
            continue
        assert result["pearson"][draw] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
        assert result["spearman"][draw] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
        assert result["kendall"][draw] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)


@pytest.mark.parametrize("values", [3, 20, 1000])
def test_every_draw_equals_scipy_on_the_resampled_stories(values):
    rng = np.random.default_rng(values)
    prompts = rng.permutation(np.repeat(np.arange(20), 4))
    scores = rng.integers(5, 26, 80) / 5
    assert_draws_equal_scipy(rng.integers(0, values, 80).astype(float), scores, prompts)


def test_prompts_of_different_sizes():
    rng = np.random.default_rng(1)
    prompts = rng.integers(0, 12, 70)
    assert_draws_equal_scipy(rng.normal(size=70), rng.integers(1, 6, 70).astype(float), prompts)


def test_shortcut_for_binary_judgments_equals_scipy():
    rng = np.random.default_rng(2)
    prompts = np.repeat(np.arange(15), 4)
    assert_draws_equal_scipy(
        rng.integers(0, 7, 60).astype(float), rng.integers(0, 2, 60).astype(float), prompts
    )


def test_draws_with_constant_scores_are_nan():
    assert_draws_equal_scipy(np.array([0.0, 0, 0, 1]), np.array([1.0, 2, 3, 4]), np.arange(4))


@pytest.mark.parametrize("stories", [99, 100])
@pytest.mark.parametrize("unit", [1.0, 1e-44, 1e44])
def test_constant_draws_are_detected_at_any_rounding_and_scale(stories, unit):
    metric = unit * np.array([0.1] * (stories - 1) + [0.3])
    scores = np.random.default_rng(8).integers(5, 26, stories) / 5
    bootstrap = PromptBootstrap(scores, np.arange(stories), 200, np.random.default_rng(5))
    result = bootstrap.correlations(metric)
    np.testing.assert_array_equal(np.isnan(result["pearson"]), bootstrap.counts[:, -1] == 0)
    np.testing.assert_array_equal(np.isnan(result["spearman"]), bootstrap.counts[:, -1] == 0)
    assert count_undefined_drift_draws(metric, scores) > 0


@pytest.mark.parametrize("spread", [1.0, 20.0, 100.0])
def test_scores_far_smaller_than_the_largest_are_not_constant(spread):
    """With exp(100 N) most of the scores are 1e-16 of the largest: draws without that one still count."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=60)
    metric = np.exp(spread * (0.3 * scores + rng.normal(size=60)))
    prompts = np.repeat(np.arange(20), 3)
    bootstrap = PromptBootstrap(scores, prompts, 200, np.random.default_rng(0))
    result = bootstrap._pearson(metric)
    for draw, value in enumerate(result):
        x, y = resampled(bootstrap.counts[draw], prompts, metric, scores)
        assert value == pytest.approx(np.corrcoef(x / x.max(), y)[0, 1], abs=1e-4)
    from_sums = pearson_of(
        bootstrap.counts @ np.add.reduceat(pearson_columns(metric, scores), np.arange(0, 60, 3))
    )
    kept = np.isfinite(from_sums)
    assert (result[kept] == from_sums[kept]).all(), "where sums are precise enough, they are used"
    assert kept.all() == (spread == 1)
    chosen = rng.random((50, 60)) < 0.5
    drift = _masked_pearson(chosen, metric, scores)
    assert drift == pytest.approx(
        [np.corrcoef(metric[row] / metric[row].max(), scores[row])[0, 1] for row in chosen], abs=1e-4
    )


def count_undefined_drift_draws(metric, scores):
    """Drift sets without the only story with another score; the correlation must be undefined in all of them."""
    chosen = np.random.default_rng(9).random((100, len(metric))) < 0.5
    result = _masked_pearson(chosen, metric, scores)
    np.testing.assert_array_equal(np.isnan(result), ~chosen[:, -1])
    return int(np.isnan(result).sum())


def test_one_prompt_has_no_interval():
    scores = np.arange(10.0)
    result = PromptBootstrap(scores, np.zeros(10), 50, np.random.default_rng(0)).correlations(scores)
    assert all(np.isnan(values).all() for values in result.values())
    assert intervals(result) == {"pearson": None, "spearman": None, "kendall": None}


def test_algorithm_for_many_prompts_gives_the_same_result(monkeypatch):
    rng = np.random.default_rng(4)
    prompts = np.repeat(np.arange(10), 3)
    metric, scores = rng.normal(size=30), rng.integers(0, 5, 30).astype(float)
    matrix = PromptBootstrap(scores, prompts, 20, np.random.default_rng(0)).correlations(metric)
    monkeypatch.setattr(module, "_MATRIX_PROMPTS", 5)
    by_draw = PromptBootstrap(scores, prompts, 20, np.random.default_rng(0)).correlations(metric)
    np.testing.assert_allclose(matrix["kendall"], by_draw["kendall"], atol=1e-12)


def test_pearson_interval_has_nominal_coverage():
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(200):
        y = rng.normal(size=120)
        x = 0.5 * y + np.sqrt(0.75) * rng.normal(size=120)
        draws = PromptBootstrap(y, np.arange(120), 400, rng)._pearson(x)
        low, high = interval(draws)
        covered += low <= 0.5 <= high
    assert 180 <= covered <= 199


def test_stories_of_one_prompt_are_resampled_together():
    # Each prompt's stories are alike, so resampling stories individually would make the interval far too narrow.
    rng = np.random.default_rng(7)
    y, x = np.repeat(rng.normal(size=20), 10), np.repeat(rng.normal(size=20), 10)
    together = interval(PromptBootstrap(y, np.repeat(np.arange(20), 10), 500, rng)._pearson(x))
    apart = interval(PromptBootstrap(y, np.arange(200), 500, rng)._pearson(x))
    assert together[1] - together[0] > 2 * (apart[1] - apart[0])


def test_interval_requires_most_of_the_draws():
    assert interval(np.array([0.0, 1.0, np.nan])) is None
    assert interval(np.r_[np.nan, np.arange(101.0)]) == pytest.approx([2.5, 97.5])


def test_one_story_that_differs_gives_no_interval():
    """Without it, scores are constant; all resamples with it have a coefficient of the same sign."""
    scores, prompts = np.random.default_rng(0).normal(size=200), np.repeat(np.arange(40), 5)
    saturated = np.where(np.arange(200) == 7, 1.0, 5.0)
    draws = PromptBootstrap(scores, prompts, 400, np.random.default_rng(1)).correlations(saturated)
    assert intervals(draws) == {"pearson": None, "spearman": None, "kendall": None}


def test_difference_without_an_interval_has_no_p_value():
    first, second = np.where(np.arange(100) < 90, 0.3, np.nan), np.zeros(100)
    assert paired_bootstrap(first, second) == {"interval": None, "p_value": None}


def test_kendall_is_the_same_in_float32_and_float64(monkeypatch):
    rng = np.random.default_rng(4)
    scores, metric, prompts = rng.integers(0, 5, 60), rng.normal(size=60), np.repeat(np.arange(20), 3)
    single = PromptBootstrap(scores, prompts, 50, np.random.default_rng(0)).correlations(metric)
    monkeypatch.setattr(module, "_EXACT", 0)
    double = PromptBootstrap(scores, prompts, 50, np.random.default_rng(0)).correlations(metric)
    assert (single["kendall"] == double["kendall"]).all()


def test_shared_samples_equal_each_metrics_own_samples():
    rng = np.random.default_rng(3)
    scores, prompts, metrics = rng.integers(0, 5, 30), np.repeat(np.arange(10), 3), rng.normal(size=(2, 30))

    def intervals(metric):
        own = np.random.default_rng(1)
        parts = [bootstrap_part(metric[k:], scores[k:], prompts[k:], 40, own) for k in (0, 9)]
        return parts, own.bit_generator.state

    apart = [intervals(metric) for metric in metrics]
    with share_random_samples():
        assert [intervals(metric) for metric in metrics] == apart
        samples = [
            cached_sample(PromptBootstrap, scores, prompts, 9, rng=np.random.default_rng(s))
            for s in (0, 0, 1)
        ]
    assert samples[0] is samples[1]
    assert samples[0] is not samples[2]
    kept = cached_sample(PromptBootstrap, scores, prompts, 9, rng=np.random.default_rng(0))
    assert kept is not samples[0], "nothing is cached after the block"
