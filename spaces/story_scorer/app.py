"""The Space's pages and its API: `python -m spaces.story_scorer.app`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import gradio as gr

from openmeva.metrics.core.inputs import without_surrogates_in
from openmeva.spaces import shell, wordnet
from openmeva.spaces.catalogue import SMALL, read_catalogue
from openmeva.spaces.limits import MAX_CONCURRENT_USERS
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.story_scorer import files, service, views
from openmeva.spaces.story_scorer.examples import BARE, EXAMPLES
from openmeva.spaces.story_scorer.reliability import ReliabilityTable
from openmeva.spaces.texts import Text
from openmeva.spaces.threads import threads_each

_LEAD = "Does a story hold together? A verdict, the sentences that lower the score, and the scores of all metrics."
# A story that the perturbation lab passes on is in the fragment (#) of the address, which browsers do not send to servers.
_FROM_ADDRESS = """() => {
  const given = new URLSearchParams(location.hash.slice(1));
  const kind = given.get("kind") === "wp" ? "wp" : "roc";
  const text = name => given.get(name) || "";
  return [kind, text("story"), text("context")];
}"""
# All requests for scores share one queue: MAX_CONCURRENT_USERS run at once, and the other users see their position.
_SCORING: dict[str, Any] = {"concurrency_id": "scoring", "concurrency_limit": MAX_CONCURRENT_USERS}
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
                files.one_file(scorer)
            with gr.Tab("Systems"):
                files.two_systems(scorer)
        gr.api(_score(scorer), api_name="score", **_SCORING)
        gr.api(_verdict(scorer), api_name="verdict", **_SCORING)
    return demo


def _score(scorer: Scorer) -> Any:
    """The function behind `/score`."""

    @shell.user_errors
    def score(story: str, context: str = "", reference: str = "", kind: str = "roc") -> dict:
        """Scores a story with every metric and gives reasons.

        Args:
            story: the story, in English.
            context: its beginning (kind roc) or the prompt it was written to (kind wp).
            reference: another story to compare it with, for the metrics that need one.
            kind: roc (short everyday story) or wp (longer story written to a prompt).
        """
        return service.as_dict(service.full_answer(scorer, story, context, reference, kind))

    return score


def _verdict(scorer: Scorer) -> Any:
    """The function behind `/verdict`."""

    @shell.user_errors
    def verdict(story: str, context: str = "", kind: str = "roc") -> dict:
        """The verdict on a story, by the recommended metric only: many times faster than `score`.

        Args:
            story: the story, in English.
            context: its beginning (kind roc) or the prompt it was written to (kind wp).
            kind: roc (short everyday story) or wp (longer story written to a prompt).
        """
        return service.verdict_dict(next(service.answer_in_steps(scorer, story, context, "", kind)))

    return verdict


def _story_box(label: str, lines: int, placeholder: str, info: str | None = None) -> gr.Textbox:
    return gr.Textbox(
        label=label, lines=lines, max_lines=24, placeholder=placeholder, info=info, elem_classes="om-write"
    )


def _one_story(demo: gr.Blocks, scorer: Scorer) -> None:
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=320):
            kind = shell.kind_radio("Kind of story")
            story = _story_box("Story", 6, "Nora's bike had a flat tire. She …")
            with gr.Accordion("Beginning or prompt, and a reference (optional)", open=False):
                context = _story_box(
                    "Beginning or prompt",
                    2,
                    "",
                    "The beginning of a short story, or the prompt of a longer one.",
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
            costs_panel, costs = _closed(views.COSTS)
            more, metrics = _closed("All metrics")
            scored_input = gr.JSON(visible=False)  # the input of the verdict, even if the fields change later

    reliabilities = ReliabilityTable()
    inputs = [story, context, reference, kind]
    outputs = [verdict, reasons, costs_panel, costs, more, metrics, scored_input]

    def answered(*values: str) -> Iterator[tuple[Any, ...]]:
        try:
            for step, answer in enumerate(service.answer_in_steps(scorer, *values)):
                reasons_html = views.reasons(answer, "Your story")
                if step:  # the verdict is already shown
                    yield gr.skip(), reasons_html, *[gr.skip()] * 5
                else:
                    first = views.verdict(answer, scorer.catalogue, reliabilities)
                    closed = *_folded(answer.costs_on_request), *_folded(True)
                    yield (
                        shell.update_value(first),
                        reasons_html,
                        *closed,
                        shell.update_value(without_surrogates_in(list(values))),
                    )
        except Exception as error:
            yield shell.update_value(shell.exception_card(error)), *_NOTHING

    def sentence_costs(values: list[str]) -> str:
        return views.costs(service.answer_with_costs(scorer, *values))

    def all_metrics(values: list[str]) -> str:
        text = service.checked_text(*values)
        return views.all_metrics(
            scorer.score([text], values[-1])[0], values[-1], scorer.catalogue, reliabilities
        )

    def opened(work: Callable[..., str]) -> Callable[..., Any]:
        return lambda values: shell.update_value(shell.html_or_error_card(work, values))

    run: dict[str, Any] = {
        "fn": answered,
        "inputs": inputs,
        "outputs": outputs,
        "show_progress_on": verdict,
        "scroll_to_output": True,
        **_HIDDEN,
        **_SCORING,
    }

    def given(*values: str) -> Iterator[tuple[Any, ...]]:
        # without a story nothing is updated: the user may have typed one in the meantime
        yield from answered(*values) if values[0].strip() else [(gr.skip(),) * len(outputs)]

    filled_from_address = demo.load(None, outputs=[kind, story, context], js=_FROM_ADDRESS).then(
        **{**run, "fn": given}
    )
    opens: list[Any] = [
        costs_panel.expand(opened(sentence_costs), scored_input, costs, **_HIDDEN, **_SCORING),
        more.expand(opened(all_metrics), scored_input, metrics, **_HIDDEN, **_SCORING),
    ]
    # A late result on the previous story must not appear under the verdict on the next one.
    verdict.change(None, cancels=opens, api_visibility="private", queue=False)
    filled = {
        button.click: ({"fn": partial(_example, *EXAMPLES[name]), "outputs": inputs}, run)
        for name, button in buttons.items()
    }
    runs = shell.one_at_a_time(
        {go.click: ({}, run), story.submit: ({}, run), **filled}, *opens, filled_from_address
    )
    clear.click(
        lambda: ("", "", "", *_BLANK),
        outputs=[story, context, reference, *outputs],
        cancels=[*runs, *opens, filled_from_address],
        api_visibility="private",
        queue=False,
    )


def _closed(title: str) -> tuple[gr.Accordion, gr.HTML]:
    """An accordion whose content is computed when it is opened."""
    with gr.Accordion(title, open=False, visible=False, elem_classes="om-plain-label") as around:
        inside = gr.HTML()
    return around, inside


def _folded(visible: bool) -> tuple[Any, Any]:
    """The updates that close and empty such an accordion."""
    return gr.update(visible=visible, open=False), shell.update_value("")


# Updates that clear the reasons, the sentence costs, all metrics and the stored input; _BLANK also resets the verdict.
_NOTHING = ("", *_folded(False), *_folded(False), shell.update_value(None))
_BLANK = (shell.update_value(views.BLANK), *_NOTHING)


def _example(corpus: str, text: Text) -> tuple[str, ...]:
    return text.story, text.context, text.reference, corpus


def _two_stories(scorer: Scorer) -> None:
    kind = shell.kind_radio("Kind of stories")
    with gr.Row():
        first = _story_box("First story", 6, "Nora's bike had a flat tire. She …")
        second = _story_box("Second story", 6, "The same story told differently …")
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
                answers.append(service.full_answer(scorer, text, *shared))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return views.two_stories(answers[0], answers[1])

    run: dict[str, Any] = {
        "fn": partial(shell.html_or_error_card, compared),
        "inputs": [first, second, context, reference, kind],
        "outputs": shown,
        **_HIDDEN,
        **_SCORING,
    }
    pair = BARE, EXAMPLES["Out of order"][1].story, "", "", "roc"
    fill: dict[str, Any] = {"fn": lambda: pair, "outputs": run["inputs"]}
    shell.one_at_a_time({go.click: ({}, run), example.click: (fill, run)})


if __name__ == "__main__":
    known = read_catalogue(tier=os.environ.get("OPENMEVA_TIER", SMALL))
    metrics = Scorer(known, fetch_resources=wordnet.fetch_or_retry, threads=threads_each())
    metrics.start()
    shell.launch(build(metrics), "story_scorer")
