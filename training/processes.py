"""Several processes that train together, as `accelerate launch` starts them: who works, who writes and who waits.

A command joins them. Until then, and in a library, each process works by itself, or has work done by processes of
its own (`in_processes`).
"""

import math
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from datetime import timedelta
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

PATIENCE = timedelta(days=30)  # the others wait as long as a stage takes
LAUNCHED = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")  # what a launcher tells its processes

Job = TypeVar("Job")
Result = TypeVar("Result")

_joined = False


def join() -> None:
    """Joins the other processes where a launcher has started several."""
    global _joined
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        return
    import torch
    from torch import distributed

    if not distributed.is_initialized():
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo", timeout=PATIENCE)
    _joined = True


def count() -> int:
    """How many processes work together; 1 for one that works by itself."""
    return _group().get_world_size() if _joined else 1


def number() -> int:
    """Which of them this one is, from 0."""
    return _group().get_rank() if _joined else 0


def cores() -> int:
    """Cores that this process may use: in a container those that it is granted, not its host's; at least 1."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, int(min(found, cores_granted())))


def cores_granted(
    groups: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")
) -> float:
    """Cores whose time the control groups of this process (Linux, version 2) grant it; infinite where none limits it.

    Args:
        groups: where they are mounted.
        membership: the file that says in which group it is.
    """
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    group = groups / next((line[3:].strip("/") for line in lines if line.startswith("0::")), "")
    found = math.inf
    for limited in (group, *(above for above in group.parents if above.is_relative_to(groups))):
        try:
            quota, period = (limited / "cpu.max").read_text(encoding="utf-8").split()
        except (OSError, ValueError):
            continue  # no such group is seen from here, or it has no limit
        if quota != "max":
            found = min(found, int(quota) / int(period))
    return found


def peak_memory() -> int:
    """The most bytes of memory that this process has held at once."""
    import resource  # which Windows lacks

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def model_processes(wanted: int) -> int:
    """Processes that a model works in: `wanted`, or one beside an accelerator, which forked processes cannot share."""
    from openmeva.metrics.core.runtime import choose_device

    return wanted if choose_device(None).type == "cpu" else 1


@contextmanager
def in_processes(
    work: Callable[[Job], Result],
    jobs: Iterable[Job],
    processes: int,
    start: Callable[..., None] | None = None,
    given: tuple[Any, ...] = (),
    method: str | None = None,
) -> Iterator[Iterator[Result]]:
    """What `work` returns for each job, in order, made by processes that begin and end with the block.

    Args:
        work: a function of a module.
        jobs: what it is called with.
        processes: how many work at the same time.
        start: called once in each of them, before its first job.
        given: what it is called with.
        method: of starting them, as `multiprocessing` calls it; the system's default unless given.

    Raises:
        ChildProcessError: one of them was killed; its job is lost, and none is waited for in vain.
    """
    executor = ProcessPoolExecutor(processes, get_context(method), _begin, (start, given))
    try:
        yield executor.map(work, jobs)
    except BrokenProcessPool as error:
        raise ChildProcessError(
            "a worker process was killed (did memory suffice?): the same command goes on"
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)


def _begin(start: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    """In each process: it ends at an interruption, and with the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()
    if start is not None:
        start(*given)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def wait() -> None:
    """Waits until all processes are here."""
    if count() > 1:
        _group().barrier()


def go_alone() -> bool:
    """For a command that works in one process: True in the first, which goes on by itself, False in the others."""
    first = os.environ.get("RANK", "0") == "0"
    for name in LAUNCHED:
        os.environ.pop(name, None)
    return first


@contextmanager
def first_alone() -> Iterator[None]:
    """The first process runs the block by itself; then the others do, and find what it has made.

    What trains in the block trains as one process does. The block has to leave alone what is there already.
    """
    if count() == 1:
        yield
        return
    place = number()
    if place:
        wait()
    try:
        with _apart():
            yield
    finally:
        if not place:
            wait()


@contextmanager
def one_writer() -> Iterator[bool]:
    """Whether this process is the one that writes; the others wait at the end of the block until it has."""
    try:
        yield number() == 0
    finally:
        wait()


def _group() -> Any:
    """torch's collective operations; imported where they are needed, as most commands want no torch."""
    from torch import distributed

    return distributed


@contextmanager
def _apart() -> Iterator[None]:
    """This process works by itself, and libraries that ask the environment take it to be the only one."""
    global _joined
    told = {name: os.environ.pop(name) for name in LAUNCHED if name in os.environ}
    _joined = False
    try:
        yield
    finally:
        _joined = True
        os.environ.update(told)
