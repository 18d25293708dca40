"""Excludes imports from garbage collection, and keeps tests from writing to the checkout's caches.

Collecting the tests imports a million objects, which stay to the end. The next run would read what a test leaves in a
cache.
"""

import gc
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CACHES = (f"{ROOT / '.cache'}{os.sep}", f"{ROOT / '.resources'}{os.sep}")
PICTURES = f"{ROOT / '.cache' / 'screenshots'}{os.sep}"

gc.disable()


def _refuse(event: str, given: tuple[Any, ...]) -> None:
    if event == "open" and given[2] & (os.O_WRONLY | os.O_RDWR):
        written = given[0]
    elif event == "os.rename":
        written = given[1]
    else:
        return
    path = os.fsdecode(written) if isinstance(written, str | bytes | os.PathLike) else ""
    if path.startswith(CACHES) and not path.startswith(PICTURES):
        raise AssertionError(f"{path}: expected that tests write nothing there")


sys.addaudithook(_refuse)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
