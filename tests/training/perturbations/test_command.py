"""The command that perturbs a file."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from openmeva.training.autos import command
from openmeva.training.cli.app import app
from openmeva.training.corpora.story_rows import read_story_rows
from openmeva.training.scoring.columns import columns_of, read_stories
from tests.tiny.work import rows_in


def perturb(*arguments: object) -> Result:
    """The output and exit status of the command."""
    return CliRunner().invoke(app, ["perturb", *map(str, arguments)])


def rows_of_command(*arguments: object) -> list[dict[str, Any]]:
    """The rows that a command writes to standard output."""
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "stories.jsonl"
    rows = [
        {"story_id": "a", "story": "Ben was late. He ran because it rained. Nora laughed."},
        {"story_id": "b", "story": "Nora sang. She won a prize."},
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def test_selected_stories_are_perturbed(stories: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases.jsonl"
    options = ["--aspect", "causal_relationship", "--technique", "cause_effect_exchange"]
    result = perturb(stories, out, *options)
    assert result.exit_code == 0
    assert [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] == [
        {
            "story_id": "a/causal_relationship",
            "context": "Ben was late.",
            "story": "Ben was late. It rained because he ran. Nora laughed.",
            "aspect": "causal_relationship",
            "technique": "cause_effect_exchange",
            "label": 0,
            "perturbed_from": "a",
            "changed_spans": [
                {"original_start": 14, "original_end": 20, "start": 14, "end": 23},
                {"original_start": 29, "original_end": 38, "start": 32, "end": 38},
            ],
        }
    ]
    assert "1 of 2 stories perturbed (0.500)" in result.stderr


def test_bad_lines_are_refused_or_skipped(stories: Path, tmp_path: Path) -> None:
    with stories.open("a", encoding="utf-8") as file:
        file.write('{"story": " "}\n')
    out = tmp_path / "cases.jsonl"
    result = perturb(stories, out, "--aspect", "typo")
    assert result.exit_code == 2
    assert "line 3: expected a story, got a blank one" in result.stderr
    assert not out.exists()
    result = perturb(stories, out, "--aspect", "typo", "--skip-bad")
    assert result.exit_code == 0
    assert "skipped: " in result.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize("command_line", [("perturb", "--aspect", "typo"), ("negatives",)])
def test_stories_are_not_replaced_by_what_is_made_of_them(
    stories: Path, tmp_path: Path, command_line: tuple[str, ...]
) -> None:
    before, link = stories.read_bytes(), tmp_path / "link.jsonl"
    link.symlink_to(stories)
    for out in (stories, link):
        result = CliRunner().invoke(app, [*command_line, str(stories), str(out)])
        assert result.exit_code == 2
        assert f"{out}: expected another file than that of the stories" in result.stderr
    assert stories.read_bytes() == before


def test_story_without_id_is_numbered_in_every_file_format(tmp_path: Path) -> None:
    texts = ["Ben was late. He ran.", "Nora sang. She won a prize."]
    lines = [json.dumps({"story": story}) for story in texts]
    contents = {
        "a.jsonl": "\n".join(lines),
        "blank.jsonl": "\n" + "\n\n".join(lines),
        "nan.jsonl": "\n".join(line.replace("{", '{"story_id": NaN, ') for line in lines),
        "a.csv": "\n".join(["story", *texts]),
        "blank.csv": "\n".join(["story_id,story", *(f",{story}" for story in texts)]),
        "a.txt": "\n".join(texts) + "\n\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        rows, _ = read_story_rows(tmp_path / name, skip_bad=True)
        assert [(row["story_id"], row["story"]) for row in rows] == list(
            zip(("000001", "000002"), texts, strict=True)
        ), name


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


def test_unknown_aspect_error_lists_the_known_ones(stories: Path, tmp_path: Path) -> None:
    result = perturb(stories, tmp_path / "x", "--aspect", "spelling")
    assert result.exit_code == 2
    assert "unknown aspect 'spelling': expected one of lexical_repetition" in result.stderr
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n", encoding="utf-8")
    result = perturb(bad, tmp_path / "x", "--aspect", "spelling")
    assert result.exit_code == 2
    assert "unknown aspect 'spelling'" in result.stderr  # reported before bad stories: easier to fix
    assert perturb(tmp_path / "none", tmp_path / "x", "--aspect", "typo").exit_code == 2
