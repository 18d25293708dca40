"""The adversarially filtered stories that the plot-guided paper's authors released (sections 3.2.2 and 5.1, AF_MANPLTS)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from openmeva.metrics.core.text import Normalizer
from openmeva.training.corpora.splits import judged_keys
from openmeva.training.corpora.stories import story_key
from openmeva.training.files import read_lines
from openmeva.training.negatives.groups import GroupRow

SOURCE = "af_released"


def read_filtered_stories(path: str | Path) -> Iterator[GroupRow]:
    """Rows of a file of `number TAB label TAB number TAB story`, plain or gzipped, in groups.

    A row labelled 1 is a human story. The rows labelled 0 that follow it begin like it and end like stories that were
    generated from a manipulated version of its plot. The numbers are row numbers and are ignored.

    Raises:
        ValueError: a line with different fields, a label other than 0 and 1, a blank story, or a generated story
            before the first human one (with the line's number).
    """
    group = -1
    for number, line in read_lines(path):
        fields = line.split("\t")
        if len(fields) != 4 or fields[1] not in ("0", "1") or not fields[3].strip():
            raise ValueError(
                f"{path}, line {number}: expected 'number TAB label (0 or 1) TAB number TAB story', "
                f"got {line[:60]!r}"
            )
        label = int(fields[1])
        group += label
        if group < 0:
            raise ValueError(f"{path}, line {number}: expected a human story (label 1) first, got label 0")
        yield GroupRow(
            group=f"released:{group}",
            story=fields[3].strip(),
            source="human" if label else SOURCE,
            label=label,
            level=0 if label else -1,
            error_types=[] if label else None,
        )


def exclude_judged(
    rows: Sequence[GroupRow], files: Iterable[str], data: Path, normalizer: Normalizer
) -> list[GroupRow]:
    """The rows, without groups in which a story has the same beginning as a judged one in `files` below `data`."""
    judged = judged_keys(files, data, normalizer)
    judged_groups = {row.group for row in rows if story_key(normalizer.sentences(row.story)) in judged}
    return [row for row in rows if row.group not in judged_groups]


def with_corrupted_words(rows: Sequence[GroupRow], normalizer: Normalizer) -> list[GroupRow]:
    """The normalised rows, with `corrupted_words`: a generated story's words from its first difference to the human one."""
    human_words = {row.group: normalizer(row.story).split() for row in rows if row.label}
    marked = []
    for row in rows:
        words = normalizer(row.story).split()
        pairs = zip(words, human_words[row.group], strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        corrupted = [] if row.label else list(range(shared, len(words)))
        marked.append(replace(row, story=" ".join(words), corrupted_words=corrupted))
    return marked
