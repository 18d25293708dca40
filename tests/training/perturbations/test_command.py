"""The command that perturbs a file."""

import json
from pathlib import Path

import pytest

from openmeva.training.corpora.story_rows import read_rows
from openmeva.training.perturbations.__main__ import main


@pytest.fixture
def stories(tmp_path: Path) -> Path:
    path = tmp_path / "stories.jsonl"
    rows = [
        {"story_id": "a", "story": "Ben was late. He ran because it rained. Nora laughed."},
        {"story_id": "b", "story": "Nora sang. She won a prize."},
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def test_perturbs_what_qualifies(stories: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "cases.jsonl"
    options = ["--aspect", "causal_relationship", "--stories", str(stories), "--out", str(out)]
    assert main([*options, "--techniques", "cause_effect_exchange"]) == 0
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
    assert "1 of 2 stories perturbed (0.500)" in capsys.readouterr().err


def test_bad_lines_are_refused_or_skipped(
    stories: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with stories.open("a", encoding="utf-8") as file:
        file.write('{"story": " "}\n')
    out = tmp_path / "cases.jsonl"
    options = ["--aspect", "typo", "--stories", str(stories), "--out", str(out)]
    assert main(options) == 2
    assert "line 3: expected a story, got a blank one" in capsys.readouterr().err
    assert not out.exists()
    assert main([*options, "--bad", "skip"]) == 0
    assert "skipped: " in capsys.readouterr().err
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


def test_an_unknown_aspect_lists_the_known_ones(
    stories: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--aspect", "spelling", "--stories", str(stories), "--out", str(tmp_path / "x")]) == 2
    assert "unknown aspect 'spelling': expected one of lexical_repetition" in capsys.readouterr().err
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n", encoding="utf-8")
    assert main(["--aspect", "spelling", "--stories", str(bad), "--out", str(tmp_path / "x")]) == 2
    assert "unknown aspect 'spelling'" in capsys.readouterr().err  # sooner mended than the stories
    assert main(["--aspect", "typo", "--stories", str(tmp_path / "none"), "--out", str(tmp_path / "x")]) == 2
