"""`openmeva systems`."""

import json
from pathlib import Path

import pytest

from openmeva.training.cli import systems
from tests.training.cli.test_commands import run

PLACES = ("market", "river", "school", "garden", "station", "bakery")


def write(path: Path, stories: list[str], **columns: list[str]) -> Path:
    rows = [
        {"story": story, **{name: values[index] for name, values in columns.items()}}
        for index, story in enumerate(stories)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Six stories, and the same stories with a sentence four times, in another order of rows."""
    good = [
        f"Ann walked to the {place}. She saw a lost dog there. She gave it water. The dog followed her home."
        for place in PLACES
    ]
    bad = [f"Ann walked to the {place}. " + "She gave it water. " * 4 for place in reversed(PLACES)]
    return write(tmp_path / "good.jsonl", good, prompt=list(PLACES)), write(
        tmp_path / "bad.jsonl", bad, prompt=list(reversed(PLACES))
    )


def test_systems_are_compared_on_the_same_prompts(files: tuple[Path, Path], tmp_path: Path) -> None:
    good, bad = files
    output = json.loads(run("systems", good, bad, "--out", tmp_path / "pairs.jsonl").stdout)["outputs"][
        "score"
    ]
    pairs = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
    assert [pair["context"] for pair in pairs] == list(PLACES)
    for pair in pairs:
        assert pair["context"] in pair["first_story"]
        assert pair["context"] in pair["second_story"]
        assert pair["first_score"] > pair["second_score"]
    gaps = [pair["first_score"] - pair["second_score"] for pair in pairs]
    found = output["against"]["bad.jsonl"]
    assert found["difference"] == pytest.approx(sum(gaps) / 6)
    assert found["interval"][0] > 0
    assert (found["won"], found["pairs"], found["prompts"], found["is_clear"]) == (1, 6, 6, True)
    means = output["means"]
    assert means["good.jsonl"] - means["bad.jsonl"] == pytest.approx(found["difference"])


def test_comparison_is_shown_on_a_terminal(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = files
    monkeypatch.setattr(systems, "is_terminal", lambda: True)
    stories = [json.loads(line)["story"] for line in good.read_text().splitlines()]
    same = write(tmp_path / "same.jsonl", stories, prompt=list(PLACES))
    shown = run("systems", good, bad, same).stdout
    assert "good.jsonl has better scores than bad.jsonl: the interval excludes 0, p .031." in shown
    assert "100 %" in shown
    assert "No clear difference between good.jsonl and same.jsonl: the interval contains 0." in shown
    assert "Note: each interval is for one comparison" in shown
    assert "Note: with only 6 prompts, intervals are too narrow." in shown
    assert (
        "bad.jsonl has worse scores than good.jsonl: the interval excludes 0, p .031."
        in run("systems", bad, good).stdout
    )


def test_lower_perplexity_is_better(files: tuple[Path, Path]) -> None:
    outputs = json.loads(run("systems", *files, "--metric", "ppl").stdout)["outputs"]
    perplexity = outputs["perplexities"]
    means = perplexity["means"]
    difference = perplexity["against"]["bad.jsonl"]["difference"]
    assert difference == pytest.approx(means["bad.jsonl"] - means["good.jsonl"])


def test_files_that_cannot_be_compared_are_reported(files: tuple[Path, Path], tmp_path: Path) -> None:
    good, bad = files
    assert "expected the files of two systems or more, got 1" in run("systems", good, code=2).stderr
    assert f"{good} twice" in run("systems", good, good, code=2).stderr
    other_name = f"{good.parent}/./{good.name}"
    assert f"got {good} and {other_name}, one file" in run("systems", good, bad, other_name, code=2).stderr
    short = write(tmp_path / "short.jsonl", ["Ann ran home."])
    message = run("systems", good, short, code=2).stderr
    assert f"{good}, {short}: the files have 6 and 1 rows" in message
    few = write(tmp_path / "few.jsonl", ["Ben ran home and slept."])
    assert (
        "at least 5 pairs with a score for both stories, got 1" in run("systems", short, few, code=2).stderr
    )
    assert "would be lost" in run("systems", good, bad, "--out", bad, code=2).stderr
    assert "`openmeva systems` compares the stories of systems" in run("compare", good, bad, code=2).stderr


def test_too_few_prompts_are_reported_before_scoring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openmeva.training.scoring.results.score_with", None)
    files = [write(tmp_path / f"{name}.jsonl", [f"{name} ran home."] * 4) for name in ("Ann", "Ben")]
    message = run("systems", *files, code=2).stderr
    assert "Ann.jsonl, Ben.jsonl: expected at least 5 pairs with a score for both stories, got 4" in message


def test_scores_are_written_before_the_comparison(
    files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("expected something else")

    monkeypatch.setattr("openmeva.training.statistics.systems.compare_systems", fail)
    assert (
        "good.jsonl, bad.jsonl: expected something else"
        in run("systems", *files, "--out", tmp_path / "pairs.jsonl", code=2).stderr
    )
    assert len((tmp_path / "pairs.jsonl").read_text().splitlines()) == len(PLACES)
