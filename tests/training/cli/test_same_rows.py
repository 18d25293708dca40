"""Every command reads the same rows of a file, with the same ids and contexts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from openmeva.training.autos import command
from openmeva.training.cli.app import app
from openmeva.training.scoring.columns import columns_of, read_stories
from tests.tiny.work import rows_in


def rows_of_command(*arguments: object) -> list[dict[str, Any]]:
    """The rows that a command writes to standard output."""
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_every_command_refuses_blank_lines_within_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "blank.txt"
    path.write_text("Ben was late. He walked home slowly.\n\nNora sang. She won a prize.\n")
    message = f"{path}, line 2: expected a story, got a blank line"
    engine = ("--engine", "plain")
    for command_line in (
        ("score", path, "--metric", "sentavg"),
        ("explain", path),
        ("perturb", path, "--aspect", "typo"),
        ("negatives", path),
        ("score", path, "--metric", "sentavg", tmp_path / "scored", *engine),
        ("perturb", path, "--aspect", "typo", tmp_path / "perturbed", *engine),
    ):
        result = CliRunner().invoke(app, [*map(str, command_line)])
        assert (result.exit_code, message in result.stderr) == (2, True), result.output
    building = command.AutosBuildOptions(["mine"], stories=path, out=tmp_path)
    with pytest.raises(ValueError, match=re.escape(message)):
        command._rows("mine", building)
    typo = ("perturb", path, "--aspect", "typo")
    assert [row["perturbed_from"] for row in rows_of_command(*typo, "--skip-bad")] == ["000001", "000003"]
    rows_of_command(*typo, tmp_path / "kept", *engine, "--bad", "keep")
    assert [row["perturbed"] for row in rows_in(tmp_path / "kept")] == [
        row["story"] for row in rows_of_command(*typo, "--skip-bad")
    ]


def test_every_command_skips_blank_lines_at_the_end_of_text_files(tmp_path: Path) -> None:
    path, ids = tmp_path / "blank.txt", ["000001", "000002"]
    path.write_text(
        "Ben was late. He walked home slowly.\nNora sang. She won a prize.\n\n \n", encoding="utf-8"
    )
    assert len(rows_of_command("score", path, "--metric", "sentavg")) == 2
    assert [row["perturbed_from"] for row in rows_of_command("perturb", path, "--aspect", "typo")] == ids
    assert [row["story_id"] for row in rows_of_command("negatives", path)] == ids
    building = command.AutosBuildOptions(["mine"], stories=path, out=tmp_path)
    assert [row["story_id"] for row in command._rows("mine", building)[0]] == ids
    rows_of_command("perturb", path, tmp_path / "parts", "--aspect", "typo", "--engine", "plain")
    assert [row["perturbed"] for row in rows_in(tmp_path / "parts")] == [
        row["story"] for row in rows_of_command("perturb", path, "--aspect", "typo")
    ]


def test_every_command_reads_the_same_id_and_context_columns(tmp_path: Path) -> None:
    texts = {"a": "Ben was late. He walked home slowly.", "7": "Nora sang. She won a prize."}
    rows = [
        {"id": story_id, "context": None, "prompt": "A trip", "story": story}
        for story_id, story in texts.items()
    ]
    path = tmp_path / "named.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    perturbed = rows_of_command("perturb", path, "--aspect", "typo", "--context", "none")
    assert [(row["perturbed_from"], row["context"]) for row in perturbed] == [
        ("a", "A trip"),
        ("7", "A trip"),
    ]
    negatives = rows_of_command("negatives", path)
    assert [(row["story_id"], row["context"]) for row in negatives] == [
        ("a", "a trip"),
        ("7", "a trip"),
    ]
    scored = rows_of_command("score", path, "--metric", "sentavg")
    assert [(row["id"], row["story"]) for row in scored] == list(texts.items())
    assert columns_of([row.values for row in read_stories(path)])["contexts"] == ["A trip", "A trip"]
