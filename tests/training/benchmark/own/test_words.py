"""The sentences of a report on a user's own metric: correct for each metric, set and sign."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openmeva.training.benchmark.data.sets import TEST_SETS, TestSet
from openmeva.training.benchmark.own import judged_parts
from openmeva.training.benchmark.own.judging import judge
from openmeva.training.benchmark.own.measure import Sampling, judge_set
from openmeva.training.benchmark.own.parts import method_section, verdict_section
from openmeva.training.benchmark.own.report import Report
from openmeva.training.benchmark.tables.part_tables import part_tables
from openmeva.training.benchmark.tables.sections import read_published

COUNT = 60
STORIES = [f"He ran {'home ' * (k % 9)}{k}." for k in range(COUNT)]
QUALITY = dict(zip(STORIES, np.random.default_rng(0).uniform(1, 5, COUNT), strict=True))
Rated = Callable[..., Path]


@pytest.fixture
def rated(tmp_path: Path) -> Rated:
    def write(count: int = COUNT, raters: int = 0) -> Path:
        rng = np.random.default_rng(1)
        rows: list[dict[str, Any]] = []
        for index, story in enumerate(STORIES[:count]):
            ratings = (QUALITY[story] + 0.8 * rng.normal(size=raters)).tolist()
            judgment = {"ratings": ratings} if raters else {"score": QUALITY[story]}
            rows.append({"story": story, "prompt": f"prompt {index // 4}", **judgment})
        path = tmp_path / "rated.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


def perfect(stories: list[str]) -> list[float]:
    return [QUALITY[story] for story in stories]


def noise(stories: list[str], seed: int = 2) -> list[float]:
    return np.random.default_rng(seed).normal(size=len(stories)).tolist()


def words(report: Report) -> str:
    return "\n".join(text for part in report.parts for text in part.paragraphs)


def noticed(
    split: str, aspects: dict[str, tuple[float | None, list[float] | None]], p_value: float = 0.01
) -> str:
    """The sentence on AUTOS for Pearson and its interval by aspect, with `p_value` of the pairs in each."""
    cells = {
        name: {
            "human": {
                "pearson": value,
                "intervals": {"pearson": interval},
                "pair_wins": 0.5 + (value or 0) / 2,
                "pair_wins_p_value": p_value,
            }
        }
        for name, (value, interval) in aspects.items()
    }
    result = {"title": f"AUTOS, {split}", "test": split, "rows": {"mine": {"kind": "own", "aspects": cells}}}
    others = {"judged": {}, "preferences": {}, "unscored": [], "skipped": {}}
    return verdict_section({**others, "autos": {f"autos_x_{split}": result}}).paragraphs[0]


def test_every_autos_aspect_is_reported_with_its_direction() -> None:
    aspects: dict[str, tuple[float | None, list[float] | None]] = {
        "typo": (0.5, [0.4, 0.6]), "negation": (-0.5, [-0.6, -0.4]), "pronoun": (0.0, [-0.1, 0.1]),
        "causal_word": (None, None), "consistency": (0.1, None),
    }  # fmt: skip
    assert noticed("discrimination", aspects) == (
        "mine on AUTOS, discrimination: it notices typo (95 % intervals above 0, and a sign test of the pairs); it prefers the damaged stories in "
        "negation (95 % intervals below 0, and a sign test of the pairs); it shows no clear effect of pronoun; too few stories for consistency; no correlation is "
        "defined for causal word."
    )
    negative = {name: (-0.6, [-0.7, -0.5]) for name in ("typo", "negation")}
    assert noticed("invariance", dict(negative)) == (
        "mine on AUTOS, invariance: it rewards harmless changes: typo, negation (95 % intervals below 0, and a sign test of the pairs)."
    )
    assert noticed("discrimination", aspects, p_value=0.06).endswith(
        "it notices nothing; it shows no clear effect of typo, negation, pronoun; too few stories for consistency; no "
        "correlation is defined for causal word."
    )
    assert noticed("invariance", {"typo": (0.0, [-0.1, 0.1])}).endswith(": no clear effect of typo.")
    assert noticed("discrimination", {"typo": (0.0, [-0.1, 0.1])}).endswith(
        "notices nothing; it shows no clear effect of typo."
    )
    assert noticed("discrimination", {"typo": (0.4, None)}).endswith(
        "too few stories to tell what it notices."
    )


def test_lower_is_better_is_suggested_for_negative_correlation(rated: Rated) -> None:
    def negated(stories: list[str]) -> list[float]:
        return [-value for value in perfect(stories)]

    suggestion = "it ranks stories opposite to people: if lower is better, use --lower-is-better"
    assert suggestion in words(judge(negated, judged=rated(), draws=100))
    negated_again = judge(negated, judged=rated(), draws=100, lower_is_better=["all"])
    assert "opposite to people" not in words(negated_again)
    wrongly_negated = judge(perfect, judged=rated(), draws=100, lower_is_better=["all"])
    assert "opposite to people, after it was negated because lower is better" in words(wrongly_negated)


def test_examples_are_stories_where_metric_and_people_disagree(rated: Rated) -> None:
    report = judge(perfect, judged=rated(), draws=100)
    assert "perfect: none, since it ranks every story as people do." in words(report)
    assert not [example for part in report.parts for example in part.examples]
    result = judge(noise, judged=rated(4), draws=100).results["judged"]["judged_rated"]["metrics"]["noise"]
    sides = [{shown["story_id"] for shown in result["examples"][side]} for side in ("higher", "lower")]
    assert sides[0]
    assert sides[1]
    assert not sides[0] & sides[1]


def test_examples_show_the_original_score(rated: Rated) -> None:
    def cost(stories: list[str]) -> list[float]:
        return [10 + value for value in noise(stories)]

    report = judge(cost, judged=rated(), draws=100, lower_is_better=["all"])
    first = report.results["judged"]["judged_rated"]["metrics"]["cost"]["examples"]["higher"][0]
    assert first["score"] in cost(list(STORIES))
    headings = [example.heading for part in report.parts for example in part.examples]
    assert f"(score {first['score']:.3g}, lower is better, rating" in headings[0]
    assert "negated except in the examples: cost." in words(report)


def test_prompt_counts_are_reported_for_each_metric(rated: Rated) -> None:
    def three_metrics(stories: list[str]) -> dict[str, list[float]]:
        coarse = [1.0 if index < 56 else QUALITY[story] for index, story in enumerate(stories)]
        return {"coarse": coarse, "fine": perfect(stories), "noise": noise(stories)}

    text = words(judge(three_metrics, judged=rated(), draws=100))
    assert "Within prompts (coarse): the mean over 1 prompts; with only 1 prompts" in text
    assert "Within prompts (fine, noise): the mean over 15 prompts; with only 15" in text
    assert "There is no level between systems: no systems are named" in text, "said once, of all"


def test_trivial_rows_are_compared_by_absolute_correlation(rated: Rated) -> None:
    note = "by absolute correlation, since their sign could be flipped freely"
    for metric, beats in (
        (perfect, "It is better than counts"),
        (noise, "It is not significantly better than simple counts"),
    ):
        report = judge(metric, judged=rated(), draws=100)
        assert beats in report.parts[0].paragraphs[0]
        for text in (
            report.parts[0].paragraphs[0],
            report.parts[1].tables[0].note,
            report.html(),
            report.markdown(),
        ):
            assert note in text


def test_trivial_rows_are_explained_only_if_present(rated: Rated) -> None:
    rows = [{"story": "", "score": QUALITY[story]} for story in STORIES]
    test_set = TestSet("x", "The set", "roc", "judgments", lambda _: rows, "", {})
    result = judge_set(test_set, rows, {"mine": noise(STORIES)}, {}, Sampling(100, 0))
    results = {"judged": {"x": result}, "preferences": {}, "autos": {}, "unscored": [], "skipped": {}, "origins": [],
               "settings": {"draws": 100, "seed": 0}, "lower_is_better": []}  # fmt: skip
    assert "Trivial" not in Report(results, {"correlations": {}}).parts[1].tables[0].note


def test_method_section_names_the_sets_and_the_autos_sample_limit() -> None:
    results: dict[str, Any] = {
        "judged": {"x": {"title": "Mine"}}, "preferences": {}, "autos": {}, "origins": ["a file"],
        "settings": {"draws": 10_000, "seed": 0}, "lower_is_better": [],
    }  # fmt: skip
    text = " ".join(method_section(results).paragraphs)
    assert "10,000 bootstrap samples of prompts, seed 0" in text
    assert "The sets: Mine. " in text
    text = " ".join(method_section({**results, "autos": {"y": {"title": "AUTOS"}}}).paragraphs)
    assert "10,000 bootstrap samples of prompts (on AUTOS 1,000, over stories), seed 0" in text
    few_samples = {**results, "autos": {"y": {"title": "AUTOS"}}, "settings": {"draws": 500, "seed": 0}}
    text = " ".join(method_section(few_samples).paragraphs)
    assert "500 bootstrap samples of prompts (on AUTOS 500, over stories)" in text
    assert "The sets: Mine, AUTOS. " in text


def test_clear_difference_passes_both_corrected_tests(rated: Rated) -> None:
    def four_metrics(stories: list[str]) -> dict[str, list[float]]:
        return {"best": perfect(stories), **{f"noise{seed}": noise(stories, seed) for seed in range(3)}}

    result = judge(four_metrics, judged=rated(), draws=1000).results["judged"]["judged_rated"]
    tests = result["metrics"]["best"]["comparisons"]
    assert {test["verdict"] for test in tests.values()} == {"better"}
    assert max(test["permutation"]["holm"] for test in tests.values()) < 0.01
    assert max(test["bootstrap"]["pearson"]["holm"] for test in tests.values()) < 0.05


def test_note_explains_why_a_small_p_value_is_not_enough() -> None:
    assert (
        "Both treat the stories of a prompt as one"
        in judged_parts.comparison_section(judged_by({})).tables[0].note
    )


@pytest.mark.parametrize(
    ("alone", "correlated_with"),
    [(True, "with 1 for a reasonable story"), (False, "with the ratings of reasonable stories")],
)
def test_note_names_what_scores_are_correlated_with_per_error_type(alone: bool, correlated_with: str) -> None:
    result = judged_by({"one_error_only": alone, "reasonable_above": 0.6})
    note = judged_parts.disagreement_section(result, []).tables[0].note
    assert f"Pearson [95 %] of the score {correlated_with}" in note
    types = result["metrics"]["mine"]["error_types"]
    sections = {"mine": {"by_error_type": types}}
    table = next(part_tables("x", {"title": "X", "sections": sections}, read_published()))
    assert f"Pearson [95 %] of the score {correlated_with}" in table.note
    few = "; with fewer than 20 stories (reasonable, chaotic), intervals are too narrow."
    assert note.endswith(few)
    assert table.note.endswith(few)
    judgments, scores = np.array(result["judgments"]), np.array(result["metrics"]["mine"]["scores"])
    keep = np.arange(40) % 2 == 0  # the others are fine and not reasonable
    expected = (judgments > 0.6).astype(float) if alone else judgments
    value = np.corrcoef(scores[keep], expected[keep])[0, 1]
    assert types["types"]["chaotic"]["pearson"] == pytest.approx(value)


def judged_by(options: dict[str, Any]) -> dict[str, Any]:
    """Forty stories: of every second one, half are chaotic according to all five raters, and half are reasonable."""
    rng = np.random.default_rng(0)
    rows = [
        {"story": f"s{k}", "score": float((0.4 if k % 2 else 0.2 + 0.6 * (k % 4 == 0)) + 0.1 * rng.random()),
         "source_model": "abc"[k % 3], "error_types": [["chaotic"] if k % 4 == 2 else []] * 5}
        for k in range(40)
    ]  # fmt: skip
    test_set = TestSet("x", "X", "roc", "judgments", lambda _: rows, "", options)
    return judge_set(
        test_set, rows, {"mine": noise(STORIES[:40])}, {"other": noise(STORIES[:40], 5)}, Sampling(100, 0)
    )


def test_few_systems_are_reported_as_weak_evidence() -> None:
    (sentence,) = [
        text
        for text in judged_parts.agreement_section("x", judged_by({}), {}).paragraphs
        if "Between systems" in text and "points" in text
    ]
    expected = "3 points only, weak evidence even with narrow intervals, which resample prompts, not systems."
    assert expected in sentence
    assert "intervals are wide" not in sentence


def test_averages_over_aspects_are_those_of_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"story_id": f"{origin}{k}{label}", "story": f"{origin} {k} {label}", "aspect": "typo", "origin": origin,
         "label": label, "perturbed_from": None if label else f"{origin}{k}1"}
        for origin in ("human", "discrimination") for k in range(6) for label in (1, 0)
    ]  # fmt: skip
    name = "autos_x_invariance"
    monkeypatch.setitem(
        TEST_SETS, name, TestSet(name, name, "roc", "autos_invariance", lambda _: rows, "", {})
    )

    def mine(stories: list[str]) -> list[float]:
        values = noise(stories)
        return [
            v + (3 * row["label"] if row["origin"] == "human" else 0)
            for v, row in zip(values, rows, strict=True)
        ]

    row = judge(mine, name, draws=100).results["autos"][name]["rows"]["mine"]
    values = [cell["pearson"] for cell in row["aspects"]["typo"].values()]
    assert len(values) == 2
    assert row["average"] == pytest.approx(np.mean(values))
    assert row["average_size"] == pytest.approx(np.mean(np.abs(values)))


def test_metric_above_the_noise_ceiling_is_reported(rated: Rated) -> None:
    path = rated(raters=3)
    means = {
        row["story"]: float(np.mean(row["ratings"])) for row in map(json.loads, path.open(encoding="utf-8"))
    }

    def two_metrics(stories: list[str]) -> dict[str, list[float]]:
        return {"seen": [means[story] for story in stories], "noise": noise(stories)}

    report = judge(two_metrics, judged=path, draws=100)
    assert report.results["judged"]["judged_rated"]["noise_ceiling"]["ceiling"]["pearson"] < 1
    above, below = report.parts[0].paragraphs[:2]
    assert "so it was trained on these ratings, the raters of a story are not exchangeable, or the" in above
    assert "the noise ceiling from the raters' disagreement is" in below
    assert "was trained on" not in below


def test_unknown_rating_reliability_is_explained(rated: Rated) -> None:
    text = words(judge(noise, judged=rated(raters=1), draws=100))
    assert "The reliability of the ratings is not known: no story has two ratings." in text
    text = words(judge(noise, judged=rated(), draws=100))
    assert "is not known: the individual ratings are not known, only their mean." in text
