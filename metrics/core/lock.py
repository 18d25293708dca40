"""The lock of an evaluate module: threads that share the module take turns."""

from __future__ import annotations

from threading import RLock
from typing import Any


class ModuleLock:
    """A reentrant lock: held by one thread at a time, which may acquire it again.

    A copied or unpickled module has its own lock.

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
