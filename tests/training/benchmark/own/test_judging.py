"""What `judge` scores, and how rows of one name are told apart."""

import json
from pathlib import Path

import pytest

from openmeva.training.benchmark.own.judging import judge

ROWS = [
    {
        "story_id": f"{prompt}-{system}",
        "prompt": f"prompt {prompt}",
        "story": "The dog ran home" + " and slept" * (1 + (prompt * 5 + place * 3) % 7) + ".",
        "source_model": system,
        "ratings": [1 + (prompt + place * 2) % 5, 1 + (prompt + place) % 5],
    }
    for prompt in range(12)
    for place, system in enumerate(("s2s", "gpt", "plan"))
]


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_of_autos_a_sample_is_scored_where_one_is_asked_for() -> None:
    seen: list[int] = []

    def words(stories: list[str]) -> list[float]:
        seen.append(len(stories))
        return [float(len(story)) for story in stories]

    for stories in (0, 5):
        report = judge(words, "autos_mini_discrimination", draws=100, autos_stories=stories)
    assert seen[1] < seen[0]
    assert report.results["autos"]["autos_mini_discrimination"]["n"] == seen[1]


def test_rows_of_one_name_are_told_apart(rated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def others(*_: object) -> dict[str, list[float]]:
        return {name: [float(place % 7) for place in range(36)] for name in ("UNION", "words")}

    monkeypatch.setattr("openmeva.training.benchmark.own.judging.released_scores", others)
    monkeypatch.setattr("openmeva.training.benchmark.own.judging.metric_scores", others)

    def words(stories: list[str]) -> list[float]:
        return [float(len(story)) for story in stories]

    rows = next(
        iter(judge(words, judged=rated, compare_with=["union"], draws=100).results["judged"].values())
    )["rows"]
    assert {"words", "words (openmeva)", "words (released)", "UNION", "UNION (released)"} <= set(rows)


def test_what_cannot_be_told_is_said_before_anything_is_scored(tmp_path: Path, rated: Path) -> None:
    def never(stories: list[str]) -> list[float]:
        raise AssertionError("scored")

    with pytest.raises(ValueError, match="expected metrics by name beside yours, got all"):
        judge(never, judged=rated, compare_with=["all"])
    with pytest.raises(ValueError, match="unknown metric unoin"):
        judge(never, judged=rated, compare_with=["unoin"])
    bad = {"twice": [*ROWS, ROWS[0]], "few": ROWS[:2], "equal": [{**row, "ratings": [3, 3]} for row in ROWS]}
    for name, rows in bad.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        with pytest.raises(ValueError, match=rf"{name}\.jsonl: "):
            judge(never, judged=path)
