"""Shared by the parts of `make bench`: rows, stories and timing."""

import time
from collections.abc import Callable
from typing import Any

from openmeva.training.files import read_rows
from openmeva.training.paths import STORIES

# what was measured, the measurement, its ratio to a reference, and the target
Rows = list[tuple[str, str, str, str]]


def own_stories() -> list[dict[str, Any]]:
    """Rows of the five-sentence stories shipped with the project: `story`, `sentences` and more.

    Raises:
        FileNotFoundError: `datasets/stories/mini.jsonl` is missing.
    """
    rows = [row.values for row in read_rows(STORIES)]
    return [row for row in rows if row["kind"] == "roc"]


def bench_stories(count: int) -> list[str]:
    """Stories as long as MANS's ROC stories (49 tokens): four sentences of the project's stories, recombined."""
    sentences = [row["sentences"] for row in own_stories()]
    stories = []
    for i in range(count):
        story = list(sentences[i % len(sentences)])
        other = sentences[(i // len(sentences) + i + 1) % len(sentences)]
        story[1 + i % 4] = other[1 + i % 4]
        stories.append(" ".join(story[:4]))
    return stories


def seconds(work: Callable[[], Any], repeats: int = 1) -> float:
    """The best of `repeats` timings of `work` in seconds, without warm-up."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def time_call(work: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock and processor seconds; ratios use the latter, which other load on the machine hardly affects."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor
