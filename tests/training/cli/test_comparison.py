"""`openmeva compare`."""

import json
from pathlib import Path

import numpy as np
import pytest

from openmeva.metrics.core.writing import write_rows
from openmeva.training.cli import judging
from openmeva.training.scoring.results import MetricResult, result_rows
from tests.training.cli.test_commands import run


def test_two_files_of_scores_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    judged = [
        {
            "story_id": str(n),
            "story": f"He ran {n} miles and slept.",
            "prompt": str(n // 2),
            "score": float(n % 7),
        }
        for n in range(60)
    ]
    near = [{**row, "plot_coherence_score": row["score"] + rng.normal()} for row in judged]
    far = [{"story_id": row["story_id"], "score": rng.normal()} for row in reversed(judged)]
    for name, rows in (("near", near), ("far", far)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ("compare", tmp_path / "near.jsonl", tmp_path / "far.jsonl", "--draws", 100)
    comparison = json.loads(run(*arguments).stdout)
    assert comparison["n"] == 60
    assert comparison["prompts"] == 30
    assert comparison["pairs"]["best"] == "near.jsonl:plot_coherence_score"
    williams = comparison["pairs"]["against"]["far.jsonl:score"]["williams"]
    assert williams["t"] > 0
    assert williams["holm"] < 0.05
    by_rank = json.loads(run(*arguments, "--coefficient", "kendall").stdout)
    against = by_rank["pairs"]["against"]["far.jsonl:score"]
    assert against["permutation"]["difference"] == pytest.approx(against["difference"]["kendall"])
    assert {level["coefficient"] for level in by_rank["standings"].values()} == {"kendall"}
    assert "pearson" in run(*arguments, "--coefficient", "tau", code=2).stderr
    opposite = run(*arguments, "--lower-is-better", "near.jsonl:plot_coherence_score").stdout
    row = json.loads(opposite)["rows"]["near.jsonl:plot_coherence_score"]
    assert row["pearson"] == -comparison["rows"]["near.jsonl:plot_coherence_score"]["pearson"] < -0.5
    assert "only near.jsonl" in run(*arguments, "--lower-is-better", "ppl", code=2).stderr
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "far.jsonl").write_text((tmp_path / "far.jsonl").read_text())
    output = run(*arguments[:3], tmp_path / "other" / "far.jsonl", "--draws", 100).stdout
    assert {f"{tmp_path / folder}/far.jsonl:score" for folder in (".", "other")} < set(
        json.loads(output)["rows"]
    )
    monkeypatch.setattr(judging, "is_terminal", lambda: True)
    table = run(*arguments).stdout
    assert "Williams" in table
    assert "near.jsonl:plot_coherence_score is clearly closer to people than far.jsonl:score." in " ".join(
        table.split()
    )
    table = run(*arguments, "--coefficient", "kendall").stdout
    assert "PERM-BOTH" in table
    assert "opposite to people" not in table
    hint = run(*arguments, "--lower-is-better", "near.jsonl:plot_coherence_score").stdout
    assert "near.jsonl:plot_coherence_score ranks stories opposite to people" in " ".join(hint.split())
    assert "Williams" not in table  # which is for Pearson only
    short = tmp_path / "short.csv"
    short.write_text("score\n1\n2\n")
    assert "expected 60 scores" in run("compare", tmp_path / "near.jsonl", short, code=2).stderr


def test_scored_files_of_rated_stories_can_be_compared(tmp_path: Path) -> None:
    """Beside `ratings` a column `score` would be read as their mean."""
    rng = np.random.default_rng(0)
    rows = [{"story": f"He ran {n} miles and slept.", "ratings": [n % 5 + 1, 3]} for n in range(20)]
    for name in ("union", "ppl"):
        scored = MetricResult(name, {"score": rng.normal(size=20).tolist()}, None, None, "")
        write_rows(tmp_path / f"{name}.jsonl", result_rows(rows, scored))
    comparison = json.loads(
        run("compare", tmp_path / "union.jsonl", tmp_path / "ppl.jsonl", "--draws", 100).stdout
    )
    assert {"union.jsonl:union_score", "ppl.jsonl:ppl_score"} < set(comparison["rows"])
    write_rows(tmp_path / "none.jsonl", [{**row, "score": np.mean(row["ratings"])} for row in rows])
    message = run("compare", tmp_path / "none.jsonl", tmp_path / "ppl.jsonl", code=2).stderr
    assert "expected a column of scores" in message


def test_metrics_on_stories_of_one_prompt_have_no_clear_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to resample."""
    rows = [
        {"story": f"He ran {n} miles.", "prompt": "run", "ratings": [n % 5 + 1, n % 3 + 1]} for n in range(30)
    ]
    for name in ("near", "far"):
        scored = [
            {**row, f"{name}_score": row["ratings"][0] if name == "near" else 1 / (k + 1)}
            for k, row in enumerate(rows)
        ]
        write_rows(tmp_path / f"{name}.jsonl", scored)
    monkeypatch.setattr(judging, "is_terminal", lambda: True)
    table = run("compare", tmp_path / "near.jsonl", tmp_path / "far.jsonl", "--draws", 100).stdout
    assert "is not clearly closer to people than" in " ".join(table.split())
