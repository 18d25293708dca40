"""Outputs of the pages' events, their cancelling of each other, and the deletion of uploads."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from openmeva.spaces.catalogue import read_catalogue
from openmeva.spaces.leaderboard.app import build as leaderboard
from openmeva.spaces.leaderboard.app import read_results
from openmeva.spaces.limits import MAX_SCORES
from openmeva.spaces.perturbation_lab import views as lab_views
from openmeva.spaces.perturbation_lab.app import build as perturbation_lab
from openmeva.spaces.perturbation_lab.lab import Lab
from openmeva.spaces.story_scorer import app, views
from openmeva.spaces.story_scorer.examples import BARE, EXAMPLES
from openmeva.spaces.story_scorer.markup import metric_name
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.perturbations import PerturbationMaterial
from tests.spaces.test_scorer import FakeScorer
from tests.spaces.test_verdicts import STORY, OneScore

Events = list[Any]


@pytest.fixture(scope="module")
def scorer_page() -> gr.Blocks:
    return app.build(FakeScorer())


@pytest.fixture(scope="module")
def lab_page() -> gr.Blocks:
    return perturbation_lab(Lab(FakeScorer()))


def block(page: gr.Blocks, name: str) -> Any:
    """The first component of that label, or button of that text."""
    texts = (
        (component, getattr(component, "label", None) or getattr(component, "value", None))
        for component in page.blocks.values()
    )
    return next(component for component, text in texts if text == name)


def events(page: gr.Blocks, name: str, event: str = "click") -> Events:
    """The events of a component, in the order in which a page runs them."""
    return [listener for listener in page.fns.values() if (block(page, name)._id, event) in listener.targets]


def after(page: gr.Blocks, first: Any) -> Any:
    (following,) = [listener for listener in page.fns.values() if listener.trigger_after == first._id]
    return following


def cancelled(listeners: Events) -> set[int]:
    return {index for listener in listeners for index in listener.cancels}


def test_external_links_open_in_a_new_tab(scorer_page: gr.Blocks) -> None:
    lab = Lab(FakeScorer())
    lab._cached_materials, lab._has_wordnet = (PerturbationMaterial(0), PerturbationMaterial(1)), True
    (head,) = (
        component.value
        for component in scorer_page.blocks.values()
        if 'aria-label="Spaces"' in str(getattr(component, "value", ""))
    )
    union = read_catalogue()["union"]
    case = lab_views.case(lab.case(STORY, "lexical_repetition", 1, "roc"))
    links = re.findall('<a [^>]*href="http[^>]*>', head + metric_name(union, union.numbers[0]) + case)
    in_new_tab = ['target="_blank" rel="noopener"' in link for link in links]
    assert ["aria-current=page" in link for link in links] == [not is_external for is_external in in_new_tab]
    assert (len(in_new_tab), sum(in_new_tab)) == (6, 5)


SCORER = [("Score", "click"), ("Story", "submit"), *((name, "click") for name in EXAMPLES)]
PAIR = [("Compare", "click"), ("Take an example", "click")]
LAB = [
    ("Story", "submit"),
    *((name, "click") for name in ("Perturb", "Another", "All aspects", "Take the example")),
]


@pytest.mark.parametrize(
    ("page", "triggers"),
    [("scorer_page", SCORER), ("scorer_page", PAIR), ("lab_page", LAB)],
    ids=["one", "two", "lab"],
)
def test_latest_run_cancels_earlier_runs(
    page: str, triggers: list[tuple[str, str]], request: pytest.FixtureRequest
) -> None:
    blocks = request.getfixturevalue(page)
    runs = {trigger: after(blocks, events(blocks, *trigger)[0]) for trigger in triggers}
    for trigger, own in runs.items():
        first, *later = events(blocks, *trigger)
        assert not first.queue, "a page waits for the run of a listener, and cancels after it"
        assert own.trigger_mode == "always_last", "a second click is not lost"
        others = {run._id for run in runs.values() if run is not own}
        assert others == cancelled(later) & {run._id for run in runs.values()}


def test_new_story_cancels_pending_answers(scorer_page: gr.Blocks) -> None:
    """The contents of accordions, and a story passed on by the lab."""
    opens = {
        listener._id
        for listener in scorer_page.fns.values()
        if any(event == "expand" for _, event in listener.targets)
    }
    (load,) = [
        listener
        for listener in scorer_page.fns.values()
        if any(event == "load" for _, event in listener.targets)
    ]
    filled_from_address = after(scorer_page, load)._id
    assert len(opens) == 2
    for trigger in [*SCORER, ("Clear", "click")]:
        assert {*opens, filled_from_address} <= cancelled(events(scorer_page, *trigger))
    runs = {after(scorer_page, events(scorer_page, *trigger)[0])._id for trigger in SCORER}
    assert runs <= cancelled(events(scorer_page, "Clear"))
    (verdict,) = [
        component
        for component in scorer_page.blocks.values()
        if getattr(component, "value", None) == views.BLANK
    ]
    changes = [
        listener for listener in scorer_page.fns.values() if (verdict._id, "change") in listener.targets
    ]
    assert opens == cancelled(changes), "what was opened while the next verdict was awaited"


def test_pair_example_replaces_all_fields(scorer_page: gr.Blocks) -> None:
    first = events(scorer_page, "Take an example")[0]
    assert first.fn() == (BARE, EXAMPLES["Out of order"][1].story, "", "", "roc")
    assert first.outputs == after(scorer_page, first).inputs


@pytest.fixture
def upload(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], dict[str, Any]]:
    """Creates a file as Gradio does, and returns what a page sends for it."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))

    def given(content: str) -> dict[str, Any]:
        path = tmp_path / "digest" / "stories.txt"
        path.parent.mkdir()
        path.write_text(content, encoding="utf-8")
        return {"path": str(path)}

    return given


class Counting(OneScore):
    asked = 0

    def score(self, texts: Any, corpus: str, only: Any = None, due: Any = None) -> Any:
        self.asked += len(texts)
        return super().score(texts, corpus)


def test_stopped_file_is_not_scored_further(upload: Callable[[str], dict[str, Any]], tmp_path: Path) -> None:
    scorer = Counting()
    (event,) = events(app.build(scorer), "Score the file")
    steps = event.fn(gr.Progress(), upload(f"{STORY}\n" * 40), "roc")
    assert next(steps)[1]["value"] is None, "the field is free for another file"
    next(steps)
    next(steps)
    assert 0 < scorer.asked < 40
    asked = scorer.asked
    steps.close()
    assert scorer.asked == asked
    assert list(tmp_path.iterdir()) == [], "neither the file nor its folder is kept"


def test_all_rows_of_a_file_are_shown(upload: Callable[[str], dict[str, Any]]) -> None:
    (event,) = events(app.build(OneScore()), "Score the file")
    *_, (shown, _) = event.fn(gr.Progress(), upload(f"{STORY}\n" * 120), "roc")
    assert "120 stories scored" in shown["value"]
    assert shown["value"].count("<tr>") == 121


def test_bad_file_shows_an_error_message(upload: Callable[[str], dict[str, Any]]) -> None:
    (event,) = events(app.build(OneScore()), "Score the file")
    *_, (shown, _) = event.fn(gr.Progress(), upload(""), "roc")
    assert "no rows" in shown["value"]


@pytest.mark.parametrize(
    ("build", "name", "values"),
    [
        (lambda: app.build(OneScore()), "Compare the systems", (gr.Progress(), None, None, "roc")),
        (lambda: leaderboard(read_results()), "Place", (None, "mans_roc")),
    ],
)
def test_upload_fields_are_cleared_before_files_are_read(
    build: Callable[[], gr.Blocks], name: str, values: tuple[Any, ...]
) -> None:
    page = build()
    (event,) = events(page, name)
    first, last = event.fn(*values)
    assert [update["value"] for update in first[1:]] == [None] * (len(first) - 1)
    assert "choose a file" in last[0]["value"]
    assert not any("value" in update for update in last[1:]), "another file may have been chosen"


def test_every_offered_set_accepts_scores() -> None:
    results = read_results()
    offered = [name for _, name in block(leaderboard(results), "Scores of").choices]
    assert {*results["judged"], "autos_mini_discrimination", "autos_mini_invariance"} <= {*offered}
    assert all(results["autos"][name]["n"] <= MAX_SCORES for name in offered if name in results["autos"])
    small = {name for name, result in results["autos"].items() if result["n"] <= MAX_SCORES}
    assert {*offered} - {*results["judged"]} == {name for name in small if TEST_SETS[name].is_available(None)}


def test_clicks_do_not_create_empty_files(scorer_page: gr.Blocks) -> None:
    """Gradio's preprocessing of files creates an empty one each time."""
    for page in (scorer_page, leaderboard(read_results())):
        with_files = [
            listener for listener in page.fns.values() if any(isinstance(i, gr.File) for i in listener.inputs)
        ]
        assert with_files
        assert not any(listener.preprocess for listener in with_files)
