"""Deletes files that interrupted uploads leave in Gradio's folder, which Gradio itself deletes only when they are complete."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder

# Gradio's upload folder: seconds between clearings, and age at which a file is deleted
UPLOAD_LIFETIME = (300, 3600)


@asynccontextmanager
async def clearing(app: Any) -> AsyncIterator[None]:
    """While the app runs, deletes its interrupted uploads after the same time as others; a lifespan of FastAPI."""
    task = asyncio.create_task(_clear_on_schedule(*UPLOAD_LIFETIME))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _clear_on_schedule(interval: float, age: float) -> None:
    while True:
        await asyncio.to_thread(delete_interrupted, Path(get_upload_folder()), age)
        await asyncio.sleep(interval)


def delete_interrupted(folder: Path, age: float) -> None:
    """Deletes files directly in the folder, to which nothing was written for `age` seconds; complete ones have folders."""
    with suppress(OSError):  # the folder is made by the first upload, and a file may be gone
        for path in folder.iterdir():
            with suppress(OSError):
                if path.is_file() and time.time() - path.stat().st_mtime > age:
                    path.unlink()
