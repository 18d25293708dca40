"""The leaderboard in Chromium and through its API."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import BrowserContext, Page, expect

from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.paths import RESULTS
from tests.browser.conftest import Site, check_accessible, check_width, shoot, upload

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]


def column(page: Page, table: str, index: int) -> list[float]:
    cells = page.get_by_role("region", name=table, exact=True).locator(f"tbody tr > :nth-child({index})")
    values = cells.evaluate_all("cells => cells.map((cell) => cell.dataset.value)")  # one query for all cells
    return [float(value) for value in values if value]


@pytest.mark.parametrize(("size", "dark"), [("desktop", False), ("desktop", True), ("phone", False)])
def test_tables_sort(visit: Visit, size: str, dark: bool) -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    title = results["judged"]["mans_roc"]["title"]
    page = visit("leaderboard", size, dark)
    name = f"Table: {title}"
    expect(page.get_by_role("region", name=name, exact=True)).to_contain_text("UNION")
    values = column(page, name, 2)
    kinds = [row["kind"] for row in results["judged"]["mans_roc"]["rows"]]
    assert len(values) == len(kinds) - kinds.count("paper")
    assert len(column(page, f"{name}, as printed", 2)) == kinds.count("paper")
    bar = (
        page.get_by_role("region", name=name, exact=True).locator("tbody td.om-bar svg").first.bounding_box()
    )
    assert bar is not None
    assert bar["x"] + bar["width"] <= page.viewport_size["width"], "the interval is seen without scrolling"
    assert values == sorted(values, reverse=True)
    head = page.get_by_role("region", name=name, exact=True).get_by_role("columnheader", name="Spearman")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert column(page, name, 4) == sorted(column(page, name, 4), reverse=True)
    head.get_by_role("button").press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert column(page, name, 4) == sorted(column(page, name, 4))
    check_width(page)
    check_accessible(page)
    shoot(page, f"leaderboard-{size}{'-dark' if dark else ''}")


def test_all_tabs_show_on_a_small_phone(visit: Visit, context: BrowserContext) -> None:
    """Gradio decides by widths measured before its font is loaded, and does not measure again."""
    context.route("**/*.woff2", lambda route: route.fulfill(status=200, body=b""))
    try:
        page = visit("leaderboard", "small phone")
        expect(page.get_by_role("tab")).to_have_text(["Judgments", "Perturbations", "Your metric"])
        page.get_by_role("tab", name="Your metric").click()
        expect(page.get_by_role("button", name="Place", exact=True)).to_be_visible()
        check_width(page)
    finally:
        context.unroute("**/*.woff2")


def test_other_sets_and_coefficients_can_be_selected(visit: Visit) -> None:
    page = visit("leaderboard")
    page.get_by_label("Kendall").check()
    measured = page.get_by_role("region", name="MANS-ROC", exact=True)
    expect(measured.get_by_role("columnheader", name="Kendall")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("tab", name="Perturbations").click()
    expect(page.get_by_role("region", name="Table: AUTOS mini, discrimination test")).to_contain_text(
        "lexical repetition"
    )
    page.get_by_label("Pairs won").check()
    expect(page.get_by_text("Pairs won").last).to_be_visible()
    check_accessible(page)


def test_uploaded_scores_are_ranked_and_deleted(visit: Visit, sites: dict[str, Site], tmp_path: Path) -> None:
    rows = TEST_SETS["autos_mini_discrimination"].read(None)
    given = tmp_path / "scores.jsonl"
    lines = [
        json.dumps({"score": -len(r["story"]), "story_id": r["story_id"], "aspect": r["aspect"]})
        for r in rows
    ]
    given.write_text("\n".join(lines), encoding="utf-8")
    page = visit("leaderboard")
    page.get_by_role("tab", name="Your metric").click()
    page.get_by_label("Scores of").click()
    page.get_by_role("option", name="AUTOS mini, discrimination test").click()
    upload(page, given)
    page.get_by_role("button", name="Place", exact=True).dblclick()  # counts as one click
    expect(page.locator("tr.om-you")).to_contain_text("your metric")
    page.wait_for_timeout(1_000)
    expect(page.locator("tr.om-you")).to_contain_text("your metric")
    check_accessible(page)
    shoot(page, "leaderboard-placed")
    assert not list(sites["leaderboard"].uploads.rglob("*.jsonl"))


def test_bad_file_shows_an_error_message(visit: Visit, tmp_path: Path) -> None:
    given = tmp_path / "scores.csv"
    given.write_text("score\nhigh\n", encoding="utf-8")
    page = visit("leaderboard", "phone")
    page.get_by_role("tab", name="Your metric").click()
    page.get_by_role("button", name="Place", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="choose a file")).to_be_visible()
    upload(page, given)
    page.get_by_role("button", name="Place", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="Row 1: expected a number")).to_be_visible()


def test_api_ranks_scores_and_rejects_invalid_input(sites: dict[str, Site]) -> None:
    client = Client(sites["leaderboard"].url, verbose=False)
    rows = TEST_SETS["autos_mini_invariance"].read(None)
    result = client.predict(
        scores=[{"score": len(row["story"])} for row in rows],
        set_name="autos_mini_invariance",
        api_name="/place",
    )
    assert set(result["aspects"]) >= {"typo", "synonym"}
    with pytest.raises(AppError, match="one for each row"):
        client.predict(scores=[{"score": 1}], set_name="autos_mini_invariance", api_name="/place")
    with pytest.raises(AppError, match="judgment"):
        client.predict(scores=[{"score": 1}] * 495, set_name="mans_roc", api_name="/place")
