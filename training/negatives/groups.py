"""Training rows of story classifiers, in Parquet: groups of a human story and its corrupted or generated versions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from openmeva.metrics.core.text import join_words
from openmeva.training.files import Row, kind_of, read_rows, text_of, write_table
from openmeva.training.negatives.corrupted_story import ERROR_TYPES, CorruptedStory

SCHEMA = pa.schema(
    {
        "group": pa.string(),
        "story": pa.string(),
        "source": pa.string(),
        "label": pa.int8(),
        "level": pa.int8(),
        "error_types": pa.list_(pa.string()),
        "corrupted_words": pa.list_(pa.int32()),
    }
)
SPLITS = ("train", "validation", "test")

# Manipulation of a plot (training/plot_guided/manipulations) to the error type intended in its story.
ERROR_TYPE_OF_MANIPULATION = {
    "repetition": "repetition",
    "contradiction": "contradiction",
    "illogical_order": "wrong_order",
    "substitution": "off_topic",
}


@dataclass(frozen=True)
class GroupRow:
    """One story of a group.

    Attributes:
        group: id of the group; one row of a group is the human story.
        story: normalised words joined by single spaces, or any text if `corrupted_words` is None.
        source: `human`, the names of the edits, or the name of a generator.
        label: 1 for the human story, else 0.
        level: 0 for the human story; within a group, higher is worse; -1: worse than the human story, and not
            compared with the others.
        error_types: of `ERROR_TYPES`; None if not known.
        corrupted_words: indices of the words that do not belong where they are; None if not known.
        split: train, validation or test, if a stage has split its groups.
        teacher_logit: the teacher's logit (see `training.classifier.distillation`), higher is better; None without
            a teacher.
        teacher_states: the teacher's hidden states (1 + words, width), float16: the first token's, then the words';
            None without them.
    """

    group: str
    story: str
    source: str
    label: int
    level: int = -1
    error_types: list[str] | None = field(default_factory=list)
    corrupted_words: list[int] | None = None
    split: str = ""
    teacher_logit: float | None = None
    teacher_states: Any = field(default=None, compare=False, repr=False)


def rows_by_level(group: str, chain: list[CorruptedStory]) -> Iterator[GroupRow]:
    """The rows of a story and its corrupted versions."""
    for level, draft in enumerate(chain):
        flags = [flag for sentence in draft.corrupted for flag in sentence]
        yield GroupRow(
            group,
            join_words(draft.words),
            "+".join(draft.edits) or "human",
            int(level == 0),
            level,
            sorted(draft.error_types),
            [i for i, flag in enumerate(flags) if flag],
        )


def write_groups(path: Path, rows: Iterable[GroupRow]) -> int:
    """Writes rows to a Parquet file atomically; returns the number of rows."""
    table = pa.Table.from_pylist([asdict(row) for row in rows], schema=SCHEMA)
    write_table(path, table)
    return table.num_rows


def check_both_classes(rows: Sequence[GroupRow], purpose: str) -> None:
    """Checks that there are human-written stories and others.

    Args:
        rows: of a split.
        purpose: of the split, for the message.

    Raises:
        ValueError: one of the two kinds is missing.
    """
    count = sum(row.label for row in rows)
    if not 0 < count < len(rows):
        raise ValueError(
            f"{purpose}: expected human-written stories and others, got {count} and {len(rows) - count}"
        )


def read_groups(path: Path) -> list[GroupRow]:
    """The rows of a file of groups: Parquet, or JSONL with the same fields.

    Rows of stories generated from manipulated plots have `manipulations` instead of `error_types`.

    Raises:
        ValueError: no such file, a row without `group`, `story` or `label` (0 or 1),
            or another value than `GroupRow` allows in one of the other fields.
    """
    if not path.is_file():
        raise ValueError(f"{path}: no such file; an earlier stage writes it")
    rows = []
    for entry in read_rows(path, None if kind_of(path) else "parquet"):
        row = entry.values
        if not {"group", "story", "label"} <= set(row):
            raise ValueError(f"{entry.where}: expected group, story and label, got {sorted(row)}")
        story = text_of(entry)
        if row["label"] not in (0, 1):
            raise ValueError(f"{entry.where}: expected a label of 0 or 1, got {row['label']!r:.60}")
        for name, expected, is_valid in _FIELDS:
            value = row.get(name)
            if value is not None and not is_valid(value):
                raise ValueError(f"{entry.where}: {name}: expected {expected}, got {value!r:.60}")
        level = row.get("level")
        rows.append(
            GroupRow(
                _group_of(entry),
                story,
                row.get("source") or "unknown",
                int(row["label"]),
                int(level if level is not None else (0 if row["label"] else -1)),
                _error_types(row),
                _corrupted_words(entry, story),
                row.get("split") or "",
            )
        )
    return rows


def _is_list_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(type(item) is kind for item in value)


# Optional fields: what is expected, and whether a value is that.
_FIELDS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("split", f"{', '.join(SPLITS)} or none", lambda value: value in ("", *SPLITS)),
    ("source", "a text or none", lambda value: isinstance(value, str)),
    (
        "level",
        "a whole number from -1 on, or none",
        lambda value: type(value) in (int, float) and -1 <= value < 128 and value == int(value),
    ),
    (
        "error_types",
        f"a list of {', '.join(ERROR_TYPES)}, or none",
        lambda value: isinstance(value, list) and all(kind in ERROR_TYPES for kind in value),
    ),
    ("manipulations", "a list of names, or none", _is_list_of(str)),
    ("corrupted_words", "a list of word indices, or none", _is_list_of(int)),
)


def _group_of(row: Row) -> str:
    group = row.values["group"]
    if type(group) not in (str, int) or not str(group).strip():
        raise ValueError(f"{row.where}: group: expected the id of a group, got {group!r:.60}")
    return str(group)


def _error_types(row: dict[str, Any]) -> list[str] | None:
    """The error types of a row, or those of its manipulations; None if neither is known."""
    if row.get("error_types"):
        return list(row["error_types"])
    if row.get("error_types", []) is None and row.get("manipulations") is None:
        return None
    error_types = (ERROR_TYPE_OF_MANIPULATION.get(name) for name in row.get("manipulations") or [])
    return [kind for kind in error_types if kind]


def _corrupted_words(row: Row, story: str) -> list[int] | None:
    corrupted: list[int] | None = row.values.get("corrupted_words")
    words = len(story.split()) if corrupted else 0
    if corrupted and not 0 <= min(corrupted) <= max(corrupted) < words:
        outside = next(index for index in corrupted if not 0 <= index < words)
        raise ValueError(
            f"{row.where}: corrupted_words: expected indices from 0 to {words - 1}, the story's words, got {outside}"
        )
    return corrupted
