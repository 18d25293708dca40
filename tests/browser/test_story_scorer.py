"""The story scorer in Chromium and through its API."""

import csv
import io
import json
import re
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import Page, expect

from openmeva.spaces.limits import MAX_CONCURRENT_USERS, MAX_ROWS
from openmeva.training.paths import STORIES
from openmeva.training.speed.crowd import load_test_stories
from tests.browser.conftest import Site, check_accessible, check_width, shoot, upload

pytestmark = pytest.mark.browser
Visit = Callable[..., Page]

STORY = "Ann was hungry. She made a sandwich. She ate it. She felt full. Then she took a nap."
HARM = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script> ${window.harmed=1} {{7*7}} went home.'


def wait_for_scores(page: Page) -> None:
    expect(page.locator(".om-metric").first).to_be_visible()
    expect(page.locator(".om-value").first).to_be_visible()


@pytest.mark.parametrize(("size", "dark"), [("desktop", False), ("desktop", True), ("phone", False)])
def test_example_is_scored_with_one_click(visit: Visit, size: str, dark: bool) -> None:
    page = visit("story_scorer", size, dark)
    page.get_by_role("button", name="Contradicts itself").click()
    wait_for_scores(page)
    story = page.get_by_role("region", name="Your story")
    expect(story).to_contain_text("Nora thanked him and")  # the next words have tooltips
    expect(story.locator(".om-faults")).to_contain_text("A negation does not fit: sentences 2 and 4")
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict.get_by_role("heading", name="Something is wrong with it")).to_be_visible()
    expect(verdict).to_contain_text("of human stories")
    expect(verdict).to_contain_text("Agreement with people")
    expect(page.get_by_role("img", name="better than").first).to_be_visible()
    metrics = page.get_by_role("region", name="All metrics")
    expect(metrics).to_be_hidden()
    check_width(page)
    check_accessible(page)
    page.get_by_role("button", name="All metrics").click()
    expect(metrics).to_contain_text("It is blind to")
    expect(metrics).to_contain_text("UNION")
    check_width(page)
    check_accessible(page)
    page.get_by_role("button", name="All metrics").click()
    shoot(page, f"story_scorer-{size}{'-dark' if dark else ''}")


def test_page_works_by_keyboard_alone(visit: Visit) -> None:
    page = visit("story_scorer")
    page.get_by_label("Story", exact=True).focus()
    page.keyboard.type(STORY)
    page.keyboard.press("Shift+Enter")
    wait_for_scores(page)
    page.get_by_role("button", name="All metrics").focus()
    page.keyboard.press("Enter")
    hint = page.get_by_role("region", name="All metrics").locator(".om-tip").first
    hint.focus()
    expect(hint.get_by_role("note")).to_be_visible()
    page.keyboard.press("Escape")
    expect(hint.get_by_role("note")).to_be_hidden()


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("dark", [False, True])
def test_sentence_costs_of_good_story_are_shown_on_request(visit: Visit, size: str, dark: bool) -> None:
    """With the keyboard only."""
    page = visit("story_scorer", size, dark)
    page.get_by_label("Story", exact=True).focus()
    page.keyboard.insert_text(STORY)
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_role("region", name="Your story")).to_contain_text(STORY)
    costs = page.get_by_role("region", name="What each sentence costs")
    expect(costs).to_be_hidden()
    page.get_by_role("button", name="What each sentence costs").focus()
    page.keyboard.press("Enter")
    expect(costs).to_contain_text("costs the story (Plot coherence")
    check_width(page)
    check_accessible(page)
    shoot(page, f"story_scorer-costs-{size}{'-dark' if dark else ''}")


def test_typed_markup_is_shown_as_text(visit: Visit) -> None:
    page = visit("story_scorer")
    page.get_by_label("Story", exact=True).fill(f"Tom was late. {HARM}")
    page.get_by_role("button", name="Score", exact=True).click()
    wait_for_scores(page)
    shown = "".join(page.get_by_role("region", name="Your story").inner_text().split())
    assert "<imgsrc=xonerror=" in shown
    assert "${window.harmed=1}" in shown
    assert "{{7*7}}" in shown
    assert page.evaluate("window.harmed") is None


def test_invalid_story_shows_an_error_message(visit: Visit) -> None:
    page = visit("story_scorer")
    page.get_by_role("button", name="Score", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="The story is empty")).to_be_visible()
    page.get_by_label("Story", exact=True).fill("😀 🎉 🚗 1 2 3")
    page.get_by_role("button", name="Score", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="has no word in it")).to_be_visible()
    page.get_by_label("Story", exact=True).fill("a" * 10_001)
    page.get_by_role("button", name="Score", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="at most 10,000")).to_be_visible()


def test_text_too_short_for_a_story_is_flagged(visit: Visit) -> None:
    page = visit("story_scorer")
    page.get_by_label("Story", exact=True).fill("Hello")
    page.get_by_role("button", name="Score", exact=True).click()
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_contain_text("too short: 1 word")
    expect(verdict.get_by_role("heading", name="No verdict")).to_be_visible()


def test_two_stories_are_compared(visit: Visit) -> None:
    page = visit("story_scorer")
    page.get_by_role("tab", name="Two stories").click()
    page.get_by_role("button", name="Take an example").click()
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_contain_text("pair")  # of human stories, from which the noise is estimated
    page.locator("summary").click()
    table = page.get_by_role("region", name="Comparison").locator("table")
    expect(table).to_contain_text("UNION")
    expect(table.get_by_role("row").filter(has_text="UNION")).to_contain_text("first story")
    check_accessible(page)
    shoot(page, "story_scorer-two")


def test_uploaded_file_is_scored_and_downloaded(visit: Visit, sites: dict[str, Site], tmp_path: Path) -> None:
    given = tmp_path / "stories.csv"
    rows = [{"story_id": f"s{i}", "story": f"=HYPERLINK(1) {STORY}" if i == 0 else STORY} for i in range(3)]
    with given.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["story_id", "story"])
        writer.writeheader()
        writer.writerows(rows)
    page = visit("story_scorer")
    page.get_by_role("tab", name="A file").click()
    upload(page, given, page.locator("input[type=file]:visible, .tabitem:visible input[type=file]").first)
    page.get_by_role("button", name="Score the file").click()
    expect(page.get_by_role("heading", name="3 stories scored")).to_be_visible()
    check_accessible(page)
    table = page.get_by_role("region", name="Table of scores")
    page.get_by_label("Show the rows with").fill("hyperlink")
    expect(page.get_by_text("1 of 3 rows")).to_be_visible()
    expect(table.get_by_role("row")).to_have_count(2)
    page.get_by_label("Show the rows with").fill("")
    expect(table.get_by_role("row")).to_have_count(4)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    downloaded = list(
        csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig")))
    )
    assert [row["story_id"] for row in downloaded] == ["s0", "s1", "s2"]
    assert downloaded[0]["story"].startswith("'=HYPERLINK")
    assert 0 <= float(downloaded[1]["UNION"]) <= 1
    with page.expect_download() as download:
        page.get_by_role("link", name="Download JSONL").click()
    lines = [
        json.loads(line) for line in Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    ]
    assert [line["story"] for line in lines] == [row["story"] for row in rows]
    assert not list(sites["story_scorer"].uploads.rglob("*.csv")), "an upload is deleted when read"


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_two_systems_are_compared(visit: Visit, tmp_path: Path, size: str) -> None:
    page = visit("story_scorer", size)
    page.get_by_role("tab", name="Systems").click()
    rows = [json.loads(line) for line in STORIES.read_text(encoding="utf-8").splitlines()[:6]]
    for name, step in (("first", 1), ("second", -1)):
        given = tmp_path / f"{name}.jsonl"
        stories = [{"story_id": row["story_id"], "story": " ".join(row["sentences"][::step])} for row in rows]
        given.write_text("".join(json.dumps(row) + "\n" for row in stories), encoding="utf-8")
        fields = page.locator("input[type=file]")
        upload(page, given, fields.first if name == "first" else fields.last)
    page.get_by_role("button", name="Compare the systems").click()
    verdict = page.get_by_role("status", name="Verdict")
    expect(verdict).to_contain_text("on average over 6 pairs, 95 % interval")
    expect(page.get_by_role("region", name="Greatest differences")).to_contain_text("Second system")
    check_width(page)
    check_accessible(page)
    shoot(page, f"story_scorer-systems-{size}")


@pytest.mark.parametrize(
    ("tab", "button", "files"), [("A file", "Score the file", 1), ("Systems", "Compare the systems", 2)]
)
def test_stop_ends_the_work_on_files(visit: Visit, tmp_path: Path, tab: str, button: str, files: int) -> None:
    """And frees the only place for files: the next user's file is scored."""
    page = visit("story_scorer")
    page.get_by_role("tab", name=tab).click()
    fields = page.locator(".tabitem:visible input[type=file]")
    for count in (MAX_ROWS, 5):
        for index in range(files):
            given = tmp_path / f"{count}-{index}.txt"
            given.write_text("".join(f"{story}\n" for story in load_test_stories(count, seed=index)), "utf-8")
            upload(page, given, fields.last if index else fields.first)
        page.get_by_role("button", name=button).click()
        progress = page.get_by_text(re.compile(rf"\d+/{MAX_ROWS * files} stories"))
        if count == MAX_ROWS:
            expect(progress).to_be_visible()
            page.get_by_role("button", name="Stop").locator("visible=true").click()
            expect(progress).to_be_hidden()
    expect(
        page.get_by_text(f"{count} stories scored" if files == 1 else f"over {count} pairs")
    ).to_be_visible()


@pytest.mark.parametrize(
    ("name", "message"), [("texts.csv", "no column 'story'"), ("texts.pdf", "ends in .csv, .tsv, .jsonl")]
)
def test_bad_file_shows_a_single_error_message(visit: Visit, tmp_path: Path, name: str, message: str) -> None:
    given = tmp_path / name
    given.write_text("text\nhello\n", encoding="utf-8")
    page = visit("story_scorer")
    page.get_by_role("tab", name="A file").click()
    upload(page, given)
    page.get_by_role("button", name="Score the file").click()
    expect(page.get_by_role("alert").filter(has_text=message)).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(1)
    check_width(page)
    check_accessible(page)


@pytest.mark.parametrize(("size", "dark"), [("desktop", False), ("phone", True)])
def test_waiting_user_sees_queue_position(
    visit: Visit, sites: dict[str, Site], size: str, dark: bool
) -> None:
    page = visit("story_scorer", size, dark)
    for story in load_test_stories(MAX_CONCURRENT_USERS + 12, seed=len(size)):
        api_request = urllib.request.Request(
            f"{sites['story_scorer'].url}/gradio_api/call/score",
            json.dumps({"data": [story, "", "", "roc"]}).encode(),
            {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(api_request, timeout=60).close()
    page.get_by_role("button", name="A sound story").click()
    position = page.get_by_text(re.compile(r"queue: \d+/\d+")).first
    expect(position).to_be_visible()
    assert position.evaluate(_UNCUT)
    shoot(page, f"story_scorer-queue-{size}")
    check_accessible(page, settled=False)
    wait_for_scores(page)
    check_width(page)


# Whether an element is completely visible, not cut off by an enclosing element that hides overflow.
_UNCUT = """(part) => {
  const { left, right, top, bottom, height } = part.getBoundingClientRect();
  for (let one = part.parentElement; one; one = one.parentElement) {
    const box = one.getBoundingClientRect();
    if (getComputedStyle(one).overflowY === "hidden" && (top < box.top || bottom > box.bottom)) return false;
  }
  return height > 10 && left >= 0 && right <= window.innerWidth;
}"""


def test_api_scores_stories_and_rejects_invalid_input(sites: dict[str, Site]) -> None:
    client = Client(sites["story_scorer"].url, verbose=False)
    answer = client.predict(
        story="She made a sandwich. She ate it.", context="Ann was hungry.", api_name="/score"
    )
    assert (answer["warning"], answer["verdict"]["words"] != "") == (None, True)
    scores = {item["name"]: item for item in answer["scores"]}
    assert 0 <= scores["UNION"]["score"] <= 1
    assert scores["UNION"]["better"] == "higher"
    assert [item["text"] for item in answer["sentences"]] == [
        "Ann was hungry.",
        "She made a sandwich.",
        "She ate it.",
    ]
    longer = client.predict(story=STORY, kind="wp", api_name="/score")
    assert {item["name"] for item in longer["scores"]} == set(scores)
    for arguments, message in (({"story": " "}, "empty"), ({"story": STORY, "kind": "news"}, "roc, wp")):
        with pytest.raises(AppError, match=message):
            client.predict(**arguments, api_name="/score")
    quick = client.predict(story=STORY, api_name="/verdict")
    assert quick["score"]["metric"] == "plot_coherence"
    assert quick["words"] == client.predict(story=STORY, api_name="/score")["verdict"]["words"]
    assert set(client.view_api(return_format="dict")["named_endpoints"]) == {"/score", "/verdict"}
