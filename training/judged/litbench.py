"""LitBench (Fein et al., 2025): of two stories for a prompt of r/WritingPrompts, the one with more upvotes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from openmeva.training.files import read_rows, text_of
from openmeva.training.judged.pairs import Preference, rows_of
from openmeva.training.judged.rows import JudgedStory, find_file

# The authors publish the ids of the test's comments; their script `rehydrate.py` fetches the texts into this file.
FILE = "rehydrated_test_data.csv"


def read_litbench(folder: str | Path) -> list[JudgedStory]:
    """Both stories of each pair in `rehydrated_test_data.csv`, in its order.

    Columns that are read: `prompt`, `chosen_story`, `rejected_story`. A row of which a story or the prompt was not
    to be had any more is left out.

    Raises:
        ValueError: no such file, a column missing, or no pair of which both stories are there.
    """
    path = find_file(folder, (FILE,))
    rows = list(rows_of(_preferences(path)))
    if not rows:
        raise ValueError(f"{path}: expected pairs of stories, got none of which both are there")
    return rows


def _preferences(path: Path) -> Iterator[Preference]:
    gone = ("", "[deleted]", "[removed]")
    for row in read_rows(path, "csv"):
        prompt, chosen, rejected = (
            text_of(row, name).strip() for name in ("prompt", "chosen_story", "rejected_story")
        )
        if prompt and chosen not in gone and rejected not in gone:
            yield Preference(str(row.number), prompt, chosen, rejected)
