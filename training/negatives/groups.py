"""The rows that story classifiers are trained on, in Parquet: a human story and versions or rivals of it in a group."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from openmeva.training.files import kind_of, read_rows, replacing, text_of
from openmeva.training.negatives.draft import Draft

SCHEMA = pa.schema(
    {
        "group": pa.string(),
        "story": pa.string(),
        "source": pa.string(),
        "label": pa.int8(),
        "level": pa.int8(),
        "kinds": pa.list_(pa.string()),
        "damaged": pa.list_(pa.int32()),
    }
)


# Manipulation of a plot (training/manipulations) to the kind of error that its story is to show.
KIND_OF_MANIPULATION = {
    "repetition": "repetition",
    "contradiction": "contradiction",
    "illogical_order": "wrong_order",
    "substitution": "off_topic",
}


@dataclass(frozen=True)
class GroupRow:
    """One story of a group.

    Attributes:
        group: what rows belong together; one of them is the human story.
        story: normalised words joined by single spaces, or any text where `damaged` is None.
        source: where it comes from: `human`, the edits' names, a generator's name.
        label: 1 for the human story.
        level: 0 for the human story; higher is worse than lower in the same group; -1: worse than the human
            story, and not compared with others.
        kinds: of error; None where not known.
        damaged: numbers of the words that do not belong where they stand; None where not known.
        split: train, validation or test, where a stage has divided its groups.
        teacher_logit: a teacher's judgment (see `training.classifier.distillation`), higher is better; None where there is none.
        teacher_states: its hidden states (1 + words, width), float16, the first token's and then the words'; None where there
            are none.
    """

    group: str
    story: str
    source: str
    label: int
    level: int = -1
    kinds: list[str] | None = field(default_factory=list)
    damaged: list[int] | None = None
    split: str = ""
    teacher_logit: float | None = None
    teacher_states: Any = field(default=None, compare=False, repr=False)


def rows_of_chain(group: str, chain: list[Draft]) -> Iterator[GroupRow]:
    """The rows of a story and its damaged versions."""
    for level, draft in enumerate(chain):
        flags = [flag for sentence in draft.damaged for flag in sentence]
        yield GroupRow(
            group,
            " ".join(word for sentence in draft.words for word in sentence),
            "+".join(draft.edits) or "human",
            int(level == 0),
            level,
            sorted(draft.kinds),
            [i for i, flag in enumerate(flags) if flag],
        )


def write_groups(path: Path, rows: Iterable[GroupRow]) -> int:
    """Writes rows to a Parquet file, wholly or not at all; returns how many."""
    table = pa.Table.from_pylist([asdict(row) for row in rows], schema=SCHEMA)
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")
    return table.num_rows


def read_groups(path: Path) -> list[GroupRow]:
    """The rows of a file of groups: Parquet, or JSONL with the same fields.

    Rows of stories written from broken plots have `manipulations` instead of `kinds`.

    Raises:
        ValueError: no such file, one of an earlier version, or a row that lacks `group`, `story` or `label` (0 or 1).
    """
    if not path.is_file():
        raise ValueError(f"{path}: no such file; it is written by an earlier stage of the chain")
    found = []
    for place in read_rows(path, None if kind_of(path) else "parquet"):
        row = place.values
        if not {"group", "story", "label"} <= set(row):
            raise ValueError(f"{place.where}: expected group, story and label, got {sorted(row)}")
        if "foreign" in row:
            raise ValueError(
                f"{path}: of an earlier version, with a column 'foreign'; remove it to make it anew"
            )
        text_of(place)
        if row["label"] not in (0, 1):
            raise ValueError(f"{place.where}: expected a label of 0 or 1, got {row['label']!r:.60}")
        found.append(
            GroupRow(
                str(row["group"]),
                row["story"],
                row.get("source") or "unknown",
                int(row["label"]),
                int(row["level"] if row.get("level") is not None else (0 if row["label"] else -1)),
                _kinds(row),
                row.get("damaged"),
                row.get("split") or "",
            )
        )
    return found


def _kinds(row: dict[str, Any]) -> list[str]:
    known = (KIND_OF_MANIPULATION.get(name) for name in row.get("manipulations") or [])
    return list(row.get("kinds") or [kind for kind in known if kind])
