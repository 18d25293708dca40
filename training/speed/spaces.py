"""Load test of the story scorer: one user, and fifty at once, for this version and optionally an earlier one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from openmeva.training.paths import ROOT
from openmeva.training.speed.crowd import (
    SECONDS,
    USERS,
    LoadResult,
    ScorerClient,
    load_test_stories,
    percentiles,
    run_load_test,
)
from openmeva.training.speed.parts import Rows

_START_TIMEOUT = 300.0  # timeout of the start on a busy machine, in seconds
_SINGLE_USER_ANSWERS = 20  # answers for a single user


class RunningSpace(NamedTuple):
    """A Space in a separate process: its address, process id, and seconds until it answered."""

    url: str
    process: int
    started: float


def space_rows(
    users: int = USERS, seconds: float = SECONDS, before: str | None = None, minutes: float = 0.0
) -> Rows:
    """Rows for loading the page, for one user, and for `users` at once.

    Args:
        users: number of simultaneous users.
        seconds: duration.
        before: a git revision whose story scorer is measured first, in the same way.
        minutes: further duration of load on this version, to report memory.
    """
    stories = load_test_stories(round(40 * seconds) + users + _SINGLE_USER_ANSWERS)
    rows: Rows = []
    slow = 0.0
    if before:
        with checked_out_revision(before) as folder, running_space(folder) as space:
            rows, slow = _load(f"story_scorer at {before}", space, stories, users, seconds)
    with running_space() as space:
        version_rows, _ = _load("story_scorer", space, stories, users, seconds, slow)
        rows += version_rows
        if minutes:
            others = load_test_stories(round(40 * 60 * minutes), seed=1)
            rows += _memory(run_load_test(space.url, others, users, 60 * minutes, space.process))
    return rows


def _load(
    name: str, space: RunningSpace, stories: list[str], users: int, seconds: float, before: float = 0.0
) -> tuple[Rows, float]:
    """Rows of one version, and its answers per minute, reported as a multiple of `before`."""
    page = ScorerClient(space.url)
    page.wait()
    opened = np.median([page_seconds(space.url) for _ in range(5)])
    single_user = [page.answer(story)[:2] for story in stories[-_SINGLE_USER_ANSWERS:]]
    result = run_load_test(space.url, stories[:-_SINGLE_USER_ANSWERS], users, seconds, space.process)
    first, complete = (np.median(values) for values in zip(*single_user, strict=True))
    ratio = f"{result.per_minute / before:.1f}" if before else "1"
    rows = [
        (f"{name}: from start to the first page", f"{space.started:.1f} s", "-", ""),
        (f"{name}: the page, once started", f"{opened:.3f} s", "-", "under 3 s"),
        (f"{name}: one user, median, verdict / whole answer", f"{first:.2f} / {complete:.2f} s", "", ""),
        (
            f"{name}: {users} users, {seconds:.0f} s, answers per minute",
            f"{result.per_minute:.0f}",
            ratio,
            "5",
        ),
        (f"{name}: verdict, p50 / p95 / p99", percentiles(result.first), "", ""),
        (f"{name}: whole answer, p50 / p95 / p99", percentiles(result.complete), "", "p95 under 5 s"),
        (f"{name}: requests that failed", str(len(result.failed)), "", "0"),
        (f"{name}: memory", " to ".join(f"{result.memory[i]:.0f}" for i in (0, -1)) + " MB", "", ""),
    ]
    return rows, result.per_minute


def _memory(result: LoadResult) -> Rows:
    """Rows for the further minutes: speed, failures, and memory for each minute."""
    values = [*result.memory[::6], result.memory[-1]]  # recorded every ten seconds
    name = f"story_scorer: {result.seconds / 60:.0f} minutes more"
    return [
        (f"{name}, answers per minute", f"{result.per_minute:.0f}", "", ""),
        (f"{name}, whole answer, p50 / p95 / p99", percentiles(result.complete), "", ""),
        (f"{name}, requests that failed", str(len(result.failed)), "", "0"),
        (f"{name}, MB in each minute", " ".join(f"{value:.0f}" for value in values), "", "flat"),
    ]


@contextmanager
def checked_out_revision(revision: str) -> Iterator[Path]:
    """A folder with the files of a revision; its package to import is `src/openmeva`.

    Raises:
        ValueError: git or the revision is not available.
    """
    with TemporaryDirectory() as folder:
        archive, tree = Path(folder) / "tree.tar", Path(folder) / "tree"
        command = ["git", "archive", "--output", str(archive), revision]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(f"expected a revision of git, got {revision!r}: {done.stderr.strip()}")
        shutil.unpack_archive(archive, tree, filter="data")
        package = tree / "src" / "openmeva"
        package.mkdir(parents=True)
        for name in ("metrics", "training", "spaces"):
            (package / name).symlink_to(tree / name)
        yield tree


@contextmanager
def running_space(folder: Path | None = None) -> Iterator[RunningSpace]:
    """Runs the story scorer in a separate process, from this version or the one in `folder`.

    Raises:
        RuntimeError: the process ended, or did not answer in time.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ,
        "GRADIO_SERVER_PORT": str(port),
        "HF_HUB_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
        **({"PYTHONPATH": str(folder / "src")} if folder else {}),
    }
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "openmeva.spaces.story_scorer.app"],
        cwd=folder or ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            if process.poll() is not None or time.perf_counter() - start > _START_TIMEOUT:
                raise RuntimeError("story_scorer did not start: try `make space NAME=story_scorer`")
            try:
                page_seconds(url)
                break
            except OSError:
                time.sleep(0.05)
        yield RunningSpace(url, process.pid, time.perf_counter() - start)
    finally:
        process.terminate()
        process.wait(30)


def page_seconds(url: str) -> float:
    """Seconds to load the page."""
    start = time.perf_counter()
    with urllib.request.urlopen(url, timeout=30) as answer:
        answer.read()
    return time.perf_counter() - start
