"""Original texts of held-out stories: the same stories that training excludes."""

import json
from pathlib import Path

import pytest

from openmeva.metrics.core.text import Normalizer
from openmeva.training.corpora.held_out import held_out_rows
from openmeva.training.corpora.splits import CorpusConfig, load_corpus

STORIES = [
    f"{name} went to the {place}. {name} didn't stay long."
    for name in ("Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal")
    for place in ("sea", "fair", "bank", "park", "shop")
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [{"story": story, "prompt": "[ WP ] A trip"} for story in STORIES]
    text = "\n".join(map(json.dumps, rows)) + "\n"
    (tmp_path / "train.jsonl").write_text(text, encoding="utf-8")
    extra = [STORIES[0], STORIES[0], "Nora sang. She won. They cheered.", "One sentence only."]
    (tmp_path / "dev.txt").write_text("\n".join(extra) + "\n", encoding="utf-8")
    (tmp_path / "judged.csv").write_text(f'Input.text1\n"{STORIES[0].lower()} </s>"\n', encoding="utf-8")
    (tmp_path / "names.json").write_text(
        json.dumps({"male": ["bo"], "female": ["ann"], "neutral": [], "capitalized_only": []}),
        encoding="utf-8",
    )
    return tmp_path


def test_share_by_hash_matches_training(data: Path) -> None:
    config = CorpusConfig(train=("train.jsonl",), validation_share=0.3, context="prompt")
    rows = held_out_rows(config, data, data / "names.json")
    expected = load_corpus(config, data, data / "names.json").validation
    assert 0 < len(rows) < len(STORIES)
    normalizer = Normalizer.load(data / "names.json")
    assert [normalizer.sentences(row["story"]) for row in rows] == expected
    assert all(row["story"] in STORIES for row in rows)
    assert {(row["context"], row["keep"]) for row in rows} == {("A trip", 0)}


def test_judged_repeated_and_single_sentence_stories_are_excluded(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = (data / "dev.txt").read_text() + "Nora sang. She won. They cheered.\n"
    (data / "dev.txt").write_text(twice)
    config = CorpusConfig(train=("train.jsonl",), validation=("dev.txt",), exclude=("judged.csv",))
    (row,) = held_out_rows(config, data, data / "names.json")
    assert row == {
        "story_id": "dev-000003",
        "context": "Nora sang.",
        "story": "Nora sang. She won. They cheered.",
        "keep": 1,
    }
    notices = capsys.readouterr().err
    assert "1 of 4 stories have the same beginning as another one and are excluded" in notices
    assert "skipped 1 of 5 lines, the first: " in notices
    assert "dev.txt, line 4: " in notices


def test_long_stories_are_truncated_and_the_limit_is_respected(data: Path) -> None:
    config = CorpusConfig(train=(), validation=("train.jsonl",), max_words=6, context="prompt")
    rows = held_out_rows(config, data, data / "names.json", limit=2)
    assert [row["story"] for row in rows] == ["Ann went to the sea.", "Ann went to the fair."]


def test_long_stories_are_split_into_passages(data: Path) -> None:
    story = "Ann sang in town. Bo went to sea. Cy ran to school. Di sold her house."
    row = {"story": story, "prompt": "[ WP ] A trip"}
    (data / "long.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    config = CorpusConfig(train=(), validation=("long.jsonl",), block_words=10, context="prompt")
    rows = held_out_rows(config, data, data / "names.json", passages=True)
    assert [(row["story_id"], row["story"], row["context"], row["keep"]) for row in rows] == [
        ("long-000001", "Ann sang in town. Bo went to sea.", "A trip", 0),
        ("long-000001-2", "Cy ran to school. Di sold her house.", "A trip", 0),
    ]
    assert [row["story"] for row in held_out_rows(config, data, data / "names.json")] == [story]


def test_missing_file_is_reported(data: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.jsonl: no such file"):
        held_out_rows(CorpusConfig(train=("none.jsonl",)), data, data / "names.json")
