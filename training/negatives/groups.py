"""Training rows of story classifiers, in Parquet: groups of a human story and its corrupted or generated versions."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from openmeva.metrics.core.text import join_words
from openmeva.training.files import atomic_replace, kind_of, read_rows, text_of
from openmeva.training.negatives.draft import CorruptedStory

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
EARLIER_COLUMNS = {"foreign", "kinds", "damaged"}  # names that columns had before

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
    with atomic_replace(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
    return table.num_rows


def read_groups(path: Path) -> list[GroupRow]:
    """The rows of a file of groups: Parquet, or JSONL with the same fields.

    Rows of stories generated from manipulated plots have `manipulations` instead of `error_types`.

    Raises:
        ValueError: no such file, a file of an earlier version, a row without `group`, `story` or `label` (0 or 1),
            or another `split` than those of `SPLITS`.
    """
    if not path.is_file():
        raise ValueError(f"{path}: no such file; an earlier stage writes it")
    rows = []
    for index in read_rows(path, None if kind_of(path) else "parquet"):
        row = index.values
        if not {"group", "story", "label"} <= set(row):
            raise ValueError(f"{index.where}: expected group, story and label, got {sorted(row)}")
        if earlier := EARLIER_COLUMNS & set(row):
            raise ValueError(
                f"{path}: written by an earlier version, with a column {min(earlier)!r}; remove it to write it again"
            )
        text_of(index)
        if row["label"] not in (0, 1):
            raise ValueError(f"{index.where}: expected a label of 0 or 1, got {row['label']!r:.60}")
        if (row.get("split") or SPLITS[0]) not in SPLITS:
            raise ValueError(
                f"{index.where}: split: expected {', '.join(SPLITS)} or none, got {row['split']!r:.60}"
            )
        rows.append(
            GroupRow(
                str(row["group"]),
                row["story"],
                row.get("source") or "unknown",
                int(row["label"]),
                int(row["level"] if row.get("level") is not None else (0 if row["label"] else -1)),
                _error_types(row),
                row.get("corrupted_words"),
                row.get("split") or "",
            )
        )
    return rows


def _error_types(row: dict[str, Any]) -> list[str]:
    error_types = (ERROR_TYPE_OF_MANIPULATION.get(name) for name in row.get("manipulations") or [])
    return list(row.get("error_types") or [kind for kind in error_types if kind])
