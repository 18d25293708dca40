"""Many users of the story scorer at once, over plain HTTP as a browser would ask: `python -m training.speed.crowd --url …`.

A user presses "Score", waits for the whole answer, and goes on with another story. `make bench ARGS="--only spaces"` runs
it against a Space of its own; with an address it measures any that runs, another version's, too.
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

from openmeva.training.speed.parts import own_stories

PATIENCE = 300.0  # seconds for an answer
USERS, SECONDS = 50, 60.0


@dataclass
class Taken:
    """What a crowd has met.

    Attributes:
        first: seconds until each answer's first part, the verdict, was there.
        whole: seconds until all of it was there.
        failed: what went wrong, an entry each.
        places: how many answers had to wait, and were told their place in the queue.
        seconds: how long all of it took.
        memory: of the process that answers, MB, at the beginning and at the end; none where not asked for.
    """

    first: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    places: int = 0
    seconds: float = 0.0
    memory: list[float] = field(default_factory=list)

    @property
    def a_minute(self) -> float:
        """Whole answers a minute."""
        return 60 * len(self.whole) / self.seconds

    @property
    def sentence(self) -> str:
        """All of it in a line."""
        parts = [f"{len(self.whole)} answers in {self.seconds:.0f} s, {self.a_minute:.0f} a minute"]
        for name, values in (("verdict", self.first), ("whole answer", self.whole)):
            parts.append(f"{name} p50 / p95 / p99 {percentiles(values)}")
        parts.append(f"{len(self.failed)} failed, {self.places} were told their place")
        if self.memory:
            parts.append(f"memory {self.memory[0]:.0f} to {self.memory[-1]:.0f} MB")
        return "; ".join(parts)


def percentiles(values: Sequence[float]) -> str:
    """The 50th, 95th and 99th, in seconds."""
    return (
        " / ".join(f"{value:.2f}" for value in np.percentile(values, (50, 95, 99))) + " s"
        if values
        else "none"
    )


def crowd_stories(count: int, seed: int = 0) -> list[str]:
    """Stories of about five sentences, no two alike, made of the project's own.

    Two thirds are whole, with another day before them; in the others a sentence of another story stands in place of one.
    """
    rng = np.random.default_rng(seed)
    rows = own_stories()
    found: dict[str, None] = {}
    while len(found) < count:
        place, other = rng.choice(len(rows), 2, replace=False)
        sentences = list(rows[place]["sentences"])
        if rng.random() < 1 / 3:
            sentences[rng.integers(1, len(sentences))] = str(rng.choice(rows[other]["sentences"]))
        else:
            sentences[0] = f"{rng.choice(_DAYS)}, in {rng.choice(_MONTHS)}: {sentences[0]}"
        found[" ".join(sentences)] = None
    return list(found)


_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = "January February March April May June July August September October November December".split()


class Page:
    """A running story scorer: what its button "Score" asks for."""

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc
        config = self._json("GET", "/config")
        parts = {one["id"]: one["props"] for one in config["components"]}
        button = next(
            name for name, props in parts.items() if props.get("value") == "Score" and "variant" in props
        )
        events = config["dependencies"]
        clicked = next(one for one in events if [button, "click"] in one["targets"])
        # a press ends other answers first, and then asks
        self.event = next((one for one in events if one["trigger_after"] == clicked["id"]), clicked)
        self.trigger = button
        if [parts[name].get("label") for name in self.event["inputs"]][:1] != ["Story"]:
            raise ValueError(f"{url}: expected the story scorer, whose button “Score” reads a story first")

    def answer(self, story: str, session: str = "bench") -> tuple[float, float, bool]:
        """Seconds until the first part of the answer and until all of it, and whether there was a place in the queue.

        A session is a page that somebody has open; it asks for one answer at a time.

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
        first, whole, waited = None, None, False
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
            if (
                kind == "process_completed"
            ):  # read on: the stream ends, or its rest would be the next answer's
                whole = time.perf_counter() - begun
        if first is None or whole is None:
            raise RuntimeError("the answer broke off")
        return first, whole, waited

    def wait(self) -> None:
        """Returns when every metric is loaded, those of longer stories last."""
        asked = {"data": ["Ann was hungry. She made a pie.", "", "", "wp"]}
        event = self._json("POST", "/gradio_api/call/score", asked)["event_id"]
        for _ in self._messages(f"/gradio_api/call/score/{event}"):
            pass

    def _json(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        try:
            given = None if body is None else json.dumps(body)
            connection.request(method, path, given, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{path}: status {answer.status}: {text[:200]!r}")
            return json.loads(text)
        finally:
            connection.close()

    def _messages(self, path: str) -> Iterator[dict[str, Any]]:
        """Server-sent events until the stream ends."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            while line := answer.readline():
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])
        finally:
            connection.close()


def crowd(
    url: str, stories: Sequence[str], users: int = USERS, seconds: float = SECONDS, process: int | None = None
) -> Taken:
    """What `users` users meet who ask for one story after the other, none of them twice.

    A user asks no more once `seconds` are over, but waits for the answer that is due.

    Args:
        url: of the story scorer.
        stories: enough of them, or they are asked for again.
        users: how many.
        seconds: how long.
        process: of which the memory is told, every ten seconds.
    """
    page, taken = Page(url), Taken()
    lock, turn = threading.Lock(), iter(range(10**9))
    begun = time.perf_counter()
    over = threading.Event()

    def user() -> None:
        session = secrets.token_hex(6)
        while time.perf_counter() < begun + seconds:
            with lock:
                story = stories[next(turn) % len(stories)]
            try:
                first, whole, waited = page.answer(story, session)
                with lock:
                    taken.first.append(first)
                    taken.whole.append(whole)
                    taken.places += waited
            except Exception as error:  # whatever it was, the user got no answer
                with lock:
                    taken.failed.append(f"{type(error).__name__}: {error}")

    def look() -> None:
        while process is not None:
            taken.memory.append(megabytes(process))
            if over.wait(10):
                return

    threads = [threading.Thread(target=user) for _ in range(users)]
    looker = threading.Thread(target=look)
    for thread in (*threads, looker):
        thread.start()
    for thread in threads:
        thread.join()
    taken.seconds = time.perf_counter() - begun
    over.set()
    looker.join()
    return taken


def megabytes(process: int) -> float:
    """Resident memory of a process (Linux)."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", required=True, help="of a running story scorer")
    parser.add_argument("--users", type=int, default=USERS)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--process", type=int, help="its process, to tell its memory")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the stories; another one asks for other stories"
    )
    given = parser.parse_args()
    stories = crowd_stories(round(40 * given.seconds) + given.users, given.seed)
    taken = crowd(given.url, stories, given.users, given.seconds, given.process)
    print(f"{given.users} users: {taken.sentence}")
    for failure in sorted(set(taken.failed))[:5]:
        print(f"failed: {failure}")


if __name__ == "__main__":
    main()
