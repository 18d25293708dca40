"""Processes: those that train together, pools of workers, and the cores and memory that a process may use.

A command joins the processes that `accelerate launch` started with `join`, and then decides which one works, writes or
waits. Before that, and in library use, each process works alone, or starts workers of its own (`map_in_processes`).
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

BARRIER_TIMEOUT = timedelta(days=30)  # the other processes wait until a stage is done
LAUNCHER_VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")  # environment set by a launcher

Job = TypeVar("Job")
Result = TypeVar("Result")

_joined = False


def join() -> None:
    """Joins the other processes if a launcher has started several."""
    global _joined
    _use_launchers_device()
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        return
    import torch
    from torch import distributed

    from openmeva.metrics.core.runtime import choose_device

    if not distributed.is_initialized():
        on_gpu = choose_device(None).type == "cuda"
        if on_gpu:
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        distributed.init_process_group("nccl" if on_gpu else "gloo", timeout=BARRIER_TIMEOUT)
    _joined = True


def _use_launchers_device() -> None:
    """Keeps this process on the CPU if `accelerate` was told so, as transformers does: its trainer would be there alone."""
    if os.environ.get("ACCELERATE_USE_CPU", "").lower() in ("1", "true", "t", "yes", "y", "on"):
        os.environ["OPENMEVA_DEVICE"] = "cpu"


def world_size() -> int:
    """Number of processes that work together; 1 for a single process."""
    return _group().get_world_size() if _joined else 1


def rank() -> int:
    """Rank of this process, from 0."""
    return _group().get_rank() if _joined else 0


def print_notice(message: str) -> None:
    """Prints a message on standard error, in the first of several processes only."""
    if rank() == 0:
        print(message, file=sys.stderr)


def progress_to_stderr() -> None:
    """Shows rich's progress bars on standard error, so that standard output contains only results."""
    import rich

    rich.reconfigure(stderr=True)


def cores() -> int:
    """Cores that this process may use, at least 1; in a container, those granted to it, not the host's."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, int(min(count, cgroup_cores())))


def cgroup_cores(
    groups: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")
) -> float:
    """Cores granted to this process by its control groups (Linux cgroups, version 2); infinite without a limit.

    Args:
        groups: mount point of the control groups.
        membership: the file that names the process's group.
    """
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    group = groups / next((line[3:].strip("/") for line in lines if line.startswith("0::")), "")
    granted = math.inf
    for limited in (group, *(above for above in group.parents if above.is_relative_to(groups))):
        try:
            quota, period = (limited / "cpu.max").read_text(encoding="utf-8").split()
        except (OSError, ValueError):
            continue  # the group is not visible here, or has no limit
        if quota != "max":
            granted = min(granted, int(quota) / int(period))
    return granted


def peak_memory() -> int:
    """Peak memory of this process, in bytes."""
    import resource  # not available on Windows

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def model_processes(wanted: int) -> int:
    """Processes for running a model: `wanted` on a CPU; 1 on an accelerator, which forked processes cannot share."""
    from openmeva.metrics.core.runtime import choose_device

    return wanted if choose_device(None).type == "cpu" else 1


@contextmanager
def map_in_processes(
    work: Callable[[Job], Result],
    jobs: Iterable[Job],
    processes: int,
    start: Callable[..., None] | None = None,
    given: tuple[Any, ...] = (),
    method: str | None = None,
) -> Iterator[Iterator[Result]]:
    """Yields the results of `work` for each job, in order, computed by processes that live as long as the block.

    Args:
        work: a function of a module.
        jobs: the arguments of its calls.
        processes: number of parallel processes.
        start: called once in each of them, before its first job.
        given: the arguments of `start`.
        method: start method of `multiprocessing`; default: the system's.

    Raises:
        ChildProcessError: a process was killed and its job is lost; raised without waiting for the others.
    """
    executor = ProcessPoolExecutor(processes, get_context(method), _start_worker, (start, given))
    try:
        yield executor.map(work, jobs)
    except BrokenProcessPool as error:
        raise ChildProcessError(
            "a worker process was killed (out of memory?); run the same command again to resume"
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)


def _start_worker(start: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    """In each process: ends it on an interruption or SIGTERM, and when its parent process ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a command has a handler, which forked processes inherit
    end_with_parent()
    if start is not None:
        start(*given)


def end_with_parent() -> None:
    """In a worker process: ends it when its parent process ends, even if that was killed."""
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def barrier() -> None:
    """Waits until all processes reach this point."""
    if world_size() > 1:
        _group().barrier()


def detach_from_launcher() -> bool:
    """For a command that runs in one process: True in the first, which continues alone, False in the others."""
    _use_launchers_device()
    first = os.environ.get("RANK", "0") == "0"
    for name in LAUNCHER_VARIABLES:
        os.environ.pop(name, None)
    return first


@contextmanager
def main_process_first() -> Iterator[None]:
    """The first process runs the block alone; then the others run it, and find the first one's output.

    Training inside the block is single-process training. The block must not redo work that is already done.
    """
    if world_size() == 1:
        yield
        return
    process_rank = rank()
    if process_rank:
        barrier()
    try:
        with _single_process_environment():
            yield
    finally:
        if not process_rank:
            barrier()


@contextmanager
def one_writer() -> Iterator[bool]:
    """Yields whether this process is the writer; the others wait at the end of the block until it has written."""
    try:
        yield rank() == 0
    finally:
        barrier()


def _group() -> Any:
    """torch's collective operations; imported here because most commands do not need torch."""
    from torch import distributed

    return distributed


@contextmanager
def _single_process_environment() -> Iterator[None]:
    """Makes this process work alone: libraries that read the environment see a single process."""
    global _joined
    removed = {name: os.environ.pop(name) for name in LAUNCHER_VARIABLES if name in os.environ}
    _joined = False
    try:
        yield
    finally:
        _joined = True
        os.environ.update(removed)
