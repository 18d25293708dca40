"""The story scorer's pages that read files: one file's stories, and two systems' on the same prompts."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

from openmeva.spaces import shell
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.story_scorer import service, systems, views
from openmeva.spaces.tables import read_upload


def _upload(label: str) -> gr.File:
    # Which kinds are read says `read_upload`, in the place where all else is said; Gradio would say it in another.
    return gr.File(label=label, file_count="single", type="filepath", height=120)


def one_file(scorer: Scorer) -> None:
    """Scores a file."""
    kind = shell.kind_radio("Kind of stories")
    upload = _upload("File of stories: CSV, TSV, JSONL, Parquet, or text, a story a line")
    with gr.Row():
        go = gr.Button("Score the file", variant="primary", scale=3)
        stop = gr.Button("Stop", scale=1)
    shown = gr.HTML(views.BLANK_FILE)

    def scored(path: str | None, corpus: str, progress: gr.Progress = gr.Progress()) -> tuple[str, None]:  # noqa: B008
        def table() -> str:
            rows = read_upload(shell.uploaded(path))

            def done(count: int, of: int) -> None:
                progress((count, of), desc="Scoring", unit="stories")

            return views.file_table(service.score_file(scorer, rows, corpus, done), Path(path or "").name)

        return shell.guarded(table), None

    event = go.click(
        scored,
        inputs=[upload, kind],
        outputs=[shown, upload],
        api_visibility="private",
        concurrency_id="files",
        concurrency_limit=1,
        show_progress_on=shown,
    )
    stop.click(lambda: None, outputs=upload, cancels=[event], api_visibility="private", queue=False)


def two_systems(scorer: Scorer) -> None:
    """Compares the files of two systems."""
    kind = shell.kind_radio("Kind of stories")
    with gr.Row():
        first, second = _upload("Stories of the first system"), _upload("Stories of the second system")
    go = gr.Button("Compare the systems", variant="primary")
    shown = gr.HTML(views.BLANK_SYSTEMS)

    def compared(
        one: str | None,
        two: str | None,
        corpus: str,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> tuple[str, None, None]:
        def html() -> str:
            # Gradio has one file for uploads of the same bytes, and it goes when it is read
            rows = {path: read_upload(shell.uploaded(path)) for path in dict.fromkeys((one, two))}

            def done(count: int, of: int) -> None:
                progress((count, of), desc="Scoring", unit="stories")

            return views.two_systems(systems.compare(scorer, rows[one], rows[two], corpus, done))

        return shell.guarded(html), None, None

    go.click(
        compared,
        inputs=[first, second, kind],
        outputs=[shown, first, second],
        api_visibility="private",
        concurrency_id="files",
        concurrency_limit=1,
        show_progress_on=shown,
    )
