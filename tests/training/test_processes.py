"""Numbers of processes and cores, worker processes, and memory."""

import math
import os
import resource
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from openmeva.metrics.core import runtime
from openmeva.training import processes
from openmeva.training.processes import map_in_processes, model_processes, peak_memory


@pytest.mark.parametrize(("device", "count"), [("cpu", 3), ("cuda", 1), ("mps", 1)])
def test_model_on_accelerator_uses_one_process(
    device: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "choose_device", lambda wanted: torch.device(device))
    assert model_processes(3) == count


@pytest.mark.parametrize(("system", "held"), [("darwin", 5), ("linux", 5 * 1024)])
def test_peak_memory_is_in_bytes_on_every_system(
    system: str, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrusage", lambda whose: SimpleNamespace(ru_maxrss=5))
    monkeypatch.setattr(sys, "platform", system)
    assert peak_memory() == held


def die_once(job: tuple[int, Path]) -> int:
    """The number of a job; the process of number 1 is killed unless the file is there."""
    number, died = job
    if number == 1 and not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_killed_worker_is_reported_without_hanging(tmp_path: Path) -> None:
    jobs = [(number, tmp_path / "died") for number in range(4)]
    with (
        pytest.raises(ChildProcessError, match="a worker process was killed"),
        map_in_processes(die_once, jobs, 2) as results,
    ):
        list(results)
    with map_in_processes(die_once, jobs, 2) as results:
        assert list(results) == [0, 1, 2, 3]


def write_and_wait(pipe: int) -> None:
    os.write(pipe, b"x")
    signal.pause()


def test_workers_end_with_the_process_that_started_them() -> None:
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        with map_in_processes(write_and_wait, [write_end, write_end], 2, method="fork") as results:
            list(results)
        os._exit(0)
    os.close(write_end)
    assert os.read(read_end, 1) + os.read(read_end, 1) == b"xx"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert os.read(read_end, 1) == b""  # nobody is left who holds the other end
    os.close(read_end)


def test_container_core_limit_is_read_from_cgroups(tmp_path: Path) -> None:
    membership, groups = tmp_path / "membership", tmp_path / "groups"
    (groups / "a" / "b").mkdir(parents=True)
    for group, limit in {"": "max 100000", "a": "250000 100000", "a/b": "400000 100000"}.items():
        (groups / group / "cpu.max").write_text(f"{limit}\n")
    for group, expected in {"/a/b": 2.5, "/a": 2.5, "/": math.inf, "/../of/the/host": math.inf}.items():
        membership.write_text(f"1:name=systemd:/a\n0::{group}\n")
        assert processes.cgroup_cores(groups, membership) == expected
    (groups / "cpu.max").write_text("50000 100000\n")
    assert processes.cgroup_cores(groups, membership) == 0.5, "the container's own limit is at the root"
    assert processes.cgroup_cores(tmp_path / "none", tmp_path / "none") == math.inf


@pytest.mark.parametrize(("granted", "expected"), [(2.5, 2), (0.5, 1), (math.inf, 64)])
def test_cores_are_at_most_those_granted_and_at_least_one(
    granted: float, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    monkeypatch.setattr(processes, "cgroup_cores", lambda: granted)
    assert processes.cores() == expected
