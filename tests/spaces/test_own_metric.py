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
from openmeva.spaces.leaderboard.collect import collect, judgments_digest, merge_runs
from openmeva.spaces.leaderboard.own_metric import DRAWS, SEED, join_judgments, place
from openmeva.spaces.leaderboard.reporting import report
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.hub.results import read_results
from openmeva.training.paths import RESULTS, ROOT


def judged_rows(count: int = 40) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    return [
        {"score": float(s), "judgment": float(s + rng.normal()), "prompt": f"p{i // 4}"}
        for i, s in enumerate(rng.normal(size=count))
    ]


def test_judged_scores_agree_with_scipy() -> None:
    rows = judged_rows()
    (result,) = place("mans_roc", rows)
    scores, judgments = ([row[name] for row in rows] for name in ("score", "judgment"))
    assert result["pearson"] == pytest.approx(stats.pearsonr(scores, judgments).statistic, abs=1e-4)
    assert result["spearman"] == pytest.approx(stats.spearmanr(scores, judgments).statistic, abs=1e-4)
    assert result["kendall"] == pytest.approx(stats.kendalltau(scores, judgments).statistic, abs=1e-4)
    low, high = result["intervals"]["pearson"]
    assert low < result["pearson"] < high


def test_autos_scores_may_come_in_any_order() -> None:
    rows = TEST_SETS["autos_mini_discrimination"].read(None)
    scores = next(iter(trivial_scores([row["story"] for row in rows]).values()))
    plain = [{"score": float(value)} for value in scores]
    named = [
        {**score, "story_id": row["story_id"], "aspect": row["aspect"]}
        for score, row in zip(plain, rows, strict=True)
    ]
    (result,) = place("autos_mini_discrimination", plain)
    assert [result] == place("autos_mini_discrimination", named[::-1])
    typed = [{"score": str(score["score"])} for score in plain]  # as CSV has them
    assert [result] == place("autos_mini_discrimination", typed)
    assert set(result["aspects"]) >= {"lexical_repetition", "consistency"}


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
        (
            "mans_roc",
            [{"good": i, "bad_score": 1.0, "judgment": float(i)} for i in range(30)],
            "^bad: all 30 scores are 1: .* constant",
        ),
        ("mans_roc", [{"score": float(i), "judgment": 1.0} for i in range(30)], "same judgment"),
        ("autos_mini_discrimination", [{"score": 1.0}] * 5, "one for each row"),
        ("mans_roc", [{f"{n} {k}": "" for k in range(9)} for n in range(30)], "at most 200 columns, got 270"),
        ("mans_roc", [{"score": 1.0, "x" * 101: 2.0}] * 30, "A column has a name of 101 characters"),
        (
            "mans_roc",
            [{**row, "source_model": "s" * 5000} for row in judged_rows()],
            "'source_model': a system has a name of 5,000 characters",
        ),
        (
            "mans_roc",
            [{**row, "source_model": f"s{k}"} for k, row in enumerate(judged_rows(51))],
            "'source_model': expected at most 50 systems, got 51",
        ),
    ],
)
def test_invalid_scores_are_rejected(
    name: str, rows: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        place(name, rows, tmp_path)  # a folder without the judged sets


def test_invalid_story_ids_are_rejected() -> None:
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


def test_context_is_used_as_prompt() -> None:
    rows = judged_rows()
    renamed = [{**row, "context": row["prompt"], "prompt": ""} for row in rows]
    assert place("mans_roc", renamed) == place("mans_roc", rows)
    without_prompts = [{name: row[name] for name in ("score", "judgment")} for row in rows]
    assert place("mans_roc", without_prompts) != place("mans_roc", rows)


def test_average_counts_only_aspects_with_a_correlation() -> None:
    aspects = {"typo": {"pearson": 0.5}, "synonym": {"pearson": None}}
    mine = [{"title": "x", "kind": "you", "set": "autos_mini_discrimination", "aspects": aspects}]
    assert ".500 over 1 aspects" in views.placed(mine, None)


def test_columns_of_one_file_are_ranked_separately() -> None:
    judged_set = {"title": "a set", "n": 9, "rows": [{"kind": "ours", "pearson": 0.1}]}
    common = {"intervals": {"pearson": None}, "n": 9, "same_stories": True, "set": "mans_roc"}
    mine = [{"title": f"m{value}", "pearson": value, **common} for value in (0.9, 0.8)]
    assert re.findall(r"rank \d of \d", views.placed(mine, judged_set)) == ["rank 1 of 3", "rank 2 of 3"]


def test_interval_bounds_are_rounded_once() -> None:
    rows = judged_rows()
    (result,) = place("mans_roc", rows)
    judged = join_judgments("mans_roc", rows).judged
    bootstrap = PromptBootstrap(judged.scores, judged.prompts, DRAWS, np.random.default_rng(SEED))
    bounds = intervals(bootstrap.correlations(np.array([row["score"] for row in rows])))
    assert result["intervals"]["pearson"] == pytest.approx(bounds["pearson"], abs=1e-6)


def test_rank_is_given_only_among_metrics_on_the_same_stories() -> None:
    rows = judged_rows(60)
    judgments = [row["judgment"] for row in rows]
    shipped = json.loads(RESULTS.read_text(encoding="utf-8"))["judged"]["mans_roc"]
    html = views.placed(place("mans_roc", rows, digest=shipped["judgments"]), shipped)
    assert "on 60 stories. No rank is given" in html
    assert "rank" not in html.replace("No rank is given", "")
    judged_set = {**shipped, "n": 60, "judgments": judgments_digest(judgments[::-1])}
    mine = place("mans_roc", rows, digest=judged_set["judgments"])
    assert re.search(r"rank 1 of \d+ among metrics run on the same stories", views.placed(mine, judged_set))
    changed = [{**rows[0], "judgment": judgments[0] + 1}, *rows[1:]]
    assert "No rank is given" in views.placed(
        place("mans_roc", changed, digest=judged_set["judgments"]), judged_set
    )


def test_several_columns_of_scores_are_several_metrics() -> None:
    rows = [{**row, "a_b": -row["score"]} for row in judged_rows()]
    results = place("mans_roc", rows)
    assert [row["title"] for row in results] == ["your metric", "a_b"]
    assert results[0]["pearson"] == -results[1]["pearson"]
    assert "a_b: Pearson" in views.placed(results, None)
    html = views.judged_table(read_results(ROOT)["judged"]["mans_roc"], "pearson", results)
    assert '<th scope="row">a_b<' in html, "named as elsewhere on the page"
    with pytest.raises(ValueError, match="at most 1, got 2"):
        place("mans_roc", rows, most=1)


def test_column_named_like_a_trivial_baseline_is_renamed() -> None:
    rows = [{**row, **dict.fromkeys(TRIVIAL_BASELINES, row["score"])} for row in judged_rows()]
    named = [f"{name} (yours)" for name in TRIVIAL_BASELINES]
    assert [row["title"] for row in place("mans_roc", rows)] == ["your metric", *named]
    html = report("mans_roc", rows, None, None)
    assert all(name in html for name in named)
    stories = TEST_SETS["autos_mini_invariance"].read(None)
    (result,) = place("autos_mini_invariance", [{"length": float(len(row["story"]))} for row in stories])
    assert result["title"] == "length (yours)"


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
            "corpus": "roc", "test": "discrimination",
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
    for name, judged_set in results["judged"].items():
        html = views.judged_table(judged_set, coefficient)
        printed = [row for row in judged_set["rows"] if row["kind"] == "paper"]
        assert ("as printed" in html) == any(row[coefficient] is not None for row in printed), name


def test_collected_results_contain_no_single_scores_or_judgments() -> None:
    collected = collect(merge_runs([RUN]), PUBLISHED)
    rows = collected["judged"]["mans_roc"]["rows"]
    assert [(row["title"], row["kind"], row["pearson"]) for row in rows] == [
        ("UNION", "ours", pytest.approx(0.2877, abs=5e-5)),
        ("BLEU", "paper", 0.03),
    ]
    assert len(collected["judged"]["mans_roc"]["judgments"]) == 64, "a digest alone"
    assert collected["autos"]["autos_mini_discrimination"]["rows"][0]["aspects"] == {
        "typo": {"pearson": 0.5, "pair_wins": None, "interval": [0.4118, 0.6]}
    }


def test_runs_are_merged_row_by_row() -> None:
    judged = RUN["judged"]["mans_roc"]
    better = {**judged["rows"]["UNION"], "pearson": 0.5}
    later = {**RUN, "judged": {"mans_roc": {**judged, "rows": {"UNION": better, "PPL": better}}}, "autos": {}}
    merged = merge_runs([RUN, later])
    rows = merged["judged"]["mans_roc"]["rows"]
    assert list(rows) == ["UNION", "empty", "PPL"]
    assert rows["UNION"]["pearson"] == 0.5
    assert merged["autos"] == merge_runs([RUN])["autos"]
    assert {autos_set["settings"]["draws"] for autos_set in merged["autos"].values()} == {10}
    with pytest.raises(ValueError, match="4 rows, another 5"):
        merge_runs([RUN, {**later, "judged": {"mans_roc": {**judged, "n": 5}}}])


def test_tables_contain_all_rows_and_highlight_the_users() -> None:
    collected = collect(merge_runs([RUN]), PUBLISHED)
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
    html = views.judged_table(collected["judged"]["mans_roc"], "pearson", [mine])
    assert html.index("&lt;b&gt;mine") < html.index("UNION") < html.index("as printed") < html.index("BLEU")
    assert "on 1,000 stories, of which the 4 above are a part" in html
    assert html.count("1,000</td>") == 1, "the number of stories of each row"
    apart = views.judged_table(collected["judged"]["mans_roc"], "pearson", [{**mine, "same_stories": False}])
    assert apart.index("UNION") < apart.index("your judgments") < apart.index("&lt;b&gt;mine")
    assert html.count("om-you") == 1
    assert "<b>mine" not in html
    assert "rank 1 of 2" in views.placed([mine], collected["judged"]["mans_roc"])
    assert "typo" in views.autos_table(collected["autos"]["autos_mini_discrimination"], "pearson")


def test_prompt_may_be_0_and_systems_are_used_only_if_complete() -> None:
    rows = [
        {
            "score": float(index),
            "judgment": float(index % 7),
            "prompt": index // 4,
            "source_model": "a" if index else "",
        }
        for index in range(24)
    ]
    judged = join_judgments("mans_roc", rows).judged
    assert len(set(judged.prompts)) == 6
    assert judged.source_models is None
