"""Collects simultaneous requests of several users into batches."""

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


class BatchFunction(NamedTuple):
    """A function of batches of items.

    Attributes:
        key: items with the same key may be processed in one batch.
        function: maps items to results, one per item in their order; several threads may call it at once.
        batch_size: maximum number of items of a batch.
    """

    key: Hashable
    function: Callable[[list[Any]], Sequence[Any]]
    batch_size: int


@dataclass
class _Request:
    due: float
    work: BatchFunction
    item: Any
    result: Future[Any] = field(default_factory=Future)


class Batcher:
    """Worker threads that process waiting items in batches of the same key, the earliest deadline first.

    A batch does not wait to be filled: the items that arrive while the threads are busy form the next one.

    Args:
        threads: number of threads.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._waiting: list[_Request] = []  # by deadline, then by arrival
        self._changed = threading.Condition()
        self._started = 0

    def submit(self, work: BatchFunction, items: Sequence[Any], due: float = 0.0) -> list[Future[Any]]:
        """A future for each item; the earliest deadline (`due`) is served first."""
        requests = [_Request(due, work, item) for item in items]
        with self._changed:
            self._waiting = sorted([*self._waiting, *requests], key=lambda request: request.due)
            while self._started < self._threads:
                threading.Thread(target=self._run, name=f"batches-{self._started}", daemon=True).start()
                self._started += 1
            self._changed.notify_all()
        return [request.result for request in requests]

    @property
    def waiting(self) -> int:
        """Number of items that no thread has taken yet."""
        return len(self._waiting)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                batch = self._next()
            try:
                results = batch[0].work.function([request.item for request in batch])
                for request, result in zip(batch, results, strict=True):
                    request.result.set_result(result)
            except Exception as error:
                for request in batch:
                    if not request.result.done():
                        request.result.set_exception(error)
            del batch  # otherwise the texts would stay in memory until the next batch

    def _next(self) -> list[_Request]:
        """Takes the first waiting item and others of the same key."""
        work = self._waiting[0].work
        batch = [request for request in self._waiting if request.work.key == work.key][: work.batch_size]
        chosen = set(map(id, batch))
        self._waiting = [request for request in self._waiting if id(request) not in chosen]
        return batch


class ResultCache(Generic[T]):
    """A cache of the `max_size` most recently used results. It stores a keyed digest of the texts, never the texts."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._found: OrderedDict[bytes, T] = OrderedDict()
        self._lock = threading.Lock()

    @staticmethod
    def digest(*parts: object) -> bytes:
        """The cache key of a result; it cannot be computed without the secret of the process."""
        return hashlib.blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16, key=_SECRET).digest()

    def get(self, digest: bytes) -> T | None:
        """The result; `None` where it is not in the cache."""
        with self._lock:
            if digest in self._found:
                self._found.move_to_end(digest)
            return self._found.get(digest)

    def put(self, digest: bytes, result: T) -> None:
        """Stores a result; a full cache drops the least recently used one."""
        with self._lock:
            self._found[digest] = result
            self._found.move_to_end(digest)
            while len(self._found) > self._max_size:
                self._found.popitem(last=False)
