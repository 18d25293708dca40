"""Groups of a story and its corrupted versions: which stories are chosen, and what of them never changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.graded.groups import make_groups
from openmeva.training.negatives.groups import GroupRow, read_groups
from tests.tiny.classifier import GRADED

SWAP = {"levels": 1, "keep": 1, "edits": {"sentence_swap": 1.0}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    stories = [
        f"Ann had {n} dogs. She fed them at {n}. They ran {n} miles. She called them back."
        for n in range(2, 60)
    ]
    (tmp_path / "stories.jsonl").write_text("".join(json.dumps({"story": story}) + "\n" for story in stories))
    return tmp_path


def groups(data: Path, name: str, sampling: dict[str, Any]) -> list[GroupRow]:
    settings = {
        "name": name,
        "corpus": {"train": ["stories.jsonl"], "validation_share": 0.2},
        "sampling": sampling,
        "stories": 10,
        "validation_stories": 2,
        "pool": 20,
        "paraphrase_stories": 0,
    }
    manifest = make_groups(settings, data, data / name, data / "cache", 5)
    assert manifest["train"]["groups"] == 10
    return read_groups(data / name / f"graded-{name}-train.parquet")


def test_a_group_is_a_human_story_and_its_corrupted_versions(data: Path) -> None:
    rows = groups(data, "swaps", SWAP)
    assert len(rows) == 20
    human = {row.group: row.story for row in rows if row.label == 1}
    assert len(human) == 10
    for row in rows:
        if row.label == 0:
            assert sorted(row.story.split()) == sorted(human[row.group].split())
            assert row.story != human[row.group]


def test_sources_of_other_names_choose_other_stories(data: Path) -> None:
    chosen = [{row.story for row in groups(data, name, SWAP) if row.label == 1} for name in ("one", "two")]
    assert chosen[0] != chosen[1]


@pytest.mark.parametrize("keep", [0, 1])
def test_rules_change_the_first_sentence_unless_it_is_kept(data: Path, keep: int) -> None:
    rows = groups(data, "rules", {"levels": 1, "keep": keep, "edits": {"rule": 1.0}})
    human = {row.group: row.story for row in rows if row.label == 1}
    beginnings = [(row.story.partition(" . ")[0], human[row.group].partition(" . ")[0]) for row in rows]
    assert any(corrupted != original for corrupted, original in beginnings) == (keep == 0)


def test_missing_held_out_stories_are_reported_before_groups_are_made(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"story": f"Ann had {n} dogs. She walked them."}) + "\n" for n in range(16))
    (tmp_path / "stories.jsonl").write_text(rows)
    settings = {
        "name": "mini",
        "corpus": {"train": ["stories.jsonl"], "validation_share": 0},
        **GRADED,
    }
    with pytest.raises(ValueError, match=r"stories\.jsonl: no story held out \(validation_share 0 of 16\)"):
        make_groups(settings, tmp_path, tmp_path / "run", tmp_path / "cache", 5)
