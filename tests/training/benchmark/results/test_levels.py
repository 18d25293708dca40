"""Levels and standings of a judged set, against the module of the benchmark that computes them story by story."""

import numpy as np
import pytest

from openmeva.metrics.openmeva import levels as module_levels
from openmeva.metrics.openmeva.bootstrap import PromptBootstrap
from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.training.benchmark.results.judged import judged_table
from openmeva.training.benchmark.results.levels import Levels
from openmeva.training.benchmark.results.standings import _p_value
from openmeva.training.benchmark.tables.level_tables import between_systems
from openmeva.training.statistics.pairs import soft_pairwise_accuracy
from openmeva.training.statistics.permutation import PermutationTests, random_swaps


def judged(prompts: int, systems: bool = True) -> tuple[JudgedStories, np.ndarray]:
    """Three stories per prompt, one per system, and their quality; the first prompt's judgments are constant."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=3 * prompts)
    quality[:3] = 1
    rows = [
        {
            "story": f"{'word ' * int(rng.integers(4, 9))}{index} .",
            "score": float(value),
            **({"prompt": str(index // 3), "source_model": "abc"[index % 3]} if systems else {}),
        }
        for index, value in enumerate(quality)
    ]
    return JudgedStories.from_rows(rows), quality


def test_every_row_has_within_prompt_and_between_system_results() -> None:
    stories, quality = judged(32)
    rng = np.random.default_rng(1)
    metric = quality + rng.normal(size=96)
    table = judged_table(stories, {"mine": list(metric)}, {}, 200, rng)
    within, between = (table["rows"]["mine"][level] for level in ("within_prompts", "between_systems"))
    by_prompt = module_levels.within_prompts(metric, stories)
    by_system = module_levels.between_systems(metric, stories)
    for name in ("pearson", "spearman", "kendall"):
        assert within[name] == pytest.approx(by_prompt[name], abs=1e-9)
        assert within["with_zeros"][name] == pytest.approx(by_prompt["with_zeros"][name], abs=1e-9)
        assert within["intervals"][name][0] < within[name] < within["intervals"][name][1]
        assert between[name] == pytest.approx(by_system[name], abs=1e-9)
    assert (within["prompts"], within["dropped"], within["small"]) == (31, 1, 0)
    assert (between["systems"], between["complete"]) == (3, 32)
    assert {"within_prompts", "between_systems", "accuracy"} <= set(table["rows"]["length"])
    assert table["rows"]["mine"]["accuracy"]["value"] >= table["rows"]["mine"]["accuracy"]["without_ties"]


def test_values_between_systems() -> None:
    stories, quality = judged(32)
    metric = quality + np.random.default_rng(1).normal(size=96)
    counts = np.random.default_rng(2).multinomial(32, [1 / 32] * 32, 200).astype(float)
    between = Levels(stories, counts, 5).between(metric)
    means = [[values[system::3].mean() for system in range(3)] for values in (metric, stories.scores)]
    right = [
        np.sign(means[0][i] - means[0][j]) == np.sign(means[1][i] - means[1][j])
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert between["pairwise_accuracy"] == pytest.approx(np.mean(right))
    by_system = (values.reshape(-1, 3).T for values in (metric, stories.scores))
    assert between["soft_accuracy"] == soft_pairwise_accuracy(*by_system, np.random.default_rng(5))
    for name in ("pearson", "spearman", "kendall"):
        low, high = between["intervals"][name]
        assert low <= between[name] <= high


def test_different_metrics_are_ranked_with_significance() -> None:
    stories, quality = judged(40, systems=False)
    rng = np.random.default_rng(2)
    ours = {"good": list(quality + 0.1 * rng.normal(size=120)), "noise": list(rng.normal(size=120))}
    table = judged_table(stories, ours, {"perfect": list(quality)}, 100, rng)
    test = table["pairs"]["against"]["noise"]["permutation"]
    assert test["p_value"] <= test["holm"] < 0.01
    assert test["p_value"] == pytest.approx(2 / (test["resamples"] + 1)), "two-sided, never 0"
    assert test["resamples"] == 10_000, "p-values that are corrected want all of them"
    standings = table["standings"]["pooled"]
    assert (standings["metrics"], standings["clusters"]) == (["perfect", "good", "noise"], [1, 2, 3])
    assert 0 < standings["p_values"][1][2] < 0.01
    assert [rank["first"] for rank in standings["ranks"]] == [1, 0, 0]
    assert "within_prompts" not in table["standings"]
    assert table["rows"]["good"]["within_prompts"] == {"undefined": "no prompt has three stories"}
    assert "no systems" in table["rows"]["length"]["between_systems"]["undefined"]


def test_clusters_count_prompts_not_stories() -> None:
    """The metrics differ between prompts only: eight prompts say little, whatever their number of stories."""
    rng = np.random.default_rng(4)
    prompts = np.repeat(np.arange(8), 40)
    quality = rng.normal(size=8)[prompts]
    given = [
        {"prompt": str(prompt), "story": f"It ended {index}.", "score": score, "ratings": [score]}
        for index, (prompt, score) in enumerate(zip(prompts, 3 + quality, strict=True))
    ]
    better, worse = quality + rng.normal(size=8)[prompts], quality + 1.6 * rng.normal(size=8)[prompts]
    ours = {"better": list(better), "worse": list(worse + 0.01 * rng.normal(size=320))}
    table = judged_table(JudgedStories.from_rows(given), ours, {}, 1000, np.random.default_rng(0))
    test = table["pairs"]["against"]["worse"]["permutation"]
    assert test["p_value"] > 0.05
    assert table["standings"]["pooled"]["clusters"] == [1, 1]
    assert table["standings"]["pooled"]["p_values"][0][1] > 0.05


@pytest.mark.parametrize(("count", "size"), [(5, 40), (40, 10)])
def test_equal_metrics_are_rarely_in_two_clusters(count: int, size: int) -> None:
    """Their scores and the judgments are clustered by prompt: stories are no independent observations."""
    rng = np.random.default_rng(1)
    prompts = np.repeat(np.arange(count), size)

    def clustered() -> np.ndarray:
        return np.sqrt(0.5) * rng.normal(size=count)[prompts] + np.sqrt(0.5) * rng.normal(size=len(prompts))

    by_story = by_prompt = confirmed = 0
    for _ in range(100):
        quality = clustered()
        pair = np.stack([0.4 * quality + clustered() for _ in range(2)])
        bootstrap = PromptBootstrap(quality, prompts, 300, rng)
        draws = np.stack([bootstrap.correlations(scores)["pearson"] for scores in pair])
        stories, tests = (
            PermutationTests(pair, quality, random_swaps(300, exchanged, rng), "pearson")
            for exchanged in (np.arange(len(prompts)), prompts)
        )
        better = int(tests.test(0, 1).difference < 0)
        by_story += stories.test(better, 1 - better).p_value <= 0.05
        by_prompt += tests.test(better, 1 - better).p_value <= 0.05
        confirmed += _p_value(tests, draws, {}, better, 1 - better) <= 0.05
    assert by_story > 25, "in both directions, of 100; it should be 10"
    assert by_prompt <= 16
    assert confirmed <= by_prompt


def test_two_prompts_decide_nothing() -> None:
    """However many stories they have: exchanged or not, there are two ways to give a prompt its scores."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=200)
    stories = JudgedStories.from_rows(
        {"story": f"s{index}", "prompt": str(index // 100), "score": value}
        for index, value in enumerate(quality)
    )
    scores = {"good": list(quality + 0.8 * rng.normal(size=200)), "poor": list(rng.normal(size=200))}
    table = judged_table(stories, scores, {}, 1000, np.random.default_rng(0))
    assert table["rows"]["good"]["pearson"] > table["rows"]["poor"]["pearson"] + 0.5
    assert table["standings"]["pooled"]["clusters"] == [1, 1]
    tests = table["pairs"]["against"].values()
    assert {test["verdict"] for test in tests} == {"no clear difference"}


@pytest.mark.parametrize(
    ("complete", "note"),
    [
        (40, "(Thompson et al. 2024). 1 is"),
        (30, ", on the 30 of 40 prompts with one"),
        (29, " and there are 29. 1 is"),
    ],
)
def test_soft_accuracy_note_states_the_number_of_prompts(complete: int, note: str) -> None:
    stories, quality = judged(40)
    keep = np.ones(120, dtype=bool)
    keep[: 3 * (40 - complete)] = np.arange(3 * (40 - complete)) % 3 > 0  # these prompts lack a system
    metric = (quality + np.random.default_rng(1).normal(size=120))[keep]
    table = judged_table(stories.subset(keep), {"mine": list(metric)}, {}, 50, np.random.default_rng(0))
    laid_out = between_systems({"title": "X", **table})
    assert note in laid_out.note
    assert (laid_out.rows[0][-1] == "–") == (complete < 30)
