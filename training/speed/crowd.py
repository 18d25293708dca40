"""Load test of the story scorer: many users at once, over HTTP as from a browser.

    python -m training.speed.crowd --url …

A user presses "Score", waits for the complete answer, and continues with another story.
`make bench ARGS="--only spaces"` starts a Space and tests it; with an address, any running Space can be measured, also
of another version.
"""

from __future__ import annotations

import argparse
import http.client
import json
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.speed.parts import own_stories

ANSWER_TIMEOUT = 300.0  # timeout of an answer, in seconds
USERS, SECONDS = 50, 60.0


@dataclass
class LoadResult:
    """Results of a load test.

    Attributes:
        first: seconds until the first part of each answer (the verdict).
        complete: seconds until each answer was complete.
        failed: one message per failure.
        queued: number of answers that had to wait, and reported their place in the queue.
        seconds: total duration.
        memory: resident memory of the server process in MB, from start to end; empty if not measured.
    """

    first: list[float] = field(default_factory=list)
    complete: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    queued: int = 0
    seconds: float = 0.0
    memory: list[float] = field(default_factory=list)

    @property
    def per_minute(self) -> float:
        """Complete answers per minute."""
        return 60 * len(self.complete) / self.seconds

    @property
    def summary(self) -> str:
        """The results in one line."""
        parts = [f"{len(self.complete)} answers in {self.seconds:.0f} s, {self.per_minute:.0f} per minute"]
        for name, values in (("verdict", self.first), ("whole answer", self.complete)):
            parts.append(f"{name} p50 / p95 / p99 {percentiles(values)}")
        parts.append(f"{len(self.failed)} failed, {self.queued} queued")
        if self.memory:
            parts.append(f"memory {self.memory[0]:.0f} to {self.memory[-1]:.0f} MB")
        return "; ".join(parts)


def percentiles(values: Sequence[float]) -> str:
    """The 50th, 95th and 99th percentile, in seconds."""
    return (
        " / ".join(f"{value:.2f}" for value in np.percentile(values, (50, 95, 99))) + " s"
        if values
        else "none"
    )


def load_test_stories(count: int, seed: int = 0) -> list[str]:
    """Distinct stories of about five sentences, made from those of the project.

    Two thirds are intact, with a date put in front; in the others, one sentence is replaced by one of another story.
    """
    rng = np.random.default_rng(seed)
    rows = own_stories()
    stories: dict[str, None] = {}
    while len(stories) < count:
        index, other_index = rng.choice(len(rows), 2, replace=False)
        sentences = list(rows[index]["sentences"])
        if rng.random() < 1 / 3:
            sentences[rng.integers(1, len(sentences))] = str(rng.choice(rows[other_index]["sentences"]))
        else:
            sentences[0] = f"{rng.choice(_DAYS)}, in {rng.choice(_MONTHS)}: {sentences[0]}"
        stories[" ".join(sentences)] = None
    return list(stories)


_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = "January February March April May June July August September October November December".split()


class ScorerClient:
    """Client of a running story scorer; sends the requests of its button "Score".

    Args:
        url: its address, `http://…` or `https://…`.

    Raises:
        ValueError: another address, or not a story scorer.
    """

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.netloc:
            raise ValueError(f"expected an address such as http://localhost:7860, got {url}")
        self.address, self._prefix = address, address.path.rstrip("/")
        config = self._json("GET", "/config")
        parts = {component["id"]: component["props"] for component in config["components"]}
        button = next(
            name for name, props in parts.items() if props.get("value") == "Score" and "variant" in props
        )
        events = config["dependencies"]
        clicked = next(component for component in events if [button, "click"] in component["targets"])
        # a click first cancels other answers, and then sends the request
        self.event = next(
            (component for component in events if component["trigger_after"] == clicked["id"]), clicked
        )
        self.trigger = button
        if [parts[name].get("label") for name in self.event["inputs"]][:1] != ["Story"]:
            raise ValueError(f"{url}: expected the story scorer, whose button “Score” reads a story first")

    def answer(self, story: str, session: str = "bench") -> tuple[float, float, bool]:
        """Seconds until the first part of the answer and until all of it, and whether the request was queued.

        A session stands for one open page; it requests one answer at a time.

        Raises:
            RuntimeError: no answer, or one without a verdict.
        """
        begun = time.perf_counter()
        body = {
            "data": [story, "", "", "roc"],
            "fn_index": self.event["id"],
            "session_hash": session,
            "trigger_id": self.trigger,
        }
        self._json("POST", "/gradio_api/queue/join", body)
        first, complete, waited = None, None, False
        for message in self._messages(f"/gradio_api/queue/data?session_hash={session}"):
            kind = message["msg"]
            waited = waited or (kind == "estimation" and message["rank"] > 0)
            if kind in ("process_generating", "process_completed"):
                if not message["success"]:
                    raise RuntimeError(f"no success: {str(message['output'])[:200]}")
                if first is None:
                    first = time.perf_counter() - begun
                    shown = str(message["output"]["data"][0])
                    if "om-headline" not in shown:
                        raise RuntimeError(f"no verdict: {shown[:200]}")
            if kind == "process_completed":  # read to the end, or the rest would be the next answer
                complete = time.perf_counter() - begun
        if first is None or complete is None:
            raise RuntimeError("the answer is incomplete")
        return first, complete, waited

    def wait(self) -> None:
        """Waits until every metric is loaded; those for long stories are loaded last."""
        request = {"data": ["Ann was hungry. She made a pie.", "", "", "wp"]}
        event = self._json("POST", "/gradio_api/call/score", request)["event_id"]
        for _ in self._messages(f"/gradio_api/call/score/{event}"):
            pass

    def _connection(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self.address.scheme == "https" else http.client.HTTPConnection
        return kind(self.address.netloc, timeout=ANSWER_TIMEOUT)

    def _json(self, method: str, path: str, body: Any = None) -> Any:
        connection = self._connection()
        try:
            content = None if body is None else json.dumps(body)
            connection.request(method, self._prefix + path, content, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{path}: status {answer.status}: {text[:200]!r}")
            return json.loads(text)
        finally:
            connection.close()

    def _messages(self, path: str) -> Iterator[dict[str, Any]]:
        """Server-sent events until the stream ends."""
        connection = self._connection()
        try:
            connection.request("GET", self._prefix + path)
            answer = connection.getresponse()
            while line := answer.readline():
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])
        finally:
            connection.close()


def run_load_test(
    url: str, stories: Sequence[str], users: int = USERS, seconds: float = SECONDS, process: int | None = None
) -> LoadResult:
    """Runs a load test: `users` users request one story after the other, each story once.

    After `seconds`, users send no more requests, but wait for the pending answer.

    Args:
        url: address of the story scorer.
        stories: if there are too few, they are reused.
        users: number of users.
        seconds: duration.
        process: id of the process whose memory is recorded every ten seconds.

    Raises:
        ValueError: not an address of a story scorer.
    """
    page, result = ScorerClient(url), LoadResult()
    lock, turn = threading.Lock(), iter(range(10**9))
    begun = time.perf_counter()
    over = threading.Event()

    def user() -> None:
        session = secrets.token_hex(6)
        while time.perf_counter() < begun + seconds:
            with lock:
                story = stories[next(turn) % len(stories)]
            try:
                first, complete, waited = page.answer(story, session)
                with lock:
                    result.first.append(first)
                    result.complete.append(complete)
                    result.queued += waited
            except Exception as error:  # whatever the error, the user got no answer
                with lock:
                    result.failed.append(f"{type(error).__name__}: {error}")

    def record_memory() -> None:
        while process is not None:
            result.memory.append(megabytes(process))
            if over.wait(10):
                return

    threads = [threading.Thread(target=user) for _ in range(users)]
    memory_thread = threading.Thread(target=record_memory)
    for thread in (*threads, memory_thread):
        thread.start()
    for thread in threads:
        thread.join()
    result.seconds = time.perf_counter() - begun
    over.set()
    memory_thread.join()
    return result


def megabytes(process: int) -> float:
    """Resident memory of a process, in MB (Linux)."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", required=True, help="address of a running story scorer")
    parser.add_argument("--users", type=int, default=USERS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--process", type=int, help="id of its process, to report its memory")
    parser.add_argument("--seed", type=int, default=0, help="seed of the stories")
    options = parser.parse_args()
    stories = load_test_stories(round(40 * options.seconds) + options.users, options.seed)
    with exit_on_bad_input():
        result = run_load_test(options.url, stories, options.users, options.seconds, options.process)
    print(f"{options.users} users: {result.summary}")
    for failure in sorted(set(result.failed))[:5]:
        print(f"failed: {failure}")


if __name__ == "__main__":
    main()
