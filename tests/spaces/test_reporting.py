"""The parts of a report on a user's scores: their headings, and their agreement with the command's report."""

import json
from pathlib import Path

import pytest

from openmeva.spaces.leaderboard.own_metric import place
from openmeva.spaces.leaderboard.reporting import MAX_TESTED_SCORES, report
from openmeva.training.benchmark.own.judging import judge
from tests.spaces.test_own_metric import judged_rows


def test_report_sections_need_no_judged_stories() -> None:
    rows = [
        {**row, "source_model": "abcd"[k % 4], "<i>": -row["score"]} for k, row in enumerate(judged_rows(60))
    ]
    html = report("mans_roc", rows, None, None)
    for title in ("how closely it follows people", "better than others?", "by source model"):
        assert title in html
    assert (
        "Within prompts: the mean over 15 prompts; with only 15 prompts, intervals are too narrow. Between systems: 4"
        in html
    )
    assert html.count("<svg") == 2
    assert "&lt;i&gt;" in html
    assert "<i>" not in html
    assert "as printed" not in html, "the paper's figures are of other stories"
    assert "<h2>Your judgments: how closely" in html
    assert "MANS-ROC" not in html, "these are not its judgments"
    assert "rivial" not in html, "without stories there are no such rows to explain"
    assert report("autos_mini_discrimination", rows, None, None) == ""


@pytest.mark.parametrize(
    ("stories", "columns", "said"), [(MAX_TESTED_SCORES + 1, 1, "4,001 "), (2000, 8, "16,000 ")]
)
def test_omitted_report_says_why(stories: int, columns: int, said: str) -> None:
    rows = [{**row, **{f"m{k}": row["score"] for k in range(1, columns)}} for row in judged_rows(stories)]
    html = report("mans_roc", rows, None, None)
    assert (
        f"at most 4,000 scores (stories times columns) for the other parts of the report, got {said}" in html
    )
    assert html.count("<section") == 1


def test_space_and_command_report_the_same_metrics(tmp_path: Path) -> None:
    rows = [
        {
            "story": f"Story {index} of {index % 7} words.",
            "score": row["judgment"],
            "judgment": row["judgment"],
            "union_score": row["score"],
            "a_b": -row["score"],
        }
        for index, row in enumerate(judged_rows())
    ]
    file = tmp_path / "scored.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (result,) = judge(file, judged=file, draws=100).results["judged"].values()
    own = {title: row["pearson"] for title, row in result["rows"].items() if row["kind"] == "own"}
    in_space = {row["title"]: row["pearson"] for row in place("mans_roc", rows)}
    assert list(in_space) == list(own) == ["union", "a_b"]
    assert in_space == pytest.approx(own, abs=1e-6)
