"""Collects what several users ask for at the same time, so that a model reads it together."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
_SECRET = secrets.token_bytes(32)


class Work(NamedTuple):
    """One kind of work on many items.

    Attributes:
        key: items of one key may be worked on together.
        do: from items to results, one each and in their order; it may be called by several threads at once.
        most: items at once.
    """

    key: Hashable
    do: Callable[[list[Any]], Sequence[Any]]
    most: int


@dataclass
class _Asked:
    due: float
    work: Work
    item: Any
    result: Future[Any] = field(default_factory=Future)


class Batcher:
    """Threads that work on all that waits and belongs together, and on what is due first.

    Nobody waits for a batch to fill: what comes while the threads are at work makes the next one.

    Args:
        threads: how many.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._waiting: list[_Asked] = []  # by when they are due, then as they came
        self._changed = threading.Condition()
        self._started = 0

    def ask(self, work: Work, items: Sequence[Any], due: float = 0.0) -> list[Future[Any]]:
        """A result for each item, later; what is due first comes first."""
        asked = [_Asked(due, work, item) for item in items]
        with self._changed:
            self._waiting = sorted([*self._waiting, *asked], key=lambda one: one.due)
            while self._started < self._threads:
                threading.Thread(target=self._run, name=f"batches-{self._started}", daemon=True).start()
                self._started += 1
            self._changed.notify_all()
        return [one.result for one in asked]

    @property
    def waiting(self) -> int:
        """How many items nobody works on yet."""
        return len(self._waiting)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                batch = self._next()
            try:
                results = batch[0].work.do([one.item for one in batch])
                for one, result in zip(batch, results, strict=True):
                    one.result.set_result(result)
            except Exception as error:
                for one in batch:
                    if not one.result.done():
                        one.result.set_exception(error)
            del batch  # or the texts would stay until the next ones come

    def _next(self) -> list[_Asked]:
        """Takes the first that waits, and others that go with it."""
        work = self._waiting[0].work
        batch = [one for one in self._waiting if one.work.key == work.key][: work.most]
        chosen = set(map(id, batch))
        self._waiting = [one for one in self._waiting if id(one) not in chosen]
        return batch


class Remembered(Generic[T]):
    """Results by what they are of, the `most` used last. Of texts a keyed digest is kept, never the text."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[bytes, T] = OrderedDict()
        self._lock = threading.Lock()

    @staticmethod
    def digest(*parts: object) -> bytes:
        """What a result is kept by; without the process's secret nothing can be looked up in it."""
        return hashlib.blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16, key=_SECRET).digest()

    def get(self, digest: bytes) -> T | None:
        """The result, `None` where it is not there (any more)."""
        with self._lock:
            if digest in self._found:
                self._found.move_to_end(digest)
            return self._found.get(digest)

    def put(self, digest: bytes, result: T) -> None:
        """Keeps a result in place of the one not used for longest."""
        with self._lock:
            self._found[digest] = result
            self._found.move_to_end(digest)
            while len(self._found) > self._most:
                self._found.popitem(last=False)
