"""Each draw of the bootstrap against SciPy on the stories themselves, copied as often as drawn."""

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
from openmeva.metrics.openmeva.common_draws import cached_sample, share_random_samples
from openmeva.metrics.openmeva.drift import _masked_pearson


def resampled(counts, prompts, *arrays):
    """The stories of a draw: each prompt's stories once for every time it was drawn."""
    names = np.unique(prompts)
    rows = np.concatenate(
        [np.tile(np.flatnonzero(prompts == n), int(c)) for n, c in zip(names, counts, strict=True)]
    )
    return [values[rows] for values in arrays]


def against_scipy(metric, scores, prompts, draws=30):
    bootstrap = PromptBootstrap(scores, prompts, draws, np.random.default_rng(5))
    found = bootstrap.correlations(metric)
    for draw in range(draws):
        x, y = resampled(bootstrap.counts[draw], prompts, metric, scores)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            assert np.isnan([found[name][draw] for name in found]).all()
            continue
        assert found["pearson"][draw] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
        assert found["spearman"][draw] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
        assert found["kendall"][draw] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)


@pytest.mark.parametrize("values", [3, 20, 1000])
def test_every_draw_is_scipy_on_the_copied_stories(values):
    rng = np.random.default_rng(values)
    prompts = rng.permutation(np.repeat(np.arange(20), 4))
    scores = rng.integers(5, 26, 80) / 5
    against_scipy(rng.integers(0, values, 80).astype(float), scores, prompts)


def test_prompts_of_different_sizes():
    rng = np.random.default_rng(1)
    prompts = rng.integers(0, 12, 70)
    against_scipy(rng.normal(size=70), rng.integers(1, 6, 70).astype(float), prompts)


def test_two_valued_judgments_take_the_short_way_and_agree():
    rng = np.random.default_rng(2)
    prompts = np.repeat(np.arange(15), 4)
    against_scipy(rng.integers(0, 7, 60).astype(float), rng.integers(0, 2, 60).astype(float), prompts)


def test_draws_that_leave_a_constant_are_nan():
    against_scipy(np.array([0.0, 0, 0, 1]), np.array([1.0, 2, 3, 4]), np.arange(4))


@pytest.mark.parametrize("stories", [99, 100])
@pytest.mark.parametrize("unit", [1.0, 1e-44, 1e44])
def test_a_constant_is_found_whatever_its_rounding_and_its_unit(stories, unit):
    metric = unit * np.array([0.1] * (stories - 1) + [0.3])
    scores = np.random.default_rng(8).integers(5, 26, stories) / 5
    bootstrap = PromptBootstrap(scores, np.arange(stories), 200, np.random.default_rng(5))
    found = bootstrap.correlations(metric)
    np.testing.assert_array_equal(np.isnan(found["pearson"]), bootstrap.counts[:, -1] == 0)
    np.testing.assert_array_equal(np.isnan(found["spearman"]), bootstrap.counts[:, -1] == 0)
    assert quality_drift_undefined(metric, scores) > 0


@pytest.mark.parametrize("spread", [1.0, 20.0, 100.0])
def test_scores_that_are_rounding_beside_the_largest_are_no_constant(spread):
    """With exp(100 N) most of the scores are 1e-16 of the largest: draws without that one count all the same."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=60)
    metric = np.exp(spread * (0.3 * scores + rng.normal(size=60)))
    prompts = np.repeat(np.arange(20), 3)
    bootstrap = PromptBootstrap(scores, prompts, 200, np.random.default_rng(0))
    found = bootstrap._pearson(metric)
    for draw, value in enumerate(found):
        x, y = resampled(bootstrap.counts[draw], prompts, metric, scores)
        assert value == pytest.approx(np.corrcoef(x / x.max(), y)[0, 1], abs=1e-4)
    of_sums = pearson_of(
        bootstrap.counts @ np.add.reduceat(pearson_columns(metric, scores), np.arange(0, 60, 3))
    )
    kept = np.isfinite(of_sums)
    assert (found[kept] == of_sums[kept]).all(), "where sums hold the scores, they are what counts"
    assert kept.all() == (spread == 1)
    chosen = rng.random((50, 60)) < 0.5
    drift = _masked_pearson(chosen, metric, scores)
    assert drift == pytest.approx(
        [np.corrcoef(metric[row] / metric[row].max(), scores[row])[0, 1] for row in chosen], abs=1e-4
    )


def quality_drift_undefined(metric, scores):
    """Draws of the drift's sets that lack the one story that scores otherwise, all of which have to be undefined."""
    chosen = np.random.default_rng(9).random((100, len(metric))) < 0.5
    found = _masked_pearson(chosen, metric, scores)
    np.testing.assert_array_equal(np.isnan(found), ~chosen[:, -1])
    return int(np.isnan(found).sum())


def test_one_prompt_has_no_interval():
    scores = np.arange(10.0)
    found = PromptBootstrap(scores, np.zeros(10), 50, np.random.default_rng(0)).correlations(scores)
    assert all(np.isnan(values).all() for values in found.values())
    assert intervals(found) == {"pearson": None, "spearman": None, "kendall": None}


def test_the_way_for_many_prompts_gives_the_same(monkeypatch):
    rng = np.random.default_rng(4)
    prompts = np.repeat(np.arange(10), 3)
    metric, scores = rng.normal(size=30), rng.integers(0, 5, 30).astype(float)
    matrix = PromptBootstrap(scores, prompts, 20, np.random.default_rng(0)).correlations(metric)
    monkeypatch.setattr(module, "_MATRIX_PROMPTS", 5)
    by_draw = PromptBootstrap(scores, prompts, 20, np.random.default_rng(0)).correlations(metric)
    np.testing.assert_allclose(matrix["kendall"], by_draw["kendall"], atol=1e-12)


def test_the_interval_of_pearson_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(200):
        y = rng.normal(size=120)
        x = 0.5 * y + np.sqrt(0.75) * rng.normal(size=120)
        draws = PromptBootstrap(y, np.arange(120), 400, rng)._pearson(x)
        low, high = interval(draws)
        covered += low <= 0.5 <= high
    assert 180 <= covered <= 199


def test_stories_of_one_prompt_go_together():
    # Each prompt's stories are alike, so drawing stories one by one would make the interval far too narrow.
    rng = np.random.default_rng(7)
    y, x = np.repeat(rng.normal(size=20), 10), np.repeat(rng.normal(size=20), 10)
    together = interval(PromptBootstrap(y, np.repeat(np.arange(20), 10), 500, rng)._pearson(x))
    apart = interval(PromptBootstrap(y, np.arange(200), 500, rng)._pearson(x))
    assert together[1] - together[0] > 2 * (apart[1] - apart[0])


def test_an_interval_needs_half_the_draws():
    assert interval(np.array([np.nan, np.nan, np.nan, 1.0])) is None
    assert interval(np.array([0.0, 1.0, np.nan])) == pytest.approx([0.025, 0.975])


def test_precision_does_not_matter(monkeypatch):
    rng = np.random.default_rng(4)
    scores, metric, prompts = rng.integers(0, 5, 60), rng.normal(size=60), np.repeat(np.arange(20), 3)
    single = PromptBootstrap(scores, prompts, 50, np.random.default_rng(0)).correlations(metric)
    monkeypatch.setattr(module, "_EXACT", 0)
    double = PromptBootstrap(scores, prompts, 50, np.random.default_rng(0)).correlations(metric)
    assert (single["kendall"] == double["kendall"]).all()


def test_common_draws_are_those_that_each_metric_would_draw():
    rng = np.random.default_rng(3)
    scores, prompts, metrics = rng.integers(0, 5, 30), np.repeat(np.arange(10), 3), rng.normal(size=(2, 30))

    def intervals(metric):
        own = np.random.default_rng(1)
        parts = [bootstrap_part(metric[k:], scores[k:], prompts[k:], 40, own) for k in (0, 9)]
        return parts, own.bit_generator.state

    apart = [intervals(metric) for metric in metrics]
    with share_random_samples():
        assert [intervals(metric) for metric in metrics] == apart
        made = [
            cached_sample(PromptBootstrap, scores, prompts, 9, rng=np.random.default_rng(s))
            for s in (0, 0, 1)
        ]
    assert made[0] is made[1]
    assert made[0] is not made[2]
    kept = cached_sample(PromptBootstrap, scores, prompts, 9, rng=np.random.default_rng(0))
    assert kept is not made[0], "nothing is kept after the block"
