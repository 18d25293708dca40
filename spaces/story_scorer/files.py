"""The story scorer's pages that read files: stories of one file, and of two systems on the same prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from openmeva.spaces import shell
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.story_scorer import file_scores, systems, views
from openmeva.spaces.tables import read_uploads


def _upload(label: str) -> gr.File:
    # `read_upload` checks the file type, so that its error appears with all other messages; Gradio's would not.
    return gr.File(label=label, file_count="single", type="filepath", height=120)


def one_file(scorer: Scorer) -> None:
    """The page that scores a file."""
    kind = shell.kind_radio("Kind of stories")
    upload = _upload("File of stories: CSV, TSV, JSONL, Parquet, or text with one story per line")
    with gr.Row():
        go = gr.Button("Score the file", variant="primary", scale=3)
        stop = gr.Button("Stop", scale=1)
    shown = gr.HTML(views.BLANK_FILE)

    def scored(
        file: shell.Upload,
        corpus: str,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> Iterator[tuple[Any, Any]]:
        yield gr.skip(), shell.update_value(None)  # at once: another file may be chosen meanwhile
        try:
            path = shell.upload_path(file)
            (rows,) = read_uploads(path)
            for found in file_scores.score_file(scorer, rows, corpus):
                if isinstance(found, file_scores.FileScores):
                    yield shell.update_value(views.file_table(found, path.name)), gr.skip()
                else:
                    yield gr.skip(), gr.skip()  # here "Stop" ends it
                    progress((found, len(rows)), desc="Scoring", unit="stories")
        except Exception as error:
            yield shell.update_value(shell.exception_card(error)), gr.skip()

    event = go.click(
        scored,
        inputs=[upload, kind],
        outputs=[shown, upload],
        preprocess=False,
        api_visibility="private",
        concurrency_id="files",
        concurrency_limit=1,
        show_progress_on=shown,
    )
    stop.click(None, cancels=[event], api_visibility="private", queue=False)


def two_systems(scorer: Scorer) -> None:
    """The page that compares the files of two systems."""
    kind = shell.kind_radio("Kind of stories")
    with gr.Row():
        first, second = _upload("Stories of the first system"), _upload("Stories of the second system")
    go = gr.Button("Compare the systems", variant="primary")
    shown = gr.HTML(views.BLANK_SYSTEMS)

    def compared(
        one: shell.Upload,
        two: shell.Upload,
        corpus: str,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
    ) -> Iterator[tuple[Any, Any, Any]]:
        def html() -> str:
            rows_of_one, rows_of_two = read_uploads(shell.upload_path(one), shell.upload_path(two))

            def done(count: int, of: int) -> None:
                progress((count, of), desc="Scoring", unit="stories")

            return views.two_systems(systems.compare(scorer, rows_of_one, rows_of_two, corpus, done))

        yield (
            gr.skip(),
            shell.update_value(None),
            shell.update_value(None),
        )  # at once: other files may be chosen meanwhile
        yield shell.update_value(shell.html_or_error_card(html)), gr.skip(), gr.skip()

    go.click(
        compared,
        inputs=[first, second, kind],
        outputs=[shown, first, second],
        preprocess=False,
        api_visibility="private",
        concurrency_id="files",
        concurrency_limit=1,
        show_progress_on=shown,
    )
