"""Parallel work in several processes, with one core and one thread each: metrics score first, then tables are made.

With models this small, two threads of one process are idle for much of the time; two processes are not.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.results.dataset_drift import drift_inputs, drift_sets
from openmeva.training.benchmark.scoring.inputs import (
    Loaded,
    MetricInputs,
    SkippedError,
    explanation_inputs,
    inputs_for_set,
    run_title,
)
from openmeva.training.benchmark.scoring.scores import cached_scores
from openmeva.training.processes import cores, end_with_parent, model_processes

MAX_PROCESSES = 8  # processes: each holds a model
# Characters over all metrics; fewer are scored before processes have started.
MIN_CHARACTERS = 2_000_000
MIN_TABLES = 3  # tables: with fewer, starting processes takes longer than they save
SENTENCES_PER_STORY = 5  # approximate number per explained story


@dataclass(frozen=True)
class Task:
    """Everything that one configuration of a metric scores, in one process, so that each text is scored once.

    Attributes:
        entry, config, explain: the metric, its configuration, and whether to compute explanations.
        sets: title and rows of each set.
    """

    entry: MetricEntry
    config: str
    explain: bool
    sets: Sequence[tuple[str, list[dict[str, Any]]]]

    @property
    def title(self) -> str:
        """The printed title."""
        return run_title(self.entry, self.config, self.explain)

    @property
    def characters(self) -> int:
        """Maximum number of characters to score; an explanation scores a story once more for each sentence."""
        story_characters = sum(len(row["story"]) for _, rows in self.sets for row in rows)
        return story_characters * SENTENCES_PER_STORY if self.explain else story_characters


def all_inputs(metrics: Sequence[MetricEntry], loaded: Loaded) -> Iterator[MetricInputs]:
    """Everything that a run's metrics score; some of it may occur twice."""
    for entry in metrics:
        for test_set, rows in loaded:
            try:
                yield inputs_for_set(entry, test_set, rows)
            except SkippedError:
                continue  # reported when the run gets to that set
        for test_set, rows in itertools.chain(*drift_sets(entry, loaded)):
            inputs = (drift_inputs(entry, corpus, test_set, rows) for corpus in entry.configs)
            yield from filter(None, inputs)
        yield from explanation_inputs(entry, loaded)


def default_processes() -> int:
    """The number of cores available, at most `MAX_PROCESSES`; 1 with an accelerator, which runs one metric at a time."""
    return model_processes(min(MAX_PROCESSES, cores()))


def group_into_tasks(inputs: Iterable[MetricInputs]) -> list[Task]:
    """The inputs by metric and configuration, the longest first, so that the processes end together."""
    by_metric: dict[tuple[str, str, bool], list[MetricInputs]] = {}
    for each in inputs:
        by_metric.setdefault((each.entry.name, each.config, each.explain), []).append(each)
    tasks = [
        Task(group[0].entry, config, explain, [(each.test_set.title, each.rows) for each in group])
        for (_, config, explain), group in by_metric.items()
    ]
    return sorted(tasks, key=lambda task: -task.characters)


@contextmanager
def process_pool(count: int) -> Iterator[Executor | None]:
    """A pool of processes, all of which start with its first task, which takes seconds; None for fewer than two."""
    if count < 2:
        yield None
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_init_process) as pool:
        yield pool


def score_in_parallel(
    inputs: Iterable[MetricInputs],
    cache: Path,
    batch_size: int | None,
    processes: int,
    say: Callable[[str], None],
    pool: Executor | None,
) -> None:
    """Scores in several processes what `cache` lacks. Scoring that fails is skipped; the caller's own run reports it.

    Args:
        inputs: what the run will score.
        cache, batch_size: as in `cached_scores`.
        processes: number of processes of `pool`.
        say: called with a line for each finished metric.
        pool: the processes. Without them, or with little to score, nothing is done.
    """
    tasks = group_into_tasks(inputs)
    if pool is None or len(tasks) < 2 or sum(task.characters for task in tasks) < MIN_CHARACTERS:
        return
    say(f"{len(tasks)} metrics to score, {min(processes, len(tasks))} in parallel")
    try:
        started = time.perf_counter()
        futures = {pool.submit(partial(_score, task, cache, batch_size)): task for task in tasks}
        for number, future in enumerate(as_completed(futures), 1):
            seconds = time.perf_counter() - started
            error = future.exception()
            if isinstance(error, BrokenExecutor):
                raise error
            done = f"{futures[future].title}: " + ("not scored" if error else future.result())
            say(f"  {number} of {len(tasks)}, {seconds:.0f} s: {done}")
    except BrokenExecutor:
        say("  a process ended early (out of memory?): the rest is scored one metric at a time")


def run_in_parallel(
    function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], pool: Executor | None
) -> list[Any]:
    """Results of `function` for each tuple of arguments, in order; by `pool`, if given, for three tuples or more."""
    if pool is None or len(arguments) < MIN_TABLES:
        return [function(*call_arguments) for call_arguments in arguments]
    try:
        return list(pool.map(function, *zip(*arguments, strict=True)))
    except BrokenExecutor:
        return [function(*call_arguments) for call_arguments in arguments]


def _init_process() -> None:
    """Initialises a process, which ends with its parent: one thread, and no progress bars, which would overwrite each other."""
    import torch

    end_with_parent()
    torch.set_num_threads(1)
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  (as long as the process lives)


def _score(task: Task, cache: Path, batch_size: int | None) -> str:
    """Scores all sets of a task; returns its progress line. An error on one set is raised after the others."""
    started = time.perf_counter()
    failed: Exception | None = None
    for _, rows in task.sets:
        try:
            cached_scores(task.entry, task.config, rows, cache, batch_size, task.explain)
        except (ValueError, OSError, ImportError) as error:
            failed = error
    if failed is not None:
        raise failed
    stories = sum(len(rows) for _, rows in task.sets)
    return f"{stories:,} stories of {len(task.sets)} sets in {time.perf_counter() - started:.0f} s"
