"""The command that perturbs a file."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from openmeva.training.cli.app import app
from openmeva.training.corpora.story_rows import read_story_rows


def perturb(*arguments: object) -> Result:
    """The output and exit status of the command."""
    return CliRunner().invoke(app, ["perturb", *map(str, arguments)])


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
