"""The Space's pages and its API: `python -m spaces.perturbation_lab.app`."""

from __future__ import annotations

from functools import partial
from typing import Any

import gradio as gr

from openmeva.spaces import shell, wordnet
from openmeva.spaces.perturbation_lab import views
from openmeva.spaces.perturbation_lab.lab import Lab, case_dict
from openmeva.spaces.scorer import Scorer
from openmeva.spaces.threads import threads_each
from openmeva.training.perturbations import ASPECTS

_LEAD = "Perturb a story in one aspect, see exactly what changed, and find out which metrics notice."
_EXAMPLE = (
    "Tom wanted to bake a cake for his sister. He went to the store because he didn't have any eggs. He mixed the flour "
    "and the sugar before his sister came home. She was happy when she saw the cake. They ate it together after dinner."
)


def build(lab: Lab) -> gr.Blocks:
    """The Space's Blocks."""
    groups = {"discrimination": "hurts", "invariance": "harmless"}
    aspects = [(f"{aspect.title} ({groups[aspect.kind]})", name) for name, aspect in ASPECTS.items()]
    with shell.page("perturbation_lab", _LEAD) as demo:
        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=320):
                aspect = gr.Dropdown(aspects, value="lexical_repetition", label="Aspect", filterable=False)
                meaning = gr.HTML(_meaning(lab, "lexical_repetition"))
                story = gr.Textbox(
                    label="Story",
                    lines=7,
                    max_lines=24,
                    placeholder="Ann was hungry. She …",
                    elem_classes="om-write",
                )
                with gr.Accordion("Kind of story and seed", open=False):
                    kind = shell.kind_radio(
                        "Kind of story",
                        "The first sentence of a short story is its context and is never changed.",
                    )
                    seed = gr.Number(
                        value=1, precision=0, minimum=0, label="Seed", info="Other seeds give other changes."
                    )
                with gr.Row():
                    go = gr.Button("Perturb", variant="primary", scale=3)
                    another = gr.Button("Another", scale=1)
                with gr.Row():
                    every = gr.Button("All aspects", scale=1)
                    example = gr.Button("Take the example", scale=1)
            with gr.Column(scale=7, min_width=320):
                shown = gr.HTML(views.BLANK)
        _events(lab, aspect, meaning, story, kind, seed, go, another, every, example, shown)
        gr.api(_api(lab), api_name="perturb", concurrency_id="perturbing")
    return demo


def _meaning(lab: Lab, aspect: str) -> str:
    text = f"{ASPECTS[aspect].meaning} {lab.missing_resources(aspect)}"
    return f'<p class="om om-note" style="margin:0">{views.escape(text)}</p>'


def _api(lab: Lab) -> Any:
    @shell.user_errors
    def perturb(story: str, aspect: str = "lexical_repetition", seed: int = 1, kind: str = "roc") -> dict:
        """Perturbs a story in one aspect and scores it before and after; `better` tells which scores are better.

        Args:
            story: the story, in English.
            aspect: one of OpenMEVA's, e.g. lexical_repetition, consistency, typo.
            seed: random seed; other seeds give other changes.
            kind: roc (short everyday story, whose first sentence is unchanged) or wp (longer story written to a prompt).
        """
        return case_dict(lab.case(story, aspect, seed, kind))

    return perturb


def _events(
    lab: Lab,
    aspect: gr.Dropdown,
    meaning: gr.HTML,
    story: gr.Textbox,
    kind: gr.Radio,
    seed: gr.Number,
    go: gr.Button,
    another: gr.Button,
    every: gr.Button,
    example: gr.Button,
    shown: gr.HTML,
) -> None:
    def one(*values: Any) -> str:
        return views.case(lab.case(*values))

    def all_of_them(*values: Any) -> str:
        lacking = {name: lab.missing_resources(name) for name in ASPECTS if lab.missing_resources(name)}
        return views.all_aspects(lab.all_cases(*values), lacking)

    shared: dict[str, Any] = {
        "outputs": shown,
        "api_visibility": "private",
        "concurrency_id": "perturbing",
        "show_progress": "minimal",
    }
    run: dict[str, Any] = {
        "fn": partial(shell.html_or_error_card, one),
        "inputs": [story, aspect, seed, kind],
        **shared,
    }
    run_all: dict[str, Any] = {
        **shared,
        "fn": partial(shell.html_or_error_card, all_of_them),
        "inputs": [story, seed, kind],
    }
    shell.one_at_a_time(
        {
            go.click: ({}, run),
            story.submit: ({}, run),
            another.click: ({"fn": lambda value: int(value or 0) + 1, "inputs": seed, "outputs": seed}, run),
            every.click: ({}, run_all),
            example.click: ({"fn": lambda: (_EXAMPLE, "roc"), "outputs": [story, kind]}, run),
        }
    )
    aspect.change(
        partial(_meaning, lab), inputs=aspect, outputs=meaning, api_visibility="private", queue=False,
        show_progress="hidden",
    )  # fmt: skip


if __name__ == "__main__":
    laboratory = Lab(Scorer(fetch_resources=wordnet.fetch_or_retry, threads=threads_each()))
    laboratory.start()
    shell.launch(build(laboratory), "perturbation_lab")
