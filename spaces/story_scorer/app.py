"""The Space's pages and its API: `python -m spaces.story_scorer.app`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from openmeva.spaces import shell, wordnet
from openmeva.spaces.catalogue import CORPORA, SMALL, read_catalogue
from openmeva.spaces.limits import MOST_ANSWERED, threads_each
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.story_scorer import service, systems, views
from openmeva.spaces.story_scorer.examples import BARE, EXAMPLES
from openmeva.spaces.tables import read_upload
from openmeva.spaces.trust import Trusts

_LEAD = "Does a story hold together? One verdict, the sentences that cost it, and every metric's score behind a click."
# A story that the perturbation lab hands over stands behind the #, which browsers do not send to servers.
_FROM_ADDRESS = """() => {
  const given = new URLSearchParams(location.hash.slice(1));
  const kind = given.get("kind") === "wp" ? "wp" : "roc";
  return [kind, (given.get("story") || "").slice(0, 10000), (given.get("context") || "").slice(0, 10000)];
}"""
_KINDS = [(label, name) for name, label in CORPORA.items()]
# All that scores a story stands in one queue; so many are looked at together, and the others see their place in it.
_SCORING: dict[str, Any] = {"concurrency_id": "scoring", "concurrency_limit": MOST_ANSWERED}
_HIDDEN: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"}


def build(scorer: Scorer) -> gr.Blocks:
    """The Space's Blocks."""
    with shell.page("story_scorer", _LEAD) as demo:
        with gr.Tabs():
            with gr.Tab("One story"):
                _one_story(demo, scorer)
            with gr.Tab("Two stories"):
                _two_stories(scorer)
            with gr.Tab("A file"):
                _file(scorer)
            with gr.Tab("Systems"):
                _two_systems(scorer)
        gr.api(_score(scorer), api_name="score", **_SCORING)
        gr.api(_verdict(scorer), api_name="verdict", **_SCORING)
    return demo


def _score(scorer: Scorer) -> Any:
    """The function behind `/score`."""

    @shell.sentences
    def score(story: str, context: str = "", reference: str = "", kind: str = "roc") -> dict:
        """Scores a story with every metric and gives reasons.

        Args:
            story: the story, in English.
            context: its beginning (kind roc) or the prompt it was written to (kind wp).
            reference: another story to compare it with, for the metrics that need one.
            kind: roc (short everyday story) or wp (longer story to a prompt).
        """
        return service.as_dict(service.answer(scorer, story, context, reference, kind))

    return score


def _verdict(scorer: Scorer) -> Any:
    """The function behind `/verdict`."""

    @shell.sentences
    def verdict(story: str, context: str = "", kind: str = "roc") -> dict:
        """The verdict on a story, by the recommended metric alone: many times quicker than `score`.

        Args:
            story: the story, in English.
            context: its beginning (kind roc) or the prompt it was written to (kind wp).
            kind: roc (short everyday story) or wp (longer story to a prompt).
        """
        return service.verdict_dict(next(service.answers(scorer, story, context, "", kind)))

    return verdict


def _story_box(label: str, lines: int, placeholder: str, info: str | None = None) -> gr.Textbox:
    return gr.Textbox(
        label=label, lines=lines, max_lines=24, placeholder=placeholder, info=info, elem_classes="om-write"
    )


def _one_story(demo: gr.Blocks, scorer: Scorer) -> None:
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            kind = gr.Radio(_KINDS, value="roc", label="Kind of story")
            story = _story_box("Story", 6, "Nora's bike had a flat tire. She …")
            with gr.Accordion("Beginning or prompt, and a reference (optional)", open=False):
                context = _story_box(
                    "Beginning or prompt", 2, "", "Joined to a short story; the prompt of a longer one."
                )
                reference = _story_box(
                    "Reference", 3, "", "A story to compare with, for metrics that need one."
                )
            with gr.Row():
                go = gr.Button("Score", variant="primary", scale=3)
                clear = gr.Button("Clear", scale=1)
            gr.HTML('<p class="om om-note" id="om-try">Examples</p>')
            with gr.Row(elem_classes="om-examples"):
                buttons = {name: gr.Button(name, size="sm") for name in EXAMPLES}
        with gr.Column(scale=7, min_width=320):
            verdict, reasons = gr.HTML(views.BLANK), gr.HTML()
            with gr.Accordion(
                "All metrics", open=False, visible=False, elem_classes="om-plain-label"
            ) as more:
                metrics = gr.HTML()
            asked = gr.JSON(visible=False)  # what the verdict is on, whatever is typed after it

    trusts = Trusts()
    inputs, outputs = [story, context, reference, kind], [verdict, reasons, more, metrics, asked]

    def answered(*values: str) -> Iterator[tuple[Any, ...]]:
        try:
            for step, found in enumerate(service.answers(scorer, *values)):
                told = views.reasons(found, "Your story")
                if step:  # what stands is not said again
                    yield gr.skip(), told, gr.skip(), gr.skip(), gr.skip()
                else:
                    closed = gr.update(visible=True, open=False)
                    yield views.verdict(found, scorer.catalogue, trusts), told, closed, "", list(values)
        except Exception as error:
            yield shell.told(error), *_NOTHING

    def all_metrics(values: list[str]) -> str:
        text = service.checked(*values)
        return views.all_metrics(scorer.score([text], values[-1])[0], values[-1], scorer.catalogue, trusts)

    run: dict[str, Any] = {
        "fn": answered,
        "inputs": inputs,
        "outputs": outputs,
        "show_progress_on": verdict,
        "scroll_to_output": True,
        **_HIDDEN,
        **_SCORING,
    }
    go.click(**run)
    story.submit(**run)
    more.expand(partial(shell.guarded, all_metrics), asked, metrics, **_HIDDEN, **_SCORING)
    clear.click(
        lambda: ("", "", "", views.BLANK, *_NOTHING),
        outputs=[story, context, reference, *outputs],
        api_visibility="private",
        queue=False,
    )
    for name, button in buttons.items():
        corpus, text = EXAMPLES[name]
        button.click(
            partial(_example, text.story, text.context, text.reference, corpus),
            outputs=inputs,
            api_visibility="private",
            queue=False,
        ).then(**run)

    def given(*values: str) -> Iterator[tuple[Any, ...]]:
        yield from answered(*values) if values[0].strip() else [(views.BLANK, *_NOTHING)]

    demo.load(None, outputs=[kind, story, context], js=_FROM_ADDRESS).then(**{**run, "fn": given})


# In place of reasons, all metrics, and what was asked.
_NOTHING = ("", gr.update(visible=False, open=False), "", None)


def _example(*values: str) -> tuple[str, ...]:
    return values


def _two_stories(scorer: Scorer) -> None:
    kind = gr.Radio(_KINDS, value="roc", label="Kind of stories")
    with gr.Row():
        first = _story_box("First story", 6, "Nora's bike had a flat tire. She …")
        second = _story_box("Second story", 6, "The same story told otherwise …")
    with gr.Accordion("Shared beginning or prompt, and a reference (optional)", open=False):
        context = _story_box("Beginning or prompt of both", 2, "")
        reference = _story_box("Reference for both", 3, "")
    with gr.Row():
        go = gr.Button("Compare", variant="primary", scale=3)
        example = gr.Button("Take an example", scale=1)
    shown = gr.HTML(views.BLANK_PAIR)

    def compared(one: str, two: str, *shared: str) -> str:
        answers = []
        for name, text in (("First story", one), ("Second story", two)):
            try:
                answers.append(service.answer(scorer, text, *shared))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return views.two_stories(answers[0], answers[1])

    run: dict[str, Any] = {
        "fn": partial(shell.guarded, compared),
        "inputs": [first, second, context, reference, kind],
        "outputs": shown,
        **_HIDDEN,
        **_SCORING,
    }
    go.click(**run)
    pair = BARE, EXAMPLES["Out of order"][1].story
    example.click(
        partial(_example, *pair, "roc"), outputs=[first, second, kind], api_visibility="private", queue=False
    ).then(**run)


def _upload(label: str) -> gr.File:
    # Which kinds are read says `read_upload`, in the place where all else is said; Gradio would say it in another.
    return gr.File(label=label, file_count="single", type="filepath", height=120)


def _file(scorer: Scorer) -> None:
    kind = gr.Radio(_KINDS, value="roc", label="Kind of stories")
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


def _two_systems(scorer: Scorer) -> None:
    kind = gr.Radio(_KINDS, value="roc", label="Kind of stories")
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
            rows = [read_upload(shell.uploaded(path)) for path in (one, two)]

            def done(count: int, of: int) -> None:
                progress((count, of), desc="Scoring", unit="stories")

            return views.two_systems(systems.compare(scorer, rows[0], rows[1], corpus, done))

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


if __name__ == "__main__":
    # OPENMEVA_BATCHED=0 answers each user apart, for `make bench` to compare with
    batched = os.environ.get("OPENMEVA_BATCHED") != "0"
    known = read_catalogue(tier=os.environ.get("OPENMEVA_TIER", SMALL))
    metrics = Scorer(known, before=wordnet.prepare, threads=threads_each(), batched=batched)
    metrics.start()
    shell.launch(build(metrics), "story_scorer")
