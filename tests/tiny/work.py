"""Cheap work for runs of `training/scale`: it counts words, and dies on request."""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow.parquet as pq

from openmeva.metrics.core.inputs import RowError

UNREADABLE = "unreadable"
SIGNATURE = "words|version:1"


def rows_in(out: Path) -> list[dict[str, Any]]:
    """The rows that a run wrote, in order."""
    return [row for path in sorted(out.glob("part-*.parquet")) for row in pq.read_table(path).to_pylist()]


class WordCounter:
    """Adds `words`; raises an error for the story `UNREADABLE`."""

    schema = None

    def __init__(self, how: "Counting") -> None:
        self.how, self.signature, self.seconds = how, SIGNATURE, 0.0

    def check(self, batch: Mapping[str, Sequence[Any]]) -> dict[int, str]:
        return {}

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        begun = time.perf_counter()
        death = Path(self.how.death) if self.how.death else None
        if death and death.exists():
            with suppress(FileNotFoundError):  # where another process was faster, and has died of it
                if self.how.dies_once:
                    death.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.how.pause)
        for row, story in enumerate(batch["story"]):
            if story == UNREADABLE:
                if self.how.names_rows:
                    raise RowError("predictions", row, "expected words")
                raise ValueError("no words")
        self.seconds += time.perf_counter() - begun
        return {"words": [len(story.split()) for story in batch["story"]]}


@dataclass(frozen=True)
class Counting:
    """Settings of a word counter.

    Attributes:
        names_rows: whether an error names its row.
        pause: seconds a batch.
        death: a file; a process that finds it is killed, after removing it if `dies_once`.
        reads: a file or folder that it would read.
        typo: an invalid setting.
    """

    of_stories: ClassVar[bool] = False

    names_rows: bool = True
    pause: float = 0.0
    death: str = ""
    dies_once: bool = True
    reads: str = ""
    typo: str = ""

    def check(self, here: bool) -> None:
        if self.typo:
            raise ValueError(f"expected no typo, got {self.typo!r}")

    def start(self, fields: Sequence[str], in_story: bool) -> WordCounter:
        return WordCounter(self)
