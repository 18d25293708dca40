"""Story Cloze (Mostafazadeh et al., NAACL 2016), spring 2016: four sentences with a correct and a wrong ending."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from openmeva.training.files import Row, read_lines, read_rows, text_of
from openmeva.training.judged.pairs import Preference, preference_rows
from openmeva.training.judged.rows import JudgedStory, find_file

# Test rows whose four sentences are in the corpora of ROCStories that metrics are trained on, nearly always with the
# correct ending: a metric trained on them has seen the answer.
SEEN_PAIRS_FILE = Path(__file__).with_name("storycloze_in_rocstories.txt")
_NAMES = {"validation": "val", "test": "test"}


def file_names(split: str) -> tuple[str, ...]:
    """File names of a split, `validation` or `test`: a short one, and that of the distributed file."""
    name = _NAMES[split]
    return (
        f"cloze_spring2016_{name}.csv",
        f"cloze_test_{name}__spring2016 - cloze_test_ALL_{name}.csv",
    )


def read_story_cloze(folder: str | Path, split: str) -> list[JudgedStory]:
    """For each row of a split, the story with the correct ending and the one with the wrong ending.

    The first sentence is the prompt, as in other sets based on ROCStories.

    Raises:
        ValueError: no such file, a missing sentence, or a number of the correct ending other than 1 and 2.
    """
    path = find_file(folder, file_names(split))
    return list(preference_rows(_preference(row) for row in read_rows(path, "csv")))


def exclude_seen(rows: Iterable[JudgedStory]) -> list[JudgedStory]:
    """The rows whose pair is not in `SEEN_PAIRS_FILE`."""
    seen = {line for _, line in read_lines(SEEN_PAIRS_FILE)}
    return [row for row in rows if row["pair"] not in seen]


def _preference(row: Row) -> Preference:
    middle = " ".join(_sentence(row, f"InputSentence{index}") for index in (2, 3, 4))
    endings = {index: _sentence(row, f"RandomFifthSentenceQuiz{index}") for index in ("1", "2")}
    right = text_of(row, "AnswerRightEnding").strip()
    if right not in endings:
        raise ValueError(f"{row.where}, AnswerRightEnding: expected 1 or 2, got {right!r}")
    wrong = "2" if right == "1" else "1"
    return Preference(
        text_of(row, "InputStoryid"),
        _sentence(row, "InputSentence1"),
        f"{middle} {endings[right]}",
        f"{middle} {endings[wrong]}",
    )


def _sentence(row: Row, column: str) -> str:
    text = text_of(row, column).strip()
    if not text:
        raise ValueError(f"{row.where}, {column}: expected a sentence, got {text!r}")
    return text
