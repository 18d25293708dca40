"""A lock that a module carries: threads that share the module take turns."""

from __future__ import annotations

from threading import RLock
from typing import Any


class ModuleLock:
    """Held by one thread at a time, which may take it again.

    A module's copy, and one that comes out of a pickle, has a lock of its own.

    >>> with ModuleLock() as lock, lock:
    ...     "held"
    'held'
    """

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> ModuleLock:
        self._lock.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return ModuleLock, ()
