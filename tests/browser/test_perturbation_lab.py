"""The perturbation lab in Chromium and through its API."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site, check_accessible, check_width, shoot

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]

STORY = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."


@pytest.mark.parametrize(("size", "dark"), [("desktop", False), ("desktop", True), ("phone", False)])
def test_the_example_is_perturbed_and_scored(visit: Visit, size: str, dark: bool) -> None:
    page = visit("perturbation_lab", size, dark)
    page.get_by_role("button", name="Take the example").click()
    changed = page.get_by_role("region", name="Changed story")
    expect(changed.locator(".om-story ins").first).to_be_visible()
    scores = page.get_by_role("region", name="Scores before and after")
    expect(scores).to_contain_text("UNION")
    expect(scores).to_contain_text("better (+) or worse (−)")
    check_width(page)
    check_accessible(page)
    shoot(page, f"perturbation_lab-{size}{'-dark' if dark else ''}")


def test_case_opens_in_story_scorer_and_downloads(visit: Visit, sites: dict[str, Site]) -> None:
    page = visit("perturbation_lab")
    page.get_by_role("button", name="Take the example").click()
    link = page.get_by_role("link", name="Open in the story scorer")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the case").click()
    case = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    address = link.get_attribute("href") or ""
    assert address.startswith(sites["story_scorer"].url)
    scorer = visit("story_scorer", path=address.removeprefix(sites["story_scorer"].url))
    expect(scorer.get_by_label("Story", exact=True)).to_have_value(case["story"])
    expect(scorer.locator(".om-metric").first).to_be_visible()


def test_all_aspects_are_applied_at_once(visit: Visit) -> None:
    page = visit("perturbation_lab")
    page.get_by_label("Story", exact=True).fill(STORY)
    page.get_by_role("button", name="All aspects").click()
    table = page.get_by_role("region", name="All aspects").locator("table")
    expect(table.locator("tbody tr")).to_have_count(13)
    scroll_area = page.get_by_role("region", name="All aspects").last
    assert scroll_area.evaluate("one => one.scrollWidth - one.clientWidth") <= 0, "no metric is cut off"
    expect(page.get_by_role("link", name="Download CSV")).to_be_visible()
    check_accessible(page)
    shoot(page, "perturbation_lab-all")


def test_invalid_or_unchangeable_story_shows_a_message(visit: Visit) -> None:
    page = visit("perturbation_lab")
    page.get_by_role("button", name="Perturb", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="The story is empty")).to_be_visible()
    page.get_by_label("Story", exact=True).fill("Ann ran. <b>He</b> sat.")
    page.get_by_label("Aspect").click()
    page.get_by_role("option", name="Causal relationship").click()
    page.get_by_role("button", name="Perturb", exact=True).click()
    expect(page.get_by_text("nothing to change")).to_be_visible()


def test_api_perturbs_reproducibly_and_rejects_invalid_input(sites: dict[str, Site]) -> None:
    client = Client(sites["perturbation_lab"].url, verbose=False)
    case = client.predict(story=STORY, aspect="typo", seed=1, api_name="/perturb")
    again = client.predict(story=STORY, aspect="typo", seed=1, api_name="/perturb")
    assert case == again
    assert case["story"] not in (None, STORY)
    assert case["expected"] == "as good"
    span = case["changed_spans"][0]
    assert STORY[: span["original_start"]] == case["story"][: span["start"]]
    assert {score["name"] for score in case["scores"] if score["after"] is not None} >= {"UNION"}
    for arguments, message in (
        ({"story": "", "aspect": "typo"}, "empty"),
        ({"story": STORY, "aspect": "none"}, "lexical_repetition"),
        ({"story": STORY, "aspect": "typo", "seed": -1}, "seed"),
    ):
        with pytest.raises(AppError, match=message):
            client.predict(**arguments, api_name="/perturb")
