"""A user's scores among the benchmark's: the same coefficients as SciPy's, and messages for invalid input."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from openmeva.metrics.openmeva.bootstrap import PromptBootstrap, intervals
from openmeva.metrics.openmeva.trivial import TRIVIAL_BASELINES, trivial_scores
from openmeva.spaces.leaderboard import views
from openmeva.spaces.leaderboard.collect import RESULTS, collect, judgments_digest, merge_runs
from openmeva.spaces.leaderboard.placing import DRAWS, SEED, join_judgments, place
from openmeva.spaces.leaderboard.reporting import report
from openmeva.training.benchmark.sets import TEST_SETS
from openmeva.training.hub.results import read_results
from openmeva.training.paths import ROOT


def judged_rows(count: int = 40) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    return [
        {"score": float(s), "judgment": float(s + rng.normal()), "prompt": f"p{i // 4}"}
        for i, s in enumerate(rng.normal(size=count))
    ]


def test_judged_scores_agree_with_scipy() -> None:
    rows = judged_rows()
    (found,) = place("mans_roc", rows)
    scores, judgments = ([row[name] for row in rows] for name in ("score", "judgment"))
    assert found["pearson"] == pytest.approx(stats.pearsonr(scores, judgments).statistic, abs=1e-4)
    assert found["spearman"] == pytest.approx(stats.spearmanr(scores, judgments).statistic, abs=1e-4)
    assert found["kendall"] == pytest.approx(stats.kendalltau(scores, judgments).statistic, abs=1e-4)
    low, high = found["intervals"]["pearson"]
    assert low < found["pearson"] < high


def test_autos_scores_in_any_order() -> None:
    rows = TEST_SETS["autos_mini_discrimination"].read(None)
    scores = next(iter(trivial_scores([row["story"] for row in rows]).values()))
    plain = [{"score": float(value)} for value in scores]
    named = [
        {**one, "story_id": row["story_id"], "aspect": row["aspect"]}
        for one, row in zip(plain, rows, strict=True)
    ]
    (found,) = place("autos_mini_discrimination", plain)
    assert [found] == place("autos_mini_discrimination", named[::-1])
    typed = [{"score": str(one["score"])} for one in plain]  # as CSV has them
    assert [found] == place("autos_mini_discrimination", typed)
    assert set(found["aspects"]) >= {"lexical_repetition", "consistency"}


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("nothing", [{"score": 1}], "The set is one of"),
        ("mans_roc", [], "1 to 20,000"),
        ("mans_roc", [{"score": "high"}], "Row 1: expected a number"),
        ("mans_roc", [{"score": float("nan")}], "Row 1: expected a finite number"),
        ("mans_roc", [{"story_id": "1"}], "Row 1: expected a column of scores"),
        ("mans_roc", [{"score": True}], "Row 1"),
        ("mans_roc", [{"score": 1.0}] * 30, "'judgment'"),
        (
            "mans_roc",
            [*judged_rows(), {"score": 1.0, "judgment": ""}],
            "Row 41: expected a number in 'judgment'",
        ),
        ("mans_roc", [dict.fromkeys("abcdefghi", 1.0)] * 30, "at most 8, got 9"),
        (
            "autos_mini_invariance",
            [{"a": 1.0, "b": 1.0}] * 10_001,
            "at most 20,000 scores in all, got 20,002",
        ),
        ("mans_roc", [{"score": float(i), "judgment": 1.0} for i in range(10)], "at least 20"),
        ("mans_roc", [{"score": 1.0, "judgment": float(i)} for i in range(30)], "constant"),
        ("mans_roc", [{"score": float(i), "judgment": 1.0} for i in range(30)], "same judgment"),
        ("autos_mini_discrimination", [{"score": 1.0}] * 5, "one for each row"),
        (
            "mans_roc",
            [{**row, "source_model": f"s{k}"} for k, row in enumerate(judged_rows(51))],
            "'source_model': expected at most 50 systems, got 51",
        ),
    ],
)
def test_what_does_not_fit_is_said(
    name: str, rows: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        place(name, rows, tmp_path)  # a folder without the judged sets


def test_ids_that_do_not_fit() -> None:
    rows = [
        {"score": float(i), "story_id": row["story_id"], "aspect": row["aspect"]}
        for i, row in enumerate(TEST_SETS["autos_mini_invariance"].read(None))
    ]
    with pytest.raises(ValueError, match=f"Row {len(rows)}: expected each story_id once"):
        place("autos_mini_invariance", [*rows[:-1], rows[0]])
    with pytest.raises(ValueError, match=f"Row {len(rows)}: expected a story_id of the set"):
        place("autos_mini_invariance", [*rows[:-1], {**rows[-1], "story_id": "other"}])
    with pytest.raises(ValueError, match=f"Row {len(rows)}: expected 'story_id', which other rows have"):
        place("autos_mini_invariance", [*rows[:-1], {"score": 1.0}])
    with pytest.raises(ValueError, match=r"none for story_id .* \(1 of them lack one\)"):
        place("autos_mini_invariance", rows[:-1])


def test_a_context_stands_for_a_prompt() -> None:
    rows = judged_rows()
    renamed = [{**row, "context": row["prompt"], "prompt": ""} for row in rows]
    assert place("mans_roc", renamed) == place("mans_roc", rows)
    alone = [{name: row[name] for name in ("score", "judgment")} for row in rows]
    assert place("mans_roc", alone) != place("mans_roc", rows)


def test_aspects_are_counted_where_they_have_a_correlation() -> None:
    aspects = {"typo": {"pearson": 0.5}, "synonym": {"pearson": None}}
    mine = [{"title": "x", "kind": "you", "set": "autos_mini_discrimination", "aspects": aspects}]
    assert ".500 over 1 aspects" in views.placed(mine, None)


def test_columns_of_one_file_have_places_of_their_own() -> None:
    found = {"title": "a set", "n": 9, "rows": [{"kind": "ours", "pearson": 0.1}]}
    ends = {"intervals": {"pearson": None}, "n": 9, "same_stories": True, "set": "mans_roc"}
    mine = [{"title": f"m{value}", "pearson": value, **ends} for value in (0.9, 0.8)]
    assert re.findall(r"rank \d of \d", views.placed(mine, found)) == ["rank 1 of 3", "rank 2 of 3"]


def test_ends_are_rounded_once() -> None:
    rows = judged_rows()
    (found,) = place("mans_roc", rows)
    judged = join_judgments("mans_roc", rows).judged
    bootstrap = PromptBootstrap(judged.scores, judged.prompts, DRAWS, np.random.default_rng(SEED))
    ends = intervals(bootstrap.correlations(np.array([row["score"] for row in rows])))
    assert found["intervals"]["pearson"] == pytest.approx(ends["pearson"], abs=1e-6)


def test_a_place_is_named_among_the_same_stories_alone() -> None:
    rows = judged_rows(60)
    judgments = [row["judgment"] for row in rows]
    shipped = json.loads(RESULTS.read_text(encoding="utf-8"))["judged"]["mans_roc"]
    said = views.placed(place("mans_roc", rows, digest=shipped["judgments"]), shipped)
    assert "on 60 stories. No rank is given" in said
    assert "rank" not in said.replace("No rank is given", "")
    found = {**shipped, "n": 60, "judgments": judgments_digest(judgments[::-1])}
    mine = place("mans_roc", rows, digest=found["judgments"])
    assert re.search(r"rank 1 of \d+ among metrics run on the same stories", views.placed(mine, found))
    changed = [{**rows[0], "judgment": judgments[0] + 1}, *rows[1:]]
    assert "No rank is given" in views.placed(place("mans_roc", changed, digest=found["judgments"]), found)


def test_several_columns_of_scores_are_several_metrics() -> None:
    rows = [{**row, "a_b": -row["score"]} for row in judged_rows()]
    found = place("mans_roc", rows)
    assert [row["title"] for row in found] == ["your metric", "a_b"]
    assert found[0]["pearson"] == -found[1]["pearson"]
    assert "a_b: Pearson" in views.placed(found, None)
    shown = views.judged_table(read_results(ROOT)["judged"]["mans_roc"], "pearson", found)
    assert '<th scope="row">a_b<' in shown, "called as elsewhere on the page"
    with pytest.raises(ValueError, match="at most 1, got 2"):
        place("mans_roc", rows, most=1)


def test_a_column_named_like_a_trivial_row_is_told_apart_from_it() -> None:
    rows = [{**row, **dict.fromkeys(TRIVIAL_BASELINES, row["score"])} for row in judged_rows()]
    named = [f"{name} (yours)" for name in TRIVIAL_BASELINES]
    assert [row["title"] for row in place("mans_roc", rows)] == ["your metric", *named]
    shown = report("mans_roc", rows, None, None)
    assert all(name in shown for name in named)
    stories = TEST_SETS["autos_mini_invariance"].read(None)
    (found,) = place("autos_mini_invariance", [{"length": float(len(row["story"]))} for row in stories])
    assert found["title"] == "length (yours)"


RUN: dict[str, Any] = {
    "settings": {"draws": 10, "seed": 0},
    "judged": {
        "mans_roc": {
            "title": "MANS-ROC",
            "n": 4,
            "prompts": 2,
            "judgments": [1, 2, 3, 4],
            "scores": {"UNION": [1, 2, 3, 4]},
            "rows": {
                "UNION": {"kind": "ours", "pearson": 0.28765432, "spearman": 0.2, "kendall": 0.1,
                          "intervals": {"pearson": [0.1, 0.4], "spearman": None, "kendall": None},
                          "beats_trivial": {"pearson": {"beats": False}}},
                "empty": {"kind": "ours", "undefined": "constant"},
            },
        }
    },
    "autos": {
        "autos_mini_discrimination": {
            "title": "AUTOS mini, discrimination test",
            "n": 3,
            "rows": {"UNION": {"kind": "ours", "average": {"pearson": 0.5},
                               "aspects": {"typo": {"human": {"pearson": 0.5, "pair_wins": None, "techniques": {},
                                                          "intervals": {"pearson": [0.4118, 0.6]}}}}}},
        }
    },
}  # fmt: skip
PUBLISHED = {
    "correlations": {
        "mans_roc": {"note": "Table 4", "stories": 1000, "rows": {"BLEU": {"pearson": 0.03}, "none": {}}}
    }
}


@pytest.mark.parametrize("coefficient", views.COEFFICIENTS)
def test_each_set_is_shown_by_each_coefficient(coefficient: str) -> None:
    results = read_results(ROOT)
    for name, found in results["judged"].items():
        shown = views.judged_table(found, coefficient)
        printed = [row for row in found["rows"] if row["kind"] == "paper"]
        assert ("as printed" in shown) == any(row[coefficient] is not None for row in printed), name


def test_collecting_leaves_single_scores_and_judgments_out() -> None:
    found = collect(merge_runs([RUN]), PUBLISHED)
    rows = found["judged"]["mans_roc"]["rows"]
    assert [(row["title"], row["kind"], row["pearson"]) for row in rows] == [
        ("UNION", "ours", pytest.approx(0.2877, abs=5e-5)),
        ("BLEU", "paper", 0.03),
    ]
    assert len(found["judged"]["mans_roc"]["judgments"]) == 64, "a digest alone"
    assert found["autos"]["autos_mini_discrimination"]["rows"][0]["aspects"] == {
        "typo": {"pearson": 0.5, "pair_wins": None, "interval": [0.4118, 0.6]}
    }


def test_runs_are_merged_row_by_row() -> None:
    judged = RUN["judged"]["mans_roc"]
    better = {**judged["rows"]["UNION"], "pearson": 0.5}
    later = {**RUN, "judged": {"mans_roc": {**judged, "rows": {"UNION": better, "PPL": better}}}, "autos": {}}
    found = merge_runs([RUN, later])
    rows = found["judged"]["mans_roc"]["rows"]
    assert list(rows) == ["UNION", "empty", "PPL"]
    assert rows["UNION"]["pearson"] == 0.5
    assert found["autos"] == merge_runs([RUN])["autos"]
    assert {one["settings"]["draws"] for one in found["autos"].values()} == {10}
    with pytest.raises(ValueError, match="4 rows, another 5"):
        merge_runs([RUN, {**later, "judged": {"mans_roc": {**judged, "n": 5}}}])


def test_tables_hold_every_row_and_the_users_marked() -> None:
    found = collect(merge_runs([RUN]), PUBLISHED)
    mine = {
        "title": "<b>mine",
        "kind": "you",
        "pearson": 0.9,
        "spearman": 0.8,
        "kendall": 0.7,
        "intervals": {"pearson": [0.8, 0.95]},
        "n": 4,
        "same_stories": True,
    }
    shown = views.judged_table(found["judged"]["mans_roc"], "pearson", [mine])
    assert (
        shown.index("&lt;b&gt;mine") < shown.index("UNION") < shown.index("as printed") < shown.index("BLEU")
    )
    assert "on 1,000 stories, of which the 4 above are a part" in shown
    assert shown.count("1,000</td>") == 1, "how many stories each row rests on"
    apart = views.judged_table(found["judged"]["mans_roc"], "pearson", [{**mine, "same_stories": False}])
    assert apart.index("UNION") < apart.index("your judgments") < apart.index("&lt;b&gt;mine")
    assert shown.count("om-you") == 1
    assert "<b>mine" not in shown
    assert "rank 1 of 2" in views.placed([mine], found["judged"]["mans_roc"])
    assert "typo" in views.autos_table(found["autos"]["autos_mini_discrimination"], "pearson")


def test_shipped_results_hold_no_story() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert found["judged"]
    assert found["autos"]
    assert {key for one in found["judged"].values() for key in one} == {
        "title", "corpus", "n", "prompts", "ceiling", "paper_note", "paper_stories", "judgments", "settings", "rows",
    }  # fmt: skip


def test_a_prompt_may_be_0_and_systems_count_where_all_have_one() -> None:
    rows = [
        {
            "score": float(place),
            "judgment": float(place % 7),
            "prompt": place // 4,
            "source_model": "a" if place else "",
        }
        for place in range(24)
    ]
    judged = join_judgments("mans_roc", rows).judged
    assert len(set(judged.prompts)) == 6
    assert judged.source_models is None
