"""Degenerate sets: results that are undefined are omitted, and the rest of the report is complete."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openmeva.metrics.openmeva.judged import JudgedStories
from openmeva.metrics.openmeva.sources import judgments_by_source
from openmeva.training.benchmark.data.sets import TEST_SETS, TestSet
from openmeva.training.benchmark.own.judging import judge
from openmeva.training.benchmark.report import write_report
from openmeva.training.benchmark.results.judged import judged_table
from openmeva.training.benchmark.results.preferences import preference_table
from openmeva.training.benchmark.run import Settings, _judged
from openmeva.training.benchmark.scoring.inputs import non_constant
from openmeva.training.benchmark.tables.level_tables import standings_tables
from openmeva.training.benchmark.tables.part_tables import human_machine_table
from openmeva.training.benchmark.tables.sections import read_published
from openmeva.training.files import write_rows


def rows(prompts: list[int]) -> list[dict[str, Any]]:
    """One story per given prompt number, with different lengths and judgments."""
    return [
        {"story": "a dog" + " ran" * (index % 7), "prompt": f"p{prompt}", "score": (index * 5) % 7}
        for index, prompt in enumerate(prompts)
    ]


def test_one_prompt_of_several_stories_gives_no_interval_within_prompts() -> None:
    judged = JudgedStories.from_rows(rows([0] * 12 + list(range(1, 13))))
    scores = list(np.random.default_rng(0).normal(size=24))
    table = judged_table(judged, {"mine": scores}, {}, 200, np.random.default_rng(0))
    within = table["rows"]["mine"]["within_prompts"]
    assert within["prompts"] == 1
    assert within["intervals"]["pearson"] is None
    assert table["rows"]["mine"]["intervals"]["pearson"] is not None


def test_source_models_are_compared_on_request() -> None:
    judged = JudgedStories.from_rows(
        [{**row, "source_model": "ab"[k % 2]} for k, row in enumerate(rows([0] * 12))]
    )
    results = [
        judged_table(judged, {"mine": list(range(12))}, {}, 100, np.random.default_rng(0), sources=sources)
        for sources in (True, False)
    ]
    assert results[0].pop("sources")
    assert results[1] == results[0]


def test_single_prompt_gives_no_rank_probability() -> None:
    judged = JudgedStories.from_rows(rows([0] * 12))
    ours = {name: list(np.random.default_rng(seed).normal(size=12)) for seed, name in enumerate(("a", "b"))}
    table = judged_table(judged, ours, {}, 100, np.random.default_rng(0))
    assert [rank["first"] for rank in table["standings"]["pooled"]["ranks"]] == [None, None]
    (laid_out, *_) = standings_tables({"title": "Mine", **table})
    assert laid_out.rows[0][3] == "–"
    assert table["rows"]["a"]["beats_trivial"]["pearson"]["beats"] is None


def test_metric_constant_in_most_prompts_is_not_ranked_first() -> None:
    prompts = [index // 4 for index in range(40)]
    judged = JudgedStories.from_rows(rows(prompts))
    perfect_once = [
        score if prompt == 0 else 0.0 for score, prompt in zip(judged.scores, prompts, strict=True)
    ]
    fair = list(judged.scores + np.random.default_rng(1).normal(size=40))
    table = judged_table(judged, {"once": perfect_once, "fair": fair}, {}, 100, np.random.default_rng(0))
    assert table["rows"]["once"]["within_prompts"]["spearman"] == pytest.approx(1.0)
    assert table["standings"]["within_prompts"]["metrics"][0] == "fair"


def test_constant_prompts_count_as_zero_in_standings() -> None:
    prompts = [index // 4 for index in range(40)]
    judged = JudgedStories.from_rows(rows(prompts))
    perfect_twice = [
        score if prompt < 2 else 0.0 for score, prompt in zip(judged.scores, prompts, strict=True)
    ]
    fair = list(judged.scores + np.random.default_rng(1).normal(size=40))
    metrics = {"twice": perfect_twice, "fair": fair}
    table = judged_table(judged, metrics, {}, 400, np.random.default_rng(0))
    level = table["standings"]["within_prompts"]
    ranks = dict(zip(level["metrics"], level["ranks"], strict=True))
    assert ranks["fair"]["first"] > 0.8
    assert level["p_values"][0][1] < 0.2


def test_missing_levels_are_explained_in_the_report(tmp_path: Path) -> None:
    judged = [{"story_id": str(index), **row} for index, row in enumerate(rows([0] * 3 + list(range(1, 10))))]
    for row in judged[:3]:
        row["score"] = 3
    file = tmp_path / "rated.jsonl"
    write_rows(file, judged)
    report = judge(lambda stories: [float(len(story)) for story in stories], judged=file, draws=100)
    text = " ".join(words for part in report.parts for words in part.paragraphs)
    assert "There is no level within prompts: in every prompt" in text
    assert "There is no level between systems: no systems are named" in text


@pytest.mark.parametrize("exchangeable", [True, False])
def test_share_of_the_noise_ceiling_is_omitted_for_an_invalid_ceiling(exchangeable: bool) -> None:
    """If two raters err in opposite directions, their mean is nearly exact, and metrics exceed the split-half ceiling."""
    rng = np.random.default_rng(3)
    quality, error, noise = rng.normal(size=(3, 60))
    errors = [error, noise if exchangeable else 0.1 * noise - error]
    ratings = 3 + quality[:, None] + 0.8 * np.stack(errors, axis=1)
    judged = [
        {**row, "source_model": ("human", "gpt")[index % 2], "ratings": list(ratings[index]), "score": None}
        for index, row in enumerate(rows(list(range(60))))
    ]
    scores = list(quality + 0.3 * rng.normal(size=60))
    test_set = TestSet("x", "The set", "roc", "judgments", lambda _: judged, "", {})
    result = _judged(
        test_set, judged, {"mine": {"scores": scores, "signature": ""}}, Settings(None, draws=200)
    )
    (row,) = human_machine_table(result).rows
    assert "share" not in result["sections"]["mine"].get("noise_ceiling", {})
    if exchangeable:
        share = result["rows"]["mine"]["pearson"] / result["noise_ceiling"]["ceiling"]["pearson"]
        assert float(row[-1]) == pytest.approx(share, abs=0.005)
    else:
        assert "mine is above their ceiling" in result["unavailable"]["noise_ceiling"]
        assert row[-1] == "–"


def test_tied_prompts_allow_no_source_comparison() -> None:
    tied = [
        {"story": f"a {prompt} {system}", "prompt": prompt, "source_model": system, "score": int(prompt)}
        for prompt in "123"
        for system in ("s2s", "gpt", "plan")
    ]
    with pytest.raises(ValueError, match="have the same judgment"):
        judgments_by_source(JudgedStories.from_rows(tied))


def test_preference_pairs_of_one_prompt_have_no_interval() -> None:
    pairs = [
        {"story_id": f"{pair}{index}", "pair": str(pair), "prompt": "p", "story": "a b", "score": 1.0 - index}
        for pair in range(6)
        for index in range(2)
    ]
    result = preference_table(pairs, {"mine": list(range(12))}, 100, np.random.default_rng(0))
    assert result["rows"]["mine"]["intervals"]["accuracy"] is None


def test_constant_metric_is_skipped_with_its_reason() -> None:
    skipped: dict[str, str] = {}
    result = {"same": {"scores": [0.0, 0.0]}, "other": {"scores": [0.0, 1.0]}}
    assert list(non_constant(TEST_SETS["mans_roc"], result, skipped)) == ["other"]
    assert list(skipped.values()) == ["gives every story the same score"]


def test_report_without_trivial_rows(tmp_path: Path) -> None:
    alike = [{"story": f"one two {index}", "prompt": str(index), "score": index % 5} for index in range(12)]
    judged = JudgedStories.from_rows(alike)
    table = judged_table(judged, {"mine": list(range(12))}, {}, 100, np.random.default_rng(0))
    assert table["rows"]["mine"]["beats_trivial"] == {}
    results = {
        "judged": {"mine": {**table, "title": "Mine", "sections": {}, "signatures": {}}},
        **{
            name: {}
            for name in ("autos", "preferences", "dataset_drift", "drift_weights", "explanations", "skipped")
        },
        "settings": {"draws": 100, "seed": 0},
    }
    assert write_report(results, read_published(), tmp_path).is_file()
