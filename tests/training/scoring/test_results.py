"""Scoring a file, the same way for every metric."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from openmeva.training.cli.app import app
from openmeva.training.files import write_rows
from openmeva.training.scoring.columns import columns_of, read_stories
from openmeva.training.scoring.loading import metric_names
from openmeva.training.scoring.results import MetricResult, result_rows, score, score_column, score_with


def values_of(path: Path) -> list[dict[str, Any]]:
    return [row.values for row in read_stories(path)]


def test_metric_with_references(tmp_path: Path) -> None:
    stories = tmp_path / "stories.jsonl"
    rows = [{"story": "she ate a pie .", "reference": "she ate a pie ."}, {"story": "no", "reference": "yes"}]
    stories.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = values_of(stories)
    same, other = result_rows(result, score("overlap", columns_of(result)))
    assert same["story"] == "she ate a pie ."
    assert same["rouge1_scores"] == 1.0
    assert other["rouge1_scores"] == 0.0


def test_metric_names_are_those_that_score_stories() -> None:
    assert {"overlap", "plot_coherence", "llm_judge"} < set(metric_names())
    assert "openmeva" not in metric_names()


def test_text_file_has_one_story_per_line(tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text("She ate.\nShe slept.\n\n", encoding="utf-8")
    assert columns_of(values_of(path)) == {"predictions": ["She ate.", "She slept."]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least one row"),
        ("{", "line 1: expected a JSON object"),
        ('{"story": " "}', "line 1: expected a text in 'story'"),
    ],
)
def test_bad_file_is_reported(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_stories(path)


def test_result_rows_keep_columns_and_add_per_story_values() -> None:
    lists = {"score": [0.4, 0.6], "nll": [1.0, 2.0]}
    rows = [{"story": "x", "story_id": 7}, {"story": "y", "story_id": 8}]
    scored = MetricResult("ppl", lists, [{"a": 1}, {"a": 2}], 0.5, "")
    assert result_rows(rows, scored) == [
        {"story": "x", "story_id": 7, "score": 0.4, "nll": 1.0, "a": 1},
        {"story": "y", "story_id": 8, "score": 0.6, "nll": 2.0, "a": 2},
    ]
    judged = [{"story": "x", "score": 3}, {"story": "y"}]
    result = result_rows(judged, MetricResult("ppl", lists, None, 0.5, ""))
    assert result[0] == {"story": "x", "score": 3, "ppl_score": 0.4, "nll": 1.0}
    assert result[1] == {"story": "y", "ppl_score": 0.6, "nll": 2.0}


def test_lists_about_the_run_are_not_per_story_columns() -> None:
    class Judge:
        def _compute(self) -> None:
            """Takes no options."""

        def compute(self, predictions: list[str]) -> dict[str, Any]:
            return {"scores": [0.5], "dates": ["2026-01-01"], "answered_by": ["judge"]}

        def signature(self) -> str:
            return "judge"

    assert score_with(Judge(), "llm_judge", {"predictions": ["He ran."]}).lists == {"score": [0.5]}


def test_empty_objects_are_written_to_parquet_as_text(tmp_path: Path) -> None:
    rows = [{"story": "He ran.", "meta": {}, "more": [{"a": {}}]}] * 2
    write_rows(tmp_path / "scores.parquet", rows)
    assert pq.read_table(tmp_path / "scores.parquet").to_pylist()[0] == {
        "story": "He ran.", "meta": "{}", "more": '[{"a": {}}]',
    }  # fmt: skip


def test_existing_column_name_is_numbered() -> None:
    scored = MetricResult("union", {"score": [0.4]}, None, 0.4, "")
    row = {"story": "x", "score": 3, "union_score": 2}
    again = result_rows([row], scored)
    assert again == [{**row, "union_score_2": 0.4}]
    assert result_rows(again, scored) == [{**row, "union_score_2": 0.4, "union_score_3": 0.4}]
    assert result_rows([row], scored, always_named=True) == again
    for column in ("rating", "rating_1"):
        judged = {"story": "x", column: 3, "error_types": None}
        explained = MetricResult("union", {"score": [0.4]}, [{"error_types": {}}], 0.4, "")
        assert result_rows([judged], explained) == [{**judged, "union_score": 0.4, "union_error_types": {}}]
    rated = [{"story": "x", "ratings": [4, 5]}]
    assert result_rows(rated, scored) == [{**rated[0], "union_score": 0.4}], (
        "the column score would be the mean of ratings"
    )
    assert [score_column(rows, "union") for rows in (again, rated, [{"story": "x"}])] == [
        "union_score_3",
        "union_score",
        "score",
    ]


def test_contexts_and_references_have_alternative_column_names(tmp_path: Path) -> None:
    """MANS calls a context `prompt`; the arguments of `compute` have other names."""
    file = tmp_path / "stories.jsonl"
    file.write_text(
        json.dumps({"story": "He ran.", "prompt": "Run.", "references": ["He left.", "He fell."]}) + "\n"
    )
    rows = values_of(file)
    assert columns_of(rows) == {
        "predictions": ["He ran."], "contexts": ["Run."], "references": [["He left.", "He fell."]]
    }  # fmt: skip
    assert rows[0]["prompt"] == "Run.", "columns that were read keep their name"
    assert columns_of([{"story": "He ran.", "context": "Ben sat.", "prompt": "Run."}])["contexts"] == [
        "Ben sat."
    ]
    several = np.array(["He left.", "He fell."])  # as in a data set with NumPy format
    assert columns_of([{"story": "He ran.", "reference": several}])["references"][0] is several
    file.write_text('{"story": "He ran.", "prompt": "Run."}\n{"story": "He ran."}\n')
    assert columns_of(values_of(file))["contexts"] == ["Run.", ""], "a missing context is blank"


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
@pytest.mark.usefixtures("no_collection")
def test_several_references_round_trip_in_every_format(kind: str, tmp_path: Path) -> None:
    several = [["He left.", "He fell."], ["He sat."]]
    write_rows(tmp_path / f"a.{kind}", [{"story": "He ran.", "reference": one} for one in several])
    assert columns_of(values_of(tmp_path / f"a.{kind}"))["references"] == several
    for text in ("[sic] He ran.", "[1, 2]", "[" * 100_000):  # not a list of strings: a text
        assert columns_of([{"story": "He ran.", "reference": text}])["references"] == [text]


def test_unwritable_output_is_reported_before_scoring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stories = tmp_path / "stories.jsonl"
    stories.write_text('{"story": "He ran."}\n')
    monkeypatch.setattr("openmeva.training.scoring.results.score", lambda *_, **__: pytest.fail("scored"))
    for metric, out, message in (
        ("union", tmp_path, "expected a file to write, got a folder"),
        ("union", stories / "x.jsonl", "got a file"),
        ("overlap", tmp_path / "a.txt", "for rows of several columns, got txt"),
    ):
        ended = CliRunner().invoke(app, ["score", str(stories), str(out), "--metric", metric])
        assert (ended.exit_code, message in ended.stderr) == (2, True), ended.output


def test_blank_context_does_not_hide_a_prompt() -> None:
    rows = [{"story": "He ran.", "context": blank, "prompt": "Tell me."} for blank in ("", " ", None)]
    assert columns_of(rows)["contexts"] == ["Tell me."] * 3
    assert columns_of([{"story": "He ran.", "context": ""}])["contexts"] == [""]
