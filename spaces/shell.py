"""The page layout shared by all Spaces: header, footer, theme, queue and error messages."""

from __future__ import annotations

import functools
import html
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.themes.utils.fonts import LocalFont
from gradio.utils import get_upload_folder

from openmeva.spaces.catalogue import CORPORA
from openmeva.spaces.limits import MAX_CONCURRENT_USERS, MAX_OPEN_PAGES, SCORING_THREADS
from openmeva.spaces.uploads import UPLOAD_LIFETIME, clearing

_HERE = Path(__file__).parent
_PUBLISHER = _HERE / "publisher.json"  # only in a published Space
_LOG = logging.getLogger(__name__)
NAMES = {
    "story_scorer": ("Story scorer", 7860),
    "perturbation_lab": ("Perturbation lab", 7861),
    "leaderboard": ("Leaderboard", 7862),
}
NEW_TAB = 'target="_blank" rel="noopener"'
"""Attributes of links to other pages. The Hub shows a Space in a frame, in which those pages refuse to load; on this page
the user's input would be lost."""
Upload = Mapping[str, Any] | None
"""The value of an upload field before Gradio's preprocessing, which would leave an empty file behind at each click."""


def space_url(name: str) -> str:
    """The address of another Space of this project: of the same owner on the Hub, or on this machine.

    An environment variable such as `STORY_SCORER_URL` takes precedence.
    """
    given = os.environ.get(f"{name.upper()}_URL")
    if given:
        return given.rstrip("/")
    owner = _owner()
    if owner:
        return f"https://{owner.lower()}-{name.replace('_', '-')}.hf.space"
    return f"http://127.0.0.1:{NAMES[name][1]}"


def card_url(metric: str) -> str:
    """The address of a metric's card on the Hub."""
    return f"https://huggingface.co/spaces/{_owner() or 'openmeva'}/{metric}"


def _owner() -> str:
    """The owner of the other Spaces: the publisher, as recorded at publication, else the owner of this Space; blank outside
    the Hub."""
    owner = os.environ.get("SPACE_ID", "").split("/")[0]
    if owner and _PUBLISHER.is_file():
        return str(json.loads(_PUBLISHER.read_text(encoding="utf-8"))["organisation"])
    return owner


@contextmanager
def page(name: str, lead: str) -> Iterator[gr.Blocks]:
    """A Space's Blocks with header and footer; components built inside the context are placed between them."""
    title = NAMES[name][0]
    links = "".join(
        f'<a href="{html.escape(space_url(other))}" {"aria-current=page" if other == name else NEW_TAB}>{text}</a>'
        for other, (text, _) in NAMES.items()
    )
    with gr.Blocks(
        title=f"{title} · openmeva", analytics_enabled=False, delete_cache=UPLOAD_LIFETIME
    ) as demo:
        gr.HTML(
            f'<header class="om om-top"><span class="om-mark">openmeva</span><h1>{title}</h1>'
            f'<nav aria-label="Spaces">{links}</nav><p class="om-lead">{lead}</p></header>'
        )
        yield demo
        gr.HTML(
            '<footer class="om om-foot"><p>Scores compare stories of one kind with each other; they do not grade '
            "people's writing. Your input is neither stored nor passed on. The reference scores are of validation stories, "
            "never of the judged test sets. English only.</p></footer>"
        )


def theme() -> gr.themes.Base:
    """Warm paper colours with one accent; a font that ships with Gradio, so that no other host is contacted.

    Most of the fonts that ship with Gradio lack the Latin letters.
    """
    accent = gr.themes.Color(
        c50="#eefaf8", c100="#d3f1ed", c200="#a9e3dc", c300="#78cfc6", c400="#46b3a9", c500="#1c8f87",
        c600="#0b6e69", c700="#0a5a56", c800="#0b4846", c900="#0b3b39", c950="#052423", name="teal",
    )  # fmt: skip
    base = gr.themes.Base(
        primary_hue=accent,
        secondary_hue=accent,
        neutral_hue="stone",
        radius_size="lg",
        text_size="md",
        font=(LocalFont("IBM Plex Sans", weights=(400, 700)), "ui-sans-serif", "system-ui", "sans-serif"),
        font_mono=("ui-monospace", "Consolas", "monospace"),
    )
    return base.set(
        body_background_fill="#f7f5f0",
        body_background_fill_dark="#191816",
        body_text_color="#1f2328",
        body_text_color_dark="#ecebe7",
        body_text_color_subdued="#57606a",
        body_text_color_subdued_dark="#b1aea6",
        block_background_fill="#ffffff",
        block_background_fill_dark="#22211f",
        block_border_color="#d9d6cf",
        block_border_color_dark="#3b3a37",
        block_label_text_color="#3d444d",
        block_label_text_color_dark="#cfccc5",
        block_title_text_color="#1f2328",
        block_title_text_color_dark="#ecebe7",
        block_info_text_color="#57606a",
        block_info_text_color_dark="#b1aea6",
        block_title_text_weight="600",
        input_background_fill="#ffffff",
        input_background_fill_dark="#1b1a18",
        input_placeholder_color="#6b7280",
        input_placeholder_color_dark="#a29f97",
        button_primary_background_fill="#0b6e69",
        button_primary_background_fill_hover="#0a5a56",
        button_primary_background_fill_dark="#0b6e69",
        button_primary_background_fill_hover_dark="#0d807a",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#ffffff",
        button_secondary_background_fill="#ece8df",
        button_secondary_background_fill_hover="#e1dccf",
        button_secondary_background_fill_dark="#33312d",
        button_secondary_background_fill_hover_dark="#413f3a",
        button_secondary_text_color="#1f2328",
        button_secondary_text_color_dark="#ecebe7",
    )


def launch(demo: gr.Blocks, name: str, **options: Any) -> Any:
    """Serves a Space. Requests wait in an unbounded queue; none is rejected."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    script, frame = ((_HERE / file).read_text(encoding="utf-8") for file in ("page.js", "page.css"))
    head = (
        f"<script>{script}</script><style>{frame}</style>"
        '<meta name="description" content="Scores for machine-written stories, with reasons.">'
    )
    # Gradio's analytics aggregate all past requests after each new one, which takes longer and longer: disabled.
    os.environ.setdefault("GRADIO_ANALYTICS_MAX_EVENTS", "1")
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000000")
    demo.queue(default_concurrency_limit=SCORING_THREADS, max_size=None, status_update_rate=1)
    hub = "SPACE_ID" in os.environ  # the Hub expects every Space on the same port
    defaults: dict[str, Any] = {
        "server_name": os.environ.get("GRADIO_SERVER_NAME", "0.0.0.0" if hub else "127.0.0.1"),
        "server_port": int(os.environ.get("GRADIO_SERVER_PORT", 7860 if hub else NAMES[name][1])),
    }
    return demo.launch(
        theme=theme(),
        css=(_HERE / "style.css").read_text(encoding="utf-8"),
        head=head,
        max_file_size="2mb",
        max_threads=2 * MAX_CONCURRENT_USERS,
        show_error=False,
        ssr_mode=False,
        run_history=False,  # otherwise the browser would keep the input
        state_session_capacity=MAX_OPEN_PAGES,
        app_kwargs={"lifespan": clearing},
        footer_links=["api", "settings"],
        **{**defaults, **options},
    )


def kind_radio(label: str, info: str | None = None) -> gr.Radio:
    """Radio buttons for short and longer stories."""
    return gr.Radio([(name, key) for key, name in CORPORA.items()], value="roc", label=label, info=info)


def one_at_a_time(
    steps: Mapping[Callable[..., Any], tuple[Mapping[str, Any], Mapping[str, Any]]], *others: Any
) -> list[Any]:
    """Runs that write to the same outputs, where only the answer to the last request may remain.

    A trigger cancels the runs of the other triggers. If its own run is still active, it is repeated afterwards.

    Args:
        steps: trigger, such as a button's `click`, to the arguments of a first step (which may be empty) and of the run
            after it. Without the first step a trigger would cancel too late: Gradio's pages wait for each listener before
            the next one, but not for the steps that follow a listener.
        others: further events that each trigger cancels.

    Returns:
        The events of the runs.
    """
    private: dict[str, Any] = {"api_visibility": "private", "queue": False}
    runs = {
        begin: begin(**{"fn": None, **first, **private}).then(trigger_mode="always_last", **run)
        for begin, (first, run) in steps.items()
    }
    for begin, own in runs.items():
        begin(None, cancels=[*(run for run in runs.values() if run is not own), *others], **private)
    return list(runs.values())


def update_value(value: Any) -> dict[str, Any]:
    """A value as an update, for components that otherwise receive only updates or `gr.skip`.

    Gradio keeps a component for each plain value that follows an update or `gr.skip`, as long as it keeps the page.
    """
    update: dict[str, Any] = gr.update(value=value)
    return update


def error_card(message: str) -> str:
    """An error message, announced to screen readers."""
    return f'<div class="om om-card om-error" role="alert"><p>{html.escape(message)}</p></div>'


def user_errors(work: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function of the API: a `ValueError` is shown to the user, other failures as a generic sentence.

    Only the type and place of other failures are logged, since a message may quote the user's input.
    """

    @functools.wraps(work)
    def wrapped(*values: Any) -> Any:
        try:
            return work(*values)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        except gr.Error:
            raise
        except Exception as error:
            raise gr.Error(log_unexpected_error(error), print_exception=False) from None

    return wrapped


def html_or_error_card(work: Callable[..., str], *values: Any) -> str:
    """The HTML that `work` returns for `values`, or an error card: for functions behind buttons."""
    try:
        return work(*values)
    except Exception as error:
        return exception_card(error)


def exception_card(error: Exception) -> str:
    """An error card: the message of a `ValueError`, for other failures a generic sentence."""
    return error_card(str(error) if isinstance(error, ValueError) else log_unexpected_error(error))


def upload_path(file: Upload) -> Path:
    """The file of an upload field.

    Raises:
        ValueError: no file, a deleted file, or a path outside Gradio's upload folder.
    """
    if not file:
        raise ValueError("Please choose a file first.")
    path, folder = Path(file["path"]).resolve(), Path(get_upload_folder()).resolve()
    if folder not in path.parents or not path.is_file():
        raise ValueError(
            "The file is no longer available: it is deleted an hour after its upload, and as soon as it, or the same file "
            "of another user, has been read. Please choose it again."
        )
    return path


def log_unexpected_error(error: Exception) -> str:
    """Logs an internal failure without the user's input, and returns the sentence to show."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    location = f"{traceback.tb_frame.f_code.co_filename}:{traceback.tb_lineno}" if traceback else "?"
    _LOG.error("%s at %s", type(error).__name__, location)
    return "Something went wrong here, not with your text. Please try again."
