"""LitBench (Fein et al., 2025): pairs of stories for a prompt of r/WritingPrompts, preference by upvotes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from openmeva.training.files import read_rows, text_of
from openmeva.training.judged.pairs import Preference, preference_rows
from openmeva.training.judged.rows import JudgedStory, find_file

# The authors publish the ids of the test set's comments; their `rehydrate.py` downloads the texts to this file.
FILE = "rehydrated_test_data.csv"


def read_litbench(folder: str | Path) -> list[JudgedStory]:
    """Both stories of each pair in `rehydrated_test_data.csv`, in its order.

    Columns that are read: `prompt`, `chosen_story`, `rejected_story`. A row is skipped if the prompt or a story is no
    longer available.

    Raises:
        ValueError: no such file, a missing column, or no complete pair.
    """
    path = find_file(folder, (FILE,))
    rows = list(preference_rows(_preferences(path)))
    if not rows:
        raise ValueError(f"{path}: expected pairs of stories, got no complete one")
    return rows


def _preferences(path: Path) -> Iterator[Preference]:
    gone = ("", "[deleted]", "[removed]")
    for row in read_rows(path, "csv"):
        prompt, chosen, rejected = (
            text_of(row, name).strip() for name in ("prompt", "chosen_story", "rejected_story")
        )
        if prompt and chosen not in gone and rejected not in gone:
            yield Preference(str(row.number), prompt, chosen, rejected)
