"""The command that perturbs a file."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from openmeva.training.cli.app import app
from openmeva.training.corpora.story_rows import read_rows


def perturb(*arguments: object) -> Result:
    """What the command says and how it ends."""
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


def test_perturbs_what_qualifies(stories: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases.jsonl"
    options = ["--aspect", "causal_relationship", "--technique", "cause_effect_exchange"]
    ended = perturb(stories, out, *options)
    assert ended.exit_code == 0
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
    assert "1 of 2 stories perturbed (0.500)" in ended.stderr


def test_bad_lines_are_refused_or_skipped(stories: Path, tmp_path: Path) -> None:
    with stories.open("a", encoding="utf-8") as file:
        file.write('{"story": " "}\n')
    out = tmp_path / "cases.jsonl"
    ended = perturb(stories, out, "--aspect", "typo")
    assert ended.exit_code == 2
    assert "line 3: expected a story, got a blank one" in ended.stderr
    assert not out.exists()
    ended = perturb(stories, out, "--aspect", "typo", "--skip-bad")
    assert ended.exit_code == 0
    assert "skipped: " in ended.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


def test_a_story_without_an_id_is_called_by_its_place_whatever_the_file(tmp_path: Path) -> None:
    told = ["Ben was late. He ran.", "Nora sang. She won a prize."]
    lines = [json.dumps({"story": story}) for story in told]
    contents = {
        "a.jsonl": "\n".join(lines),
        "blank.jsonl": "\n" + "\n\n".join(lines),
        "nan.jsonl": "\n".join(line.replace("{", '{"story_id": NaN, ') for line in lines),
        "a.csv": "\n".join(["story", *told]),
        "blank.csv": "\n".join(["story_id,story", *(f",{story}" for story in told)]),
        "blank.txt": "\n" + "\n\n".join(told),
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        rows, _ = read_rows(tmp_path / name, skip_bad=True)
        assert [(row["story_id"], row["story"]) for row in rows] == list(
            zip(("000001", "000002"), told, strict=True)
        ), name


def test_an_unknown_aspect_lists_the_known_ones(stories: Path, tmp_path: Path) -> None:
    ended = perturb(stories, tmp_path / "x", "--aspect", "spelling")
    assert ended.exit_code == 2
    assert "unknown aspect 'spelling': expected one of lexical_repetition" in ended.stderr
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n", encoding="utf-8")
    ended = perturb(bad, tmp_path / "x", "--aspect", "spelling")
    assert ended.exit_code == 2
    assert "unknown aspect 'spelling'" in ended.stderr  # sooner mended than the stories
    assert perturb(tmp_path / "none", tmp_path / "x", "--aspect", "typo").exit_code == 2
