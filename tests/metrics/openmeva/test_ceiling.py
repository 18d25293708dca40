"""The noise ceiling, and the cases in which it is unavailable."""

import numpy as np
import pytest
from scipy import stats

from openmeva.metrics.openmeva.ceiling import check_ceiling, noise_ceiling
from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.sections import judgment_tables


def test_ceiling_equals_correlation_of_a_perfect_metric():
    # Raters see the true quality plus noise; the metric knows the true quality.
    rng = np.random.default_rng(0)
    truth = rng.normal(size=3000)
    ratings = truth[:, None] + 1.5 * rng.normal(size=(3000, 5))
    result = noise_ceiling(ratings, rng, splits=40)
    reached = ratings.mean(axis=1)
    assert result["reliability"] == pytest.approx(1 / (1 + 1.5**2 / 5), abs=0.02)
    assert result["ceiling"]["pearson"] == pytest.approx(np.corrcoef(truth, reached)[0, 1], abs=0.02)
    assert result["ceiling"]["spearman"] == pytest.approx(stats.spearmanr(truth, reached).statistic, abs=0.02)
    assert result["ceiling"]["kendall"] == pytest.approx(stats.kendalltau(truth, reached).statistic, abs=0.02)


def test_ceiling_does_not_depend_on_rating_order():
    rng = np.random.default_rng(1)
    ratings = np.clip(np.rint(3 + rng.normal(size=(300, 1)) + rng.normal(size=(300, 5))), 1, 5)
    plain = noise_ceiling(ratings, np.random.default_rng(2))["ceiling"]["pearson"]
    assert noise_ceiling(np.sort(ratings, axis=1), np.random.default_rng(3))["ceiling"][
        "pearson"
    ] == pytest.approx(plain, abs=0.01)


def test_single_rating_per_story_has_no_ceiling():
    with pytest.raises(ValueError, match="3 stories with 2 ratings or more each, got 2 among 3 stories"):
        noise_ceiling(np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 5.0]]), np.random.default_rng(0))


@pytest.mark.parametrize("counts", [(1, 4, 4), (1, 1, 4), (2, 4, 6)])
def test_ceiling_of_stories_with_different_numbers_of_ratings(counts):
    """Stories with one rating are not split, but make the mean ratings less reliable."""
    rng = np.random.default_rng(4)
    truth = rng.normal(size=6000)
    ratings = truth[:, None] + 1.2 * rng.normal(size=(6000, 6))
    number = np.resize(counts, 6000)
    ratings[np.arange(6) >= number[:, None]] = np.nan
    result = noise_ceiling(ratings, rng, splits=40)
    reached = np.nanmean(ratings, axis=1)
    assert (result["stories"], result["raters"]) == ((number > 1).sum(), pytest.approx(np.mean(counts)))
    assert result["ceiling"]["pearson"] == pytest.approx(np.corrcoef(truth, reached)[0, 1], abs=0.02)


def test_fixed_raters_of_different_severity_have_no_ceiling():
    """The halves then differ by their raters, so metrics exceed the estimated ceiling."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    for severity, message in ((1.5, "above their ceiling"), (4, "no more than by chance")):
        ratings = truth[:, None] + severity * np.array([-1.0, 0, 1]) + 0.5 * rng.normal(size=(400, 3))
        row = {"intervals": {name: [0.9, 0.95] for name in COEFFICIENTS}, **dict.fromkeys(COEFFICIENTS, 0.92)}
        with pytest.raises(ValueError, match=message):
            check_ceiling(noise_ceiling(ratings, rng), {"true quality": row})


def test_interval_covers_the_ceiling_of_the_population():
    covered = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        ratings = rng.normal(size=(80, 1)) + 1.5 * rng.normal(size=(80, 4))
        low, high = noise_ceiling(ratings, rng, splits=10)["intervals"]["pearson"]
        covered.append(low <= np.sqrt(1 / (1 + 1.5**2 / 4)) <= high)
    assert 0.88 <= np.mean(covered) < 1


def test_interval_is_over_prompts_in_any_order_of_the_stories():
    """Where prompts differ in how well their raters agree, blocks of stories from all prompts are too much alike."""
    widths = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        noise = rng.choice([0.1, 1.5], (20, 1, 1))
        ratings = (rng.normal(size=(20, 20, 1)) + noise * rng.normal(size=(20, 20, 4))).reshape(400, 4)
        prompts, order = np.repeat(np.arange(20), 20), rng.permutation(400)
        found = (
            noise_ceiling(ratings[order], rng, splits=10, prompts=prompts[order]),
            noise_ceiling(ratings, rng, splits=10, prompts=prompts),
            noise_ceiling(ratings[order], rng, splits=10),
        )
        widths.append([np.ptp(result["intervals"]["pearson"]) for result in found])
    shuffled, by_prompt, by_story = np.mean(widths, axis=0)
    assert shuffled == pytest.approx(by_prompt, rel=0.1)
    assert by_prompt > 1.3 * by_story


def test_few_stories_have_a_ceiling_without_interval():
    rng = np.random.default_rng(0)
    ratings = rng.normal(size=(29, 1)) + 0.5 * rng.normal(size=(29, 4))
    assert noise_ceiling(ratings, rng)["intervals"] is None
    assert noise_ceiling(np.vstack([ratings, ratings[:1]]), rng)["intervals"] is not None


def test_metric_within_the_ceilings_interval_is_accepted():
    top = {
        "ceiling": dict.fromkeys(COEFFICIENTS, 0.6),
        "intervals": {name: [0.5, 0.7] for name in COEFFICIENTS},
    }
    values = dict.fromkeys(COEFFICIENTS, 0.75)
    check_ceiling(top, {"near": {**values, "intervals": {name: [0.65, 0.8] for name in COEFFICIENTS}}})
    with pytest.raises(ValueError, match="far is above their ceiling"):
        check_ceiling(top, {"far": {**values, "intervals": {name: [0.71, 0.8] for name in COEFFICIENTS}}})


def test_ceiling_within_a_metrics_interval_is_accepted():
    top = {"ceiling": dict.fromkeys(COEFFICIENTS, 0.6)}
    values = dict.fromkeys(COEFFICIENTS, 0.65)
    check_ceiling(top, {"near": {**values, "intervals": {name: [0.55, 0.75] for name in COEFFICIENTS}}})
    with pytest.raises(ValueError, match="far is above their ceiling"):
        check_ceiling(top, {"far": {**values, "intervals": {name: [0.61, 0.75] for name in COEFFICIENTS}}})


def test_ceiling_below_the_metric_is_unavailable():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    ratings = truth[:, None] + 1.5 * np.array([-1.0, 0, 1]) + 0.1 * rng.normal(size=(200, 3))
    stories = JudgedStories.from_rows(
        {"story": f"story {k}", "ratings": row.tolist()} for k, row in enumerate(ratings)
    )
    result = judgment_tables(truth, stories, {}, 4, True, 100, np.random.default_rng(0))
    assert "noise_ceiling" not in result
    assert "the metric is above their ceiling" in result["unavailable"]["noise_ceiling"]


def test_ceiling_does_not_depend_on_the_unit_of_ratings():
    rng = np.random.default_rng(2)
    ratings = np.clip(np.rint(rng.normal(3, 1, (150, 1)) + rng.normal(0, 1, (150, 6))), 1, 5)
    whole, tenths = (
        noise_ceiling(values, np.random.default_rng(0), splits=20) for values in (ratings, ratings * 0.1)
    )
    assert tenths["split_half"] == pytest.approx(whole["split_half"], abs=1e-9)
