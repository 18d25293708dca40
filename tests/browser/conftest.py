"""The three Spaces, each started from its published folder only, and a Chromium that reports errors."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Response, expect, sync_playwright

from openmeva.spaces.layout import ROOT, lay_out

NAMES = ("story_scorer", "perturbation_lab", "leaderboard")
PATIENCE = 240_000  # milliseconds: a machine may be busy with other work
expect.set_options(timeout=PATIENCE)
SIZES = {"desktop": (1280, 900), "phone": (390, 844), "small phone": (360, 740)}
SCREENSHOTS = ROOT / ".cache" / "screenshots"


@dataclass
class Site:
    """A running Space: its address, and Gradio's folder for uploads."""

    name: str
    url: str
    uploads: Path
    process: subprocess.Popen[bytes]


@dataclass
class Watched:
    """A page with its logged errors, contacted hosts, and requests cancelled too early (see `_too_early`)."""

    page: Page
    errors: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)


def chromium() -> str:
    """The browser's path.

    Raises:
        RuntimeError: there is none; names the package.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not path:
        raise RuntimeError("Chromium is needed: install the package chromium (apt-get install chromium)")
    return path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Site]]:
    """All Spaces, running without network: offline flags, and a proxy that does not exist."""
    base = tmp_path_factory.mktemp("spaces")
    ports = {name: _free_port() for name in NAMES}
    running: dict[str, Site] = {}
    for name in NAMES:
        folder = lay_out(name, base / name)
        uploads = base / f"{name}-uploads"
        environment = {
            **{key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ},
            "GRADIO_SERVER_PORT": str(ports[name]),
            "GRADIO_TEMP_DIR": str(uploads),
            "HF_HOME": str(base / "hf"),
            "HF_HUB_OFFLINE": "1",
            "HF_EVALUATE_OFFLINE": "1",
            "HTTP_PROXY": "http://127.0.0.1:9",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1,localhost",
            "NLTK_DATA": os.environ.get("NLTK_DATA", str(ROOT / ".resources" / "nltk_data")),
            **{f"{space.upper()}_URL": f"http://127.0.0.1:{port}" for space, port in ports.items()},
        }
        with (base / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "app.py"], cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        running[name] = Site(name, f"http://127.0.0.1:{ports[name]}", uploads, process)
    try:
        for site in running.values():
            _wait(site, base / f"{site.name}.log")
        yield running
    finally:
        for site in running.values():
            site.process.terminate()
        for site in running.values():
            site.process.wait(30)


def _wait(site: Site, log: Path) -> None:
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        if site.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(site.url, timeout=10):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    raise RuntimeError(
        f"{site.name} did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-3000:]}"
    )


def _too_early(response: Response) -> bool:
    """Whether a page cancelled a request just made, whose number it does not have yet; this is harmless."""
    return response.status == 422 and response.url.endswith(("/cancel", "/reset"))


@pytest.fixture(scope="session")
def context() -> Iterator[BrowserContext]:
    """One context for all tests, so that Gradio's scripts are fetched and compiled once; pages store nothing in it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        browser_context = browser.new_context(reduced_motion="reduce", accept_downloads=True)
        browser_context.set_default_timeout(PATIENCE)
        yield browser_context
        browser.close()


@pytest.fixture
def visit(sites: dict[str, Site], context: BrowserContext) -> Iterator[Callable[..., Page]]:
    """Opens a Space: `visit("story_scorer", "phone", dark=True)`.

    When the test is over, no page may have logged an error or asked another host.
    """
    watched: list[Watched] = []

    def open_page(name: str, size: str = "desktop", dark: bool = False, path: str = "/") -> Page:
        width, height = SIZES[size]
        tracked = Watched(context.new_page())
        tracked.page.set_viewport_size({"width": width, "height": height})
        tracked.page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        watched.append(tracked)
        tracked.page.on("console", lambda m: tracked.errors.append(m.text) if m.type == "error" else None)
        tracked.page.on("response", lambda r: tracked.cancelled.append(r.url) if _too_early(r) else None)
        tracked.page.on("pageerror", lambda error: tracked.errors.append(str(error)))
        tracked.page.on("request", lambda request: tracked.hosts.add(request.url.split("/", 3)[2]))
        tracked.page.goto(sites[name].url + path)
        tracked.page.get_by_role("heading", level=1).wait_for()
        return tracked.page

    yield open_page
    local = {site.url.split("/")[2] for site in sites.values()} | {""}
    for tracked in watched:
        hosts = {
            host for host in tracked.hosts if not host.startswith(("text", "application"))
        }  # data: addresses
        tracked.page.close()
        for _ in tracked.cancelled:
            tracked.errors.remove(next(error for error in tracked.errors if "status of 422" in error))
        assert tracked.errors == []
        assert hosts <= local


def upload(page: Page, given: Path, field: Locator | None = None) -> None:
    """Gives a file to the first field, or that one, and waits until Gradio lists it.

    The list's cell is named by the file; while it is being uploaded, its name stands elsewhere, for a moment only.
    """
    (field or page.locator("input[type=file]").first).set_input_files(given)
    expect(page.get_by_role("cell", name=given.name)).to_be_visible()


def shoot(page: Page, name: str) -> None:
    """A screenshot of the whole page, saved in `.cache/screenshots`."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)
    assert (SCREENSHOTS / f"{name}.png").stat().st_size > 10_000


# Gradio fades content that it is about to replace; meanwhile, colours are not the final ones.
_SETTLED = """() => [...document.querySelectorAll('.om')].every((one) => {
  for (let part = one; part; part = part.parentElement) if (getComputedStyle(part).opacity !== '1') return false;
  return true;
})"""


def check_accessible(page: Page, settled: bool = True) -> None:
    """No serious finding of axe, whose script comes with a package; colours are checked only if the page has `settled`."""
    from axe_playwright_python.sync_playwright import Axe

    if settled:
        page.wait_for_function(_SETTLED)
    rules = {"color-contrast": {"enabled": settled}}
    result = Axe().run(page, options={"resultTypes": ["violations"], "rules": rules})
    serious = [
        f"{violation['id']}: {violation['help']} ({', '.join(node['html'][:120] for node in violation['nodes'][:4])})"
        for violation in result.response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert serious == []


def check_width(page: Page) -> None:
    """Nothing overflows the width of the page."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
