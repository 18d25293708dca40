"""The story scorer's pages that read files: stories of one file, and of two systems on the same prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from openmeva.spaces import shell
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.story_scorer import file_scores, systems, views
from openmeva.spaces.tables import read_uploads

# What a page does with its files and the kind of their stories: yields the number of stories that are scored and of how
# many, and finally the page's HTML.
_Work = Callable[[Sequence[Path], str], Iterator[tuple[int, int] | str]]


def one_file(scorer: Scorer) -> None:
    """The page that scores a file."""

    def work(paths: Sequence[Path], corpus: str) -> Iterator[tuple[int, int] | str]:
        (rows,) = read_uploads(*paths)
        for found in file_scores.score_file(scorer, rows, corpus):
            if isinstance(found, file_scores.FileScores):
                yield views.file_table(found, paths[0].name)
            else:
                yield found, len(rows)

    label = "File of stories: CSV, TSV, JSONL, Parquet, or text with one story per line"
    _page([label], "Score the file", views.BLANK_FILE, work)


def two_systems(scorer: Scorer) -> None:
    """The page that compares the files of two systems."""

    def work(paths: Sequence[Path], corpus: str) -> Iterator[tuple[int, int] | str]:
        first, second = read_uploads(*paths)
        for found in systems.compare(scorer, first, second, corpus):
            yield views.two_systems(found) if isinstance(found, systems.Comparison) else found

    labels = ["Stories of the first system", "Stories of the second system"]
    _page(labels, "Compare the systems", views.BLANK_SYSTEMS, work)


def _page(labels: Sequence[str], button: str, blank: str, work: _Work) -> None:
    """A page with a file for each label, a button for the work, and one to stop it."""
    kind = shell.kind_radio("Kind of stories")
    with gr.Row():
        # `read_uploads` checks the file type, so that its error appears with all other messages; Gradio's would not.
        uploads = [gr.File(label=label, file_count="single", type="filepath", height=120) for label in labels]
    with gr.Row():
        go = gr.Button(button, variant="primary", scale=3)
        stop = gr.Button("Stop", scale=1)
    shown = gr.HTML(blank)
    kept = [gr.skip()] * len(uploads)

    # Gradio passes the progress at its own place, and only before `*values`
    def run(progress: gr.Progress = gr.Progress(), *values: Any) -> Iterator[tuple[Any, ...]]:  # noqa: B008
        *files, corpus = values
        yield gr.skip(), *[shell.update_value(None) for _ in files]  # at once: others may be chosen meanwhile
        try:
            for found in work([shell.upload_path(file) for file in files], corpus):
                if isinstance(found, str):
                    yield shell.update_value(found), *kept
                else:
                    yield gr.skip(), *kept  # here "Stop" ends it
                    progress(found, desc="Scoring", unit="stories")
        except Exception as error:
            yield shell.update_value(shell.exception_card(error)), *kept

    event = go.click(
        run,
        inputs=[*uploads, kind],
        outputs=[shown, *uploads],
        preprocess=False,
        api_visibility="private",
        concurrency_id="files",
        concurrency_limit=1,
        show_progress_on=shown,
    )
    stop.click(None, cancels=[event], api_visibility="private", queue=False)
