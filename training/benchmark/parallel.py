"""Work for several processes, a core and a thread each: metrics score ahead of the tables, and the tables are made.

A network as small as those here leaves two threads idle for much of the time; two processes it does not.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from openmeva.training.benchmark.dataset_drift import drift_sets, drift_work
from openmeva.training.benchmark.registry import MetricEntry
from openmeva.training.benchmark.scores import score
from openmeva.training.benchmark.work import LeftOutError, Loaded, Work, explained, on_set
from openmeva.training.processes import cores

MOST = 8  # processes: each holds a model
WORTHWHILE = (
    2_000_000  # characters for all metrics together; what is less is scored before processes have started
)
FEW = 3  # tables, below which processes take longer to start than they save
SENTENCES = 5  # of a story that is explained, about

Pool = Callable[[int], AbstractContextManager[Executor]]  # makes so many processes


@dataclass(frozen=True)
class Task:
    """All that one configuration of a metric has to score, in one process, so that each text is scored once.

    Attributes:
        entry, config, explain: the metric.
        sets: title and rows.
    """

    entry: MetricEntry
    config: str
    explain: bool
    sets: Sequence[tuple[str, list[dict[str, Any]]]]

    @property
    def title(self) -> str:
        """As it is printed."""
        return f"{self.entry.title} ({self.config})" + (", explanations" if self.explain else "")

    @property
    def characters(self) -> int:
        """How much there is to read, at most; an explanation reads a story once more for each sentence."""
        read = sum(len(row["story"]) for _, rows in self.sets for row in rows)
        return read * SENTENCES if self.explain else read


def all_work(metrics: Sequence[MetricEntry], loaded: Loaded) -> Iterator[Work]:
    """Everything that a run asks of its metrics, some of it perhaps twice."""
    for entry in metrics:
        for one, rows in loaded:
            try:
                yield on_set(entry, one, rows)
            except LeftOutError:
                continue  # the run says so where it comes to that set
        for one, rows in itertools.chain(*drift_sets(entry, loaded)):
            works = (drift_work(entry, corpus, one, rows) for corpus in entry.configs)
            yield from filter(None, works)
        yield from explained(entry, loaded)


def processes_here() -> int:
    """As many as there are cores for this process; one beside an accelerator, which takes one metric at a time."""
    import torch

    from openmeva.metrics.core.runtime import choose_device

    if choose_device(None) != torch.device("cpu"):
        return 1
    return min(MOST, cores())


def tasks_of(works: Iterable[Work]) -> list[Task]:
    """The work by metric and configuration, the longest first, so that the processes end together."""
    by_metric: dict[tuple[str, str, bool], list[Work]] = {}
    for work in works:
        by_metric.setdefault((work.entry.name, work.config, work.explain), []).append(work)
    tasks = [
        Task(of[0].entry, config, explain, [(work.one.title, work.rows) for work in of])
        for (_, config, explain), of in by_metric.items()
    ]
    return sorted(tasks, key=lambda task: -task.characters)


def _processes(count: int) -> Executor:
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_begin)


@contextmanager
def same_processes() -> Iterator[Pool]:
    """A pool whose processes, which take seconds to start, serve all that is done with it, and end with the block."""
    made: list[Executor] = []

    def pool(count: int) -> AbstractContextManager[Executor]:
        if not made:
            made.append(_processes(count))
        return nullcontext(made[0])

    try:
        yield pool
    finally:
        for executor in made:
            executor.shutdown()


def score_ahead(
    works: Iterable[Work],
    cache: Path,
    batch_size: int | None,
    processes: int,
    say: Callable[[str], None],
    pool: Pool = _processes,
) -> None:
    """Scores, in several processes, what `cache` lacks; what fails is left to who asks for it, and is told there.

    Args:
        works: what will be asked for.
        cache, batch_size: as `score` has them.
        processes: at most so many, a core each; fewer than two, or little to score, and nothing is done.
        say: called with a line for each metric that is done.
        pool: makes the processes, or gives those that are there.
    """
    tasks = tasks_of(works)
    processes = min(processes, len(tasks))
    if processes < 2 or sum(task.characters for task in tasks) < WORTHWHILE:
        return
    say(f"{len(tasks)} metrics to score, {processes} at once")
    try:
        with pool(processes) as executor:
            started = time.perf_counter()
            futures = {executor.submit(partial(_score, task, cache, batch_size)): task for task in tasks}
            for number, future in enumerate(as_completed(futures), 1):
                seconds = time.perf_counter() - started
                error = future.exception()
                if isinstance(error, BrokenExecutor):
                    raise error
                done = f"{futures[future].title}: " + ("not scored" if error else future.result())
                say(f"  {number} of {len(tasks)}, {seconds:.0f} s: {done}")
    except BrokenExecutor:
        say("  a process ended early (did memory suffice?): the rest is scored one metric after the other")


def side_by_side(
    function: Callable[..., Any],
    works: Sequence[tuple[Any, ...]],
    processes: int,
    pool: Pool = _processes,
) -> list[Any]:
    """What a function returns for each tuple of arguments, in order; several processes where there are three or more."""
    if processes < 2 or len(works) < FEW:
        return [function(*given) for given in works]
    try:
        with pool(min(processes, len(works))) as executor:
            return list(executor.map(function, *zip(*works, strict=True)))
    except BrokenExecutor:
        return [function(*given) for given in works]


def _begin() -> None:
    """In each process: one thread, and no bars, of which several would write over each other."""
    import torch

    torch.set_num_threads(1)
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  (as long as the process lives)


def _score(task: Task, cache: Path, batch_size: int | None) -> str:
    """Scores all sets of a task; returns what to say of it. What fails on one set is raised after the others."""
    started = time.perf_counter()
    failed: Exception | None = None
    for _, rows in task.sets:
        try:
            score(task.entry, task.config, rows, cache, batch_size, task.explain)
        except (ValueError, OSError, ImportError) as error:
            failed = error
    if failed is not None:
        raise failed
    stories = sum(len(rows) for _, rows in task.sets)
    return f"{stories:,} stories of {len(task.sets)} sets in {time.perf_counter() - started:.0f} s"
