"""The story scorer under load: one user alone, and fifty at once, each answered apart and then in batches."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from openmeva.training.paths import ROOT
from openmeva.training.speed.crowd import SECONDS, USERS, Page, crowd, crowd_stories, percentiles
from openmeva.training.speed.parts import Rows

_START = 300.0  # seconds that a busy machine may take to start
_ALONE = 20  # answers to one user


class Running(NamedTuple):
    """A Space in a process of its own: its address, process number, and the seconds until it answered."""

    url: str
    process: int
    started: float


def space_rows(users: int = USERS, seconds: float = SECONDS) -> Rows:
    """The page's time, one user's answers, and those of `users` at once for `seconds`, apart and in batches."""
    stories = crowd_stories(round(40 * seconds) + users)
    rows: Rows = []
    before = 0.0
    for batched in (False, True):
        name = "story_scorer" if batched else "story_scorer, each user apart and no score remembered"
        with running(OPENMEVA_BATCHED=str(int(batched))) as space:
            page = Page(space.url)
            page.answer(stories[-1])  # waits for the metrics to be loaded
            if batched:
                opened = np.median([page_seconds(space.url) for _ in range(5)])
                rows += [
                    (f"{name}: from start to the first page", f"{space.started:.1f} s", "-", ""),
                    (f"{name}: the page, once started", f"{opened:.3f} s", "-", "under 3 s"),
                ]
            alone = [page.answer(story)[:2] for story in stories[-1 - _ALONE : -1]]
            taken = crowd(space.url, stories, users, seconds, space.process)
        first, whole = (np.median(values) for values in zip(*alone, strict=True))
        ratio = f"{taken.a_minute / before:.1f}" if before else "1"
        before = before or taken.a_minute
        rows += [
            (f"{name}: one user, median, verdict / with reasons", f"{first:.2f} / {whole:.2f} s", "", ""),
            (
                f"{name}: {users} users for {seconds:.0f} s, answers a minute",
                f"{taken.a_minute:.0f}",
                ratio,
                "",
            ),
            (f"{name}: verdict, p50 / p95 / p99", percentiles(taken.first), "", ""),
            (f"{name}: with reasons, p50 / p95 / p99", percentiles(taken.whole), "", "p95 under 5 s"),
            (f"{name}: requests that failed", str(len(taken.failed)), "", "0"),
            (f"{name}: memory", " to ".join(f"{taken.memory[i]:.0f}" for i in (0, -1)) + " MB", "", ""),
        ]
    return rows


@contextmanager
def running(name: str = "story_scorer", **settings: str) -> Iterator[Running]:
    """A Space in a process of its own, with further environment variables.

    Raises:
        RuntimeError: it ended, or did not answer in time.
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
        **settings,
    }
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", f"openmeva.spaces.{name}.app"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            if process.poll() is not None or time.perf_counter() - start > _START:
                raise RuntimeError(f"{name} did not start: try `make space NAME={name}`")
            try:
                page_seconds(url)
                break
            except OSError:
                time.sleep(0.05)
        yield Running(url, process.pid, time.perf_counter() - start)
    finally:
        process.terminate()
        process.wait(30)


def page_seconds(url: str) -> float:
    """How long the page takes to arrive."""
    start = time.perf_counter()
    with urllib.request.urlopen(url, timeout=30) as answer:
        answer.read()
    return time.perf_counter() - start
