"""Files of interrupted uploads are deleted while a Space runs."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from openmeva.spaces import shell, uploads


def test_interrupted_uploads_are_deleted_after_a_time(tmp_path: Path) -> None:
    (tmp_path / "digest").mkdir()
    old, new, complete = tmp_path / "tmpold", tmp_path / "tmpnew", tmp_path / "digest" / "a.csv"
    for path in (old, new, complete):
        path.write_text("part")
    for path in (old, complete, complete.parent):
        os.utime(path, (time.time() - 4000,) * 2)
    uploads.delete_interrupted(tmp_path, 3600)
    assert sorted(tmp_path.rglob("*")) == sorted([new, complete, complete.parent])
    uploads.delete_interrupted(tmp_path / "missing", 3600)


def test_running_space_deletes_interrupted_uploads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    monkeypatch.setattr(uploads, "UPLOAD_LIFETIME", (0.01, -1))
    given: dict[str, Any] = {}
    monkeypatch.setattr(gr.Blocks, "launch", lambda demo, **options: given.update(options))
    shell.launch(gr.Blocks(), "leaderboard")

    async def run() -> None:
        async with given["app_kwargs"]["lifespan"](None):
            for name in ("first", "second"):  # again and again, not only at the start
                (tmp_path / name).write_text("part")
                while list(tmp_path.iterdir()):
                    await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(run(), 30))
