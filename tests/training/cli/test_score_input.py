"""What `openmeva score` says about contexts and references in its input."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from openmeva.training.cli.app import app
from openmeva.training.files import write_rows

STORIES = ["Ben was late. He ran because it rained. Nora laughed.", "Nora sang. She won a prize."]


@pytest.mark.parametrize("command", ["score", "explain"])
def test_text_file_is_not_replaced_by_scores(command: str, tmp_path: Path) -> None:
    path = tmp_path / "stories.txt"
    path.write_text("".join(f"{story}\n" for story in STORIES), encoding="utf-8")
    before = path.read_bytes()
    result = CliRunner().invoke(app, [command, str(path), str(path)])
    assert result.exit_code == 2
    assert path.read_bytes() == before


def test_table_may_be_replaced_by_itself_with_scores(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    write_rows(path, [{"story": story} for story in STORIES])
    assert score(path, path, "--metric", "sentavg").exit_code == 0
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["story"] for row in rows] == STORIES
    assert all(0 <= row["score"] <= 1 for row in rows)


def score(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["score", *map(str, arguments)])


@pytest.mark.parametrize(
    ("metric", "rows", "message"),
    [
        ("overlap", [{}], ": overlap needs a column 'reference', got id, story"),
        (
            "overlap",
            [{"reference": "He ran."}, {"reference": None}],
            ", line 2: expected a text in 'reference', got None",
        ),
        (
            "ruber_bert",
            [{"prompt": "Run."}, {"prompt": None}],
            ", line 2: expected a text in 'prompt', got None",
        ),
        (
            "ruber_bert",
            [{"prompt": "Run."}, {"prompt": ""}],
            ", line 2: expected a text in 'prompt', got a blank one",
        ),
        (
            "ruber_bert",
            [{"prompt": "Run.", "reference": "He ran."}, {"prompt": "Run."}],
            ", line 2: expected a text in 'reference', got None",
        ),
        (
            "sentavg",
            [{"prompt": "Run."}, {"prompt": 3}],
            ", line 2, column 'prompt': expected a string, got int (3)",
        ),
        (
            "sentavg",
            [{}, {"story": "\u200b"}],
            r", line 2: expected a text with words, got '\u200b'",
        ),
    ],
)
def test_errors_name_the_place_in_the_file(
    metric: str, rows: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    write_rows(path, [{"id": index, "story": STORIES[0], **row} for index, row in enumerate(rows)])
    assert score(path, "--metric", metric).stderr == f"error: {path}{message}\n"


def test_missing_context_is_scored_as_an_empty_cell(tmp_path: Path) -> None:
    rows = [{"story": STORIES[0], "prompt": "It rained."}, {"story": STORIES[1], "prompt": None}]
    scores: list[list[float]] = []
    for name in ("a.jsonl", "a.csv"):
        write_rows(tmp_path / name, rows)
        result = score(tmp_path / name)
        assert result.exit_code == 0, result.output
        scores.append([json.loads(line)["score"] for line in result.stdout.splitlines()])
    assert scores[0] == scores[1]
    assert len(scores[0]) == 2
