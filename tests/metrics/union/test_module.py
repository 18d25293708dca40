"""UNION loaded with evaluate, with valid and invalid input."""

import json
import shutil
from pathlib import Path
from typing import Any

import evaluate
import pytest
from typer.testing import CliRunner

from openmeva.training.cli.app import app
from tests.tiny.models import write_checkpoint

ROOT = Path(__file__).resolve().parents[3]
MODULE = str(ROOT / "metrics" / "union")
STORIES = ["Ann ran home. She ate.", "The dog slept."]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_checkpoint(tmp_path_factory.mktemp("checkpoint")))


@pytest.fixture(scope="module")
def union(checkpoint: str) -> Any:
    return evaluate.load(MODULE, checkpoint)


def test_compute(union: Any) -> None:
    result = union.compute(predictions=STORIES)
    assert set(result) == {"score", "scores", "warnings"}
    assert all(isinstance(score, float) and 0 <= score <= 1 for score in result["scores"])
    assert result["score"] == pytest.approx(sum(result["scores"]) / 2)


def test_compute_scores_rows_added_before(union: Any) -> None:
    expected = union.compute(predictions=STORIES, dtype="float32")["scores"]
    union.add(prediction=STORIES[0])
    union.add_batch(predictions=STORIES[1:])
    assert union.compute(dtype="float32")["scores"] == pytest.approx(expected, abs=1e-6)


def test_compute_uses_contexts_added_before(union: Any) -> None:
    expected = union.compute(predictions=["She ate."], contexts=["Ann ran home."], dtype="float32")["scores"]
    union.add(prediction="She ate.", context="Ann ran home.")
    assert union.compute(dtype="float32")["scores"] == pytest.approx(expected, abs=1e-6)
    assert expected == pytest.approx(
        union.compute(predictions=STORIES[:1], dtype="float32")["scores"], abs=1e-6
    )


def test_warnings_are_about_the_text_that_is_scored(union: Any) -> None:
    short = {"predictions": ["She ate soup."], "contexts": ["Ann was hungry and went to her kitchen."]}
    assert union.compute(**short)["warnings"] == [None]
    apart = union.compute(**short, context_is_part_of_story=False)["warnings"]
    assert apart == ["too short: 3 words, a story has at least 10"]
    assert union.compute(predictions=short["predictions"])["warnings"] == apart


def test_combine(union: Any) -> None:
    both = evaluate.combine([union, evaluate.load(MODULE, union.config_name)])
    result = both.compute(predictions=STORIES)
    assert result["union_0_scores"] == result["union_1_scores"]


def test_signature(union: Any) -> None:
    fields = dict(part.split(":", 1) for part in union.signature().split("|")[1:])
    assert fields["max_length"] == "64"
    assert len(fields["checkpoint"].rpartition("@")[2]) == 12


def test_explain(union: Any) -> None:
    explanation = union.compute(predictions=STORIES, explain=True)["explanations"][0]
    assert [s["text"] for s in explanation["sentences"]] == ["[FEMALE] ran home .", "she ate ."]
    json.dumps(explanation)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": []}, "expected at least one story"),
        ({}, "expected at least one story"),
        ({"predictions": "a story"}, "expected a list of strings, got str"),
        ({"predictions": ["She ate.", ""]}, "predictions, row 1: expected a text, got a blank one"),
        ({"predictions": ["She ate.", " \n"]}, "predictions, row 1"),
        ({"predictions": ["She ate.", None]}, "predictions, row 1: expected a string, got NoneType"),
        ({"predictions": [3.5, "She ate."]}, "predictions, row 0: expected a string, got float"),
        ({"predictions": ["She ate.", "\x07\x08"]}, "predictions, row 1: expected a text with words"),
        (
            {"predictions": ["She ate.", "\u200b"], "contexts": ["Ann ran.", "Ann was hungry."]},
            "predictions, row 1: expected a text with words",
        ),
        (
            {"predictions": STORIES, "contexts": ["Ann ran."]},
            "contexts: expected 2, one per prediction, got 1",
        ),
        ({"predictions": STORIES, "contexts": ["Ann ran.", None]}, "contexts, row 1: expected a string"),
        ({"predictions": STORIES, "batch_size": 0}, "batch_size: expected a whole number above 0, got 0"),
        ({"predictions": STORIES, "dtype": "int8"}, "expected dtype"),
    ],
)
def test_bad_input_is_reported_and_leaves_the_module_usable(
    union: Any, arguments: dict, message: str
) -> None:
    before = union.compute(predictions=STORIES)["scores"]
    with pytest.raises(ValueError, match=message):
        union.compute(**arguments)
    assert union.compute(predictions=STORIES)["scores"] == before


def test_bad_row_does_not_discard_earlier_rows(union: Any) -> None:
    union.add_batch(predictions=STORIES)
    with pytest.raises(ValueError, match="row 0"):
        union.add_batch(predictions=[""])
    assert len(union.compute()["scores"]) == 2


def test_unknown_configuration_lists_the_available_ones() -> None:
    with pytest.raises(ValueError, match="the configurations of union are roc, roc_base, wp, wp_base"):
        evaluate.load(MODULE, "rocstories")


def test_loads_from_another_folder(checkpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(evaluate.load(MODULE, checkpoint).compute(predictions=STORIES)["scores"]) == 2


def test_scoring_writes_nothing_to_the_checkpoint(checkpoint: str, tmp_path: Path) -> None:
    mine = Path(shutil.copytree(checkpoint, tmp_path / "mine", ignore=shutil.ignore_patterns("*.lock")))
    before = sorted(mine.iterdir())
    evaluate.load(MODULE, str(mine)).compute(predictions=STORIES)
    assert sorted(mine.iterdir()) == before


def test_very_long_and_very_many_stories(union: Any) -> None:
    long = "she ran home and ate the cat . " * 12_500
    assert len(long.split()) == 100_000
    assert 0 <= union.compute(predictions=[long])["score"] <= 1
    many = union.compute(
        predictions=[f"{STORIES[i % 2]} he ran {'and ran ' * (i % 7)}." for i in range(10_000)]
    )
    assert len(many["scores"]) == 10_000
    assert many["scores"][0] == pytest.approx(many["scores"][14], abs=1e-6)


def test_command_line(checkpoint: str, union: Any, tmp_path: Path) -> None:
    stories, scores = tmp_path / "stories.jsonl", tmp_path / "scores.jsonl"
    stories.write_text("".join(json.dumps({"story": s}) + "\n" for s in STORIES))
    options = ["--metric", "union", "--config", checkpoint, "--explain"]
    done = CliRunner().invoke(app, ["score", str(stories), str(scores), *options])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    assert [row["score"] for row in rows] == pytest.approx(
        union.compute(predictions=STORIES)["scores"], abs=1e-6
    )
    assert all(row["sentences"] for row in rows)

    stories.write_text('{"story": "She ate."}\n{"text": "no story"}\n')
    done = CliRunner().invoke(app, ["score", str(stories), str(tmp_path / "none.jsonl"), *options])
    assert done.exit_code == 2
    assert "line 2: expected a field 'story', got 'text'" in done.stderr
    assert not (tmp_path / "none.jsonl").exists()
