"""Excludes imports from garbage collection, and keeps tests from writing to the checkout's caches.

Collecting the tests imports a million objects, which stay to the end. The next run would read what a test leaves in a
cache.
"""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CACHES = (f"{ROOT / '.cache'}{os.sep}", f"{ROOT / '.resources'}{os.sep}")
SCREENSHOTS = f"{ROOT / '.cache' / 'screenshots'}{os.sep}"

gc.disable()


def _reject_writes_to_caches(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR):
        written = arguments[0]
    elif event == "os.rename":
        written = arguments[1]
    else:
        return
    path = os.fsdecode(written) if isinstance(written, str | bytes | os.PathLike) else ""
    if path.startswith(CACHES) and not path.startswith(SCREENSHOTS):
        raise AssertionError(f"{path}: expected that tests write nothing there")


sys.addaudithook(_reject_writes_to_caches)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def no_collection() -> Iterator[None]:
    """For tests that nest values up to the recursion limit, where finalizers, and pytest's report of them, fail."""
    gc.disable()
    yield
    gc.enable()
