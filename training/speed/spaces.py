"""The story scorer under load: one user alone, and fifty at once for a minute."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from gradio_client import Client

from openmeva.training.paths import ROOT
from openmeva.training.speed.parts import Rows, bench_stories

USERS = 50
SECONDS = 60.0
_START = 300.0  # seconds that a busy machine may take to start


def space_rows() -> Rows:
    """The page's time, one user's answers, and those of `USERS` users at once for `SECONDS`, with failures."""
    stories = bench_stories(200)
    with running() as (url, started):
        client = Client(url, verbose=False)
        client.predict(story=stories[0], api_name="/score")  # waits for the metrics to be loaded
        page = [_page_seconds(url) for _ in range(5)]
        alone = [_answer_seconds(client, story) for story in stories[:20]]
        together, failures = crowd(url, stories, USERS, SECONDS)
    return [
        ("story_scorer: from start to the first page", f"{started:.1f} s", "-", ""),
        ("story_scorer: the page, once started", f"{np.median(page):.3f} s", "-", "under 3 s"),
        (
            "story_scorer: one user, a story with reasons, median",
            f"{np.median(alone):.2f} s",
            "1",
            "under 1 s",
        ),
        (
            f"story_scorer: {USERS} users for {SECONDS:.0f} s, {len(together)} answers, p50 / p95 / p99",
            " / ".join(f"{np.percentile(together, q):.1f}" for q in (50, 95, 99)) + " s"
            if together
            else "none",
            f"{np.median(together) / np.median(alone):.1f}" if together else "-",
            "",
        ),
        ("story_scorer: requests that failed", str(failures), "-", "0"),
    ]


@contextmanager
def running(name: str = "story_scorer") -> Iterator[tuple[str, float]]:
    """A Space in a process of its own: its address, and the seconds until it answered.

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
    }
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", f"spaces.{name}.app"],
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
                _page_seconds(url)
                break
            except OSError:
                time.sleep(0.05)
        yield url, time.perf_counter() - start
    finally:
        process.terminate()
        process.wait(30)


def crowd(url: str, stories: list[str], users: int, seconds: float) -> tuple[list[float], int]:
    """Seconds of each answer to `users` users who ask one story after the other, and how many requests failed.

    A user asks no more once `seconds` are over, but waits for the answer that is due.
    """
    found: list[float] = []
    failures = 0
    lock = threading.Lock()
    ready = threading.Barrier(users)

    def user(number: int) -> None:
        nonlocal failures
        client = Client(url, verbose=False)
        ready.wait()
        end = time.perf_counter() + seconds
        turn = number
        while time.perf_counter() < end:
            try:
                taken = _answer_seconds(client, stories[turn % len(stories)])
                with lock:
                    found.append(taken)
            except Exception:  # whatever it was, the user got no answer
                with lock:
                    failures += 1
            turn += users

    threads = [threading.Thread(target=user, args=(number,)) for number in range(users)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found, failures


def _answer_seconds(client: Client, story: str) -> float:
    start = time.perf_counter()
    found = client.predict(story=story, api_name="/score")
    if not any(one["score"] is not None for one in found["scores"]):
        raise ValueError("no score")
    return time.perf_counter() - start


def _page_seconds(url: str) -> float:
    start = time.perf_counter()
    with urllib.request.urlopen(url, timeout=30) as answer:
        answer.read()
    return time.perf_counter() - start
