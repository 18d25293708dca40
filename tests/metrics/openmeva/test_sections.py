"""Differences, drift, error types, levels, sources: small cases with known answers."""

import numpy as np
import pytest
from scipy import stats

from openmeva.metrics.openmeva.baselines import beats_trivial
from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.metrics.openmeva.differences import score_differences, significant_pairs
from openmeva.metrics.openmeva.drift import dataset_drift, model_drift, quality_drift
from openmeva.metrics.openmeva.error_types import by_error_type, story_error_types
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.levels import between_systems, human_and_machine, within_prompts
from openmeva.metrics.openmeva.sources import judgments_by_source
from openmeva.metrics.openmeva.trivial import TRIVIAL_BASELINES, trivial_scores


def judged_stories(scores, **columns):
    rows = [{"story": f"story {k} .", "score": float(score)} for k, score in enumerate(scores)]
    for name, values in columns.items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value
    return JudgedStories.from_rows(rows)


def test_score_differences_use_the_papers_80_sets_and_t_tests():
    rng = np.random.default_rng(2)
    scores = rng.integers(5, 26, 1000) / 5
    metric = scores + rng.normal(size=1000)
    result = score_differences(metric, scores)
    assert (result["sets"], result["pairs"]) == (80, 80 * 79)
    assert sum(result["regions"].values()) == pytest.approx(1)
    order = np.argsort(scores, kind="stable")
    sets = [order[start : start + 200] for start in range(0, 800, 10)]
    human, score, human_significant, metric_significant = significant_pairs(result)
    pairs = [(a, b) for a in range(80) for b in range(80) if a != b]
    for pair in rng.integers(0, len(pairs), 60):
        a, b = (sets[k] for k in pairs[pair])
        assert score[pair] == pytest.approx(metric[a].mean() - metric[b].mean())
        assert human[pair] == pytest.approx(scores[a].mean() - scores[b].mean())
        assert metric_significant[pair] == (stats.ttest_ind(metric[a], metric[b]).pvalue < 0.01)
        assert human_significant[pair] == (stats.ttest_ind(scores[a], scores[b]).pvalue < 0.01)


def test_too_few_stories_for_two_sets_are_rejected():
    with pytest.raises(ValueError, match="more than 210 stories"):
        score_differences(np.arange(210.0), np.arange(210.0))
    assert score_differences(np.arange(211.0), np.arange(211.0))["sets"] == 2


def test_drift_by_source_and_its_mean():
    stories = judged_stories([1, 2, 3, 4, 1, 2, 3, 4], source_model=["a"] * 4 + ["b"] * 4)
    metric = np.array([1, 2, 3, 4, 4, 3, 2, 1.0])
    result = model_drift(metric, stories, 100, np.random.default_rng(0))
    assert result["by_source"]["a"]["pearson"] == pytest.approx(1)
    assert result["by_source"]["b"]["kendall"] == pytest.approx(-1)
    assert result["macro"]["spearman"] == pytest.approx(0)


def test_sets_of_two_stories_have_no_correlation():
    """Any two stories correlate with 1 or -1."""
    result = quality_drift(np.array([1.0, 2.0]), judged_stories([1, 2]), np.random.default_rng(0), draws=50)
    assert {(one["pearson"], one["undefined"]) for one in result} == {(None, 50)}


def test_dataset_drift_is_the_drop_from_the_best_dataset():
    runs = {
        "roc": {"x": {"pearson": 0.4}, "y": {"pearson": 0.1}},
        "wp": {"x": {"pearson": 0.2}, "y": {"pearson": 0.3}},
    }
    result = dataset_drift(runs)
    assert result["roc"]["y"]["drop"] == pytest.approx(-0.2)
    assert result["wp"]["y"]["drop"] == 0


def test_quality_drift_samples_with_the_papers_probabilities():
    scores = np.repeat(np.arange(8) / 7, 400)
    result = quality_drift(scores + 0.1, judged_stories(scores), np.random.default_rng(0), draws=50)
    assert [one["set"] for one in result] == list(range(1, 9))
    for one in result:
        expected = [400 / (abs(one["set"] - k) + 1) for k in range(8)]
        assert one["levels"] == pytest.approx(expected, rel=0.05)
        assert one["pearson"] == pytest.approx(1)


def test_error_types_follow_each_papers_rule():
    votes = [
        [["a"], ["a"], ["a", "b"], ["b"], ["b"]],
        [["a"], ["a"], [], [], []],
        [["b"], ["b"], ["b"], [], []],
    ]
    assert story_error_types(votes) == [set(), set(), {"b"}]
    assert story_error_types(votes, one_error_only=False) == [{"a", "b"}, set(), {"b"}]


def test_type_named_twice_by_one_rater_counts_once():
    assert story_error_types([[["chaotic", "chaotic"], ["chaotic"], []]]) == [set()]
    one_of_five, one_of_one = [["chaotic"], [], [], [], []], [["chaotic"]]
    assert story_error_types([one_of_five, one_of_one, []]) == [set(), {"chaotic"}, set()]


def test_error_type_is_compared_with_reasonable_stories():
    wrong, fine = [["a"]] * 3, [[]] * 3
    stories = judged_stories([5, 4.5, 4.2, 1, 2, 3], error_types=[fine, fine, fine, wrong, wrong, fine])
    metric = np.array([0.9, 0.8, 0.7, 0.1, 0.2, 0.0])
    result = by_error_type(metric, stories, 4, 100, np.random.default_rng(0))
    assert result["reasonable"] == 3
    assert (result["types"]["a"]["n"], result["types"]["a"]["unreasonable"]) == (5, 2)
    assert result["types"]["a"]["pearson"] == pytest.approx(np.corrcoef(metric[:5], [1, 1, 1, 0, 0])[0, 1])


def test_reasonable_story_is_not_an_example_of_an_error_type():
    errors = [[["chaotic"]] * 3, [["chaotic"]] * 3, [[]] * 3, [["chaotic"]] * 2 + [[]]]
    stories, metric = judged_stories([4, 1, 5, 2], error_types=errors), np.array([3.0, 1, 4, 2])
    result = by_error_type(metric, stories, 3, 0, np.random.default_rng(0))
    cell = result["types"]["chaotic"]
    assert (result["reasonable"], cell["unreasonable"], cell["n"]) == (2, 1, 3)
    assert by_error_type(metric, stories, 4, 0, np.random.default_rng(0))["reasonable"] == 1


def test_within_prompts_and_between_systems_differ():
    # Systems are ranked correctly, but within each prompt the metric ranks in reverse.
    stories = judged_stories(
        [1, 2, 3, 7, 8, 9], prompt=["p"] * 3 + ["q"] * 3, source_model=["a"] * 3 + ["b"] * 2 + ["c"]
    )
    metric = np.array([3, 2, 1, 9, 8, 8.5])
    assert within_prompts(metric, stories)["pearson"] == pytest.approx((-1 - 0.5) / 2)
    constant = judged_stories([1, 2, 3, 5, 5, 5, 1], prompt=["p"] * 3 + ["q"] * 3 + ["r"])
    result = within_prompts(np.array([1, 2, 3, 1, 2, 3, 9.0]), constant)
    assert (result["prompts"], result["dropped"], result["small"]) == (1, 1, 1)
    assert (result["pearson"], result["with_zeros"]["pearson"]) == (pytest.approx(1), pytest.approx(0.5))
    assert between_systems(metric, stories)["means"]["a"] == {"metric": 2.0, "human": 2.0}
    with pytest.raises(ValueError, match="no prompt has three"):
        within_prompts(metric, judged_stories([1, 2, 3, 7, 8, 9]))


def test_prompts_of_two_stories_are_ignored():
    stories = judged_stories([1, 2, 3, 1, 2], prompt=["p"] * 3 + ["q"] * 2)
    result = within_prompts(np.array([1, 2, 3, 2, 1.0]), stories)
    assert (result["prompts"], result["dropped"], result["small"]) == (1, 0, 1)
    assert result["pearson"] == result["with_zeros"]["pearson"] == pytest.approx(1)


def test_between_systems_has_no_p_values():
    stories = judged_stories([1, 2, 3, 5], source_model=list("abcd"))
    assert "p_values" not in between_systems(np.array([1, 3, 2, 4.0]), stories)


def test_human_and_machine_stories_are_correlated_separately():
    stories = judged_stories([1, 2, 3, 1, 2, 3], source_model=["human"] * 3 + ["gpt2"] * 3)
    result = human_and_machine(np.array([1, 2, 3, 3, 2, 1.0]), stories)
    assert (result["human"]["pearson"], result["machine"]["pearson"]) == pytest.approx((1, -1))


def test_sources_are_paired_by_prompt_where_each_prompt_has_all():
    rng = np.random.default_rng(0)
    base = rng.normal(size=30)
    scores = np.stack([base, base + 0.5, base + 0.1 * rng.normal(size=30)], axis=1)
    stories = judged_stories(
        scores.ravel(), prompt=np.repeat(np.arange(30), 3).tolist(), source_model=["a", "b", "c"] * 30
    )
    result = judgments_by_source(stories)
    assert result["overall"]["test"] == "friedman"
    assert result["overall"]["p_value"] == pytest.approx(stats.friedmanchisquare(*scores.T).pvalue)
    assert result["pairs"]["p_values"]["a / b"]["significant"]
    assert result["boxes"]["b"]["median"] == pytest.approx(np.median(scores[:, 1]))
    unpaired = judgments_by_source(judged_stories(scores.ravel(), source_model=["a", "b", "c"] * 30))
    assert unpaired["overall"]["test"] == "kruskal-wallis"
    assert unpaired["overall"]["p_value"] == pytest.approx(stats.kruskal(*scores.T).pvalue)


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (
            "the dog ran . the dog ran .",
            {"length": 8, "distinct_1": 0.5, "distinct_2": 4 / 7, "repetition_share": -0.5},
        ),
        ("one two three four", {"length": 4, "distinct_1": 1, "distinct_3": 1, "repetition_share": 0}),
        ("Word word WORD", {"distinct_1": 1 / 3, "distinct_2": 0.5, "distinct_3": 1}),
    ],
)
def test_trivial_scores_equal_manual_computation(story, expected):
    result = trivial_scores([story])
    assert set(result) == set(TRIVIAL_BASELINES)
    for name, value in expected.items():
        assert result[name][0] == pytest.approx(value), name


def test_error_types_are_correlated_with_labels_or_ratings():
    rng = np.random.default_rng(0)
    ratings = rng.integers(1, 6, 60) / 5
    errors = [[["chaotic"]] * 3 if score < 0.6 else [[]] * 3 for score in ratings]
    stories, metric = judged_stories(ratings, error_types=errors), ratings + rng.normal(size=60)
    reasonable = ratings >= 0.6
    for alone, expected in ((True, reasonable), (False, ratings)):
        cell = by_error_type(metric, stories, 0.5, 10, rng, one_error_only=alone)["types"]["chaotic"]
        assert cell["pearson"] == pytest.approx(np.corrcoef(metric, expected)[0, 1])


def test_metric_must_beat_every_trivial_baseline():
    """A similar metric may significantly beat the strongest baseline, but not a weaker one."""
    names, drawn = ("pearson", "spearman", "kendall"), np.linspace(-0.1, 0.1, 200)
    rows = {"length": dict.fromkeys(names, 0.5), "distinct_1": dict.fromkeys(names, 0.49)}
    draws = {"length": dict.fromkeys(names, 0.5 + drawn), "distinct_1": dict.fromkeys(names, 0.49 - drawn)}
    metric, metric_draws = dict.fromkeys(names, 0.6), dict.fromkeys(names, 0.6 + drawn)
    for names_used, expected in ((("length",), ("length", True)), (tuple(rows), ("distinct_1", False))):
        some = {name: draws[name] for name in names_used}
        result = beats_trivial(metric, metric_draws, rows, some)["kendall"]
        assert (result["trivial"], result["beats"]) == expected


def test_baseline_that_is_constant_but_for_a_few_stories_can_be_beaten_but_cannot_beat():
    names, sure = ("pearson", "spearman", "kendall"), np.linspace(0.5, 0.7, 200)
    rare = np.where(np.arange(200) % 4, 0.1, np.nan)
    rows = {"distinct_3": dict.fromkeys(names, 0.1)}
    for metric_draws, baseline_draws, expected in ((sure, rare, True), (rare + 0.4, sure - 0.5, None)):
        result = beats_trivial(
            dict.fromkeys(names, 0.6),
            dict.fromkeys(names, metric_draws),
            rows,
            {"distinct_3": dict.fromkeys(names, baseline_draws)},
        )
        assert result["pearson"]["beats"] is expected


def test_trivial_baseline_counts_by_absolute_correlation():
    """The sign could be flipped: a metric is not good just because people like short stories."""
    drawn = np.linspace(-0.05, 0.05, 200)
    for sign in (1, -1):
        rows = {"length": dict.fromkeys(COEFFICIENTS, 0.5 * sign)}
        draws = {"length": dict.fromkeys(COEFFICIENTS, sign * (0.5 - drawn))}
        for value, beats in ((0.4, False), (0.7, True)):
            its = dict.fromkeys(COEFFICIENTS, value), dict.fromkeys(COEFFICIENTS, value + drawn)
            for comparison in beats_trivial(*its, rows, draws).values():
                assert comparison["difference"] == pytest.approx(value - 0.5)
                assert comparison["beats"] is beats


def test_quality_levels_divide_the_rating_scale_not_the_ratings_given():
    rows = [{"story": f"story {k} .", "score": float(score)} for k, score in enumerate([3, 4, 5] * 4)]
    judged = JudgedStories.from_rows(rows, scale=(1, 5))
    levels = quality_drift(np.arange(12.0), judged, np.random.default_rng(0))[0]["levels"]
    assert levels[:3] == [0, 0, 0]
    assert levels[4] > 0


def test_number_of_raters_for_an_error_type_is_reported():
    rows = [
        {
            "story": f"story {k} .",
            "score": float(score),
            "error_types": [["chaotic"] if score < 3 else []] * 2,
        }
        for k, score in enumerate([5, 4, 1, 2])
    ]
    judged = JudgedStories.from_rows(rows)
    assert by_error_type(np.array([4.0, 3, 1, 2]), judged, 3, 0, np.random.default_rng(0))["raters"] == 2
