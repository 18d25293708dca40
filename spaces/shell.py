"""The page that every Space is built in: header, footer, theme, queue and error messages."""

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
from openmeva.spaces.limits import AT_ONCE, MOST_ANSWERED, MOST_PAGES

_HERE = Path(__file__).parent
_PUBLISHER = _HERE / "publisher.json"  # in a published Space alone
_LOG = logging.getLogger(__name__)
NAMES = {
    "story_scorer": ("Story scorer", 7860),
    "perturbation_lab": ("Perturbation lab", 7861),
    "leaderboard": ("Leaderboard", 7862),
}
UPLOADS_LIVE = (300, 3600)  # seconds between clearings, and of a file's life, of Gradio's upload folder
APART = 'target="_blank" rel="noopener"'
"""Of links to other pages: the Hub shows a Space in a frame, which those refuse, and here what was typed would be lost."""
Upload = Mapping[str, Any] | None
"""What an upload field holds before Gradio's preprocessing, which would leave an empty file behind at each press."""


def address(name: str) -> str:
    """Where another Space of this project answers: beside this one on the Hub, or on this machine.

    An environment variable such as `STORY_SCORER_URL` goes first.
    """
    given = os.environ.get(f"{name.upper()}_URL")
    if given:
        return given.rstrip("/")
    owner = _owner()
    if owner:
        return f"https://{owner.lower()}-{name.replace('_', '-')}.hf.space"
    return f"http://127.0.0.1:{NAMES[name][1]}"


def card(metric: str) -> str:
    """The address of a metric's card on the Hub."""
    return f"https://huggingface.co/spaces/{_owner() or 'openmeva'}/{metric}"


def _owner() -> str:
    """Whose the other Spaces are: the publisher's, as publishing writes it; else of whom this one is; blank off the Hub."""
    owner = os.environ.get("SPACE_ID", "").split("/")[0]
    if owner and _PUBLISHER.is_file():
        return str(json.loads(_PUBLISHER.read_text(encoding="utf-8"))["organisation"])
    return owner


@contextmanager
def page(name: str, lead: str) -> Iterator[gr.Blocks]:
    """A Space's Blocks with head and foot; what is built inside stands between them."""
    title = NAMES[name][0]
    links = "".join(
        f'<a href="{html.escape(address(other))}" {"aria-current=page" if other == name else APART}>{text}</a>'
        for other, (text, _) in NAMES.items()
    )
    with gr.Blocks(title=f"{title} · openmeva", analytics_enabled=False, delete_cache=UPLOADS_LIVE) as demo:
        gr.HTML(
            f'<header class="om om-top"><span class="om-mark">openmeva</span><h1>{title}</h1>'
            f'<nav aria-label="Spaces">{links}</nav><p class="om-lead">{lead}</p></header>'
        )
        yield demo
        gr.HTML(
            '<footer class="om om-foot"><p>Scores compare stories of one kind with each other; they do not grade '
            "people's writing. Nothing that you type or upload is written down or passed on. The references are scores of validation "
            "stories, never of the judged test sets. English only.</p></footer>"
        )


def theme() -> gr.themes.Base:
    """Warm paper, one accent; a font that Gradio itself holds, so that no other host is asked.

    Of those it holds, most lack the Latin letters.
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
    """Serves a Space: requests wait in one line, as many as there are, and none is turned away."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    script, frame = ((_HERE / file).read_text(encoding="utf-8") for file in ("page.js", "page.css"))
    head = (
        f"<script>{script}</script><style>{frame}</style>"
        '<meta name="description" content="Scores for machine-written stories, with reasons.">'
    )
    # Gradio sums up all requests so far after each of them, which takes longer and longer: it need not know of any.
    os.environ.setdefault("GRADIO_ANALYTICS_MAX_EVENTS", "1")
    os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000000")
    demo.queue(default_concurrency_limit=AT_ONCE, max_size=None, status_update_rate=1)
    hub = "SPACE_ID" in os.environ  # which expects every Space at the same port
    defaults: dict[str, Any] = {
        "server_name": os.environ.get("GRADIO_SERVER_NAME", "0.0.0.0" if hub else "127.0.0.1"),
        "server_port": int(os.environ.get("GRADIO_SERVER_PORT", 7860 if hub else NAMES[name][1])),
    }
    return demo.launch(
        theme=theme(),
        css=(_HERE / "style.css").read_text(encoding="utf-8"),
        head=head,
        max_file_size="2mb",
        max_threads=2 * MOST_ANSWERED,
        show_error=False,
        ssr_mode=False,
        run_history=False,  # or the browser would keep what was typed
        state_session_capacity=MOST_PAGES,
        footer_links=["api", "settings"],
        **{**defaults, **options},
    )


def kind_radio(label: str, info: str | None = None) -> gr.Radio:
    """The choice between short and longer stories."""
    return gr.Radio([(name, key) for key, name in CORPORA.items()], value="roc", label=label, info=info)


def one_at_a_time(
    steps: Mapping[Callable[..., Any], tuple[Mapping[str, Any], Mapping[str, Any]]], *others: Any
) -> list[Any]:
    """Runs that show their answers in one place, where the answer that was asked for last is to stand.

    A trigger cancels the runs of the other triggers. Its own run, where that still goes on, is repeated after its end.

    Args:
        steps: by trigger, such as a button's `click`, the arguments of a first step, which may be none, and of the run
            after it. Without that step a trigger would cancel too late: Gradio's pages await each of its listeners before
            the next one, but not what follows a listener.
        others: further events that each trigger cancels.

    Returns:
        The runs.
    """
    private: dict[str, Any] = {"api_visibility": "private", "queue": False}
    runs = {
        begin: begin(**{"fn": None, **first, **private}).then(trigger_mode="always_last", **run)
        for begin, (first, run) in steps.items()
    }
    for begin, own in runs.items():
        begin(None, cancels=[*(run for run in runs.values() if run is not own), *others], **private)
    return list(runs.values())


def put(value: Any) -> dict[str, Any]:
    """A component's value, for one of which only an update or nothing comes at other times.

    Gradio keeps a component for each plain value that follows an update or `gr.skip`, as long as the page is remembered.
    """
    update: dict[str, Any] = gr.update(value=value)
    return update


def error_card(message: str) -> str:
    """A sentence on what went wrong, announced to screen readers."""
    return f'<div class="om om-card om-error" role="alert"><p>{html.escape(message)}</p></div>'


def sentences(work: Callable[..., Any]) -> Callable[..., Any]:
    """For functions of the API: what a user did wrong comes back as a sentence, other failures as a plain one.

    What failed is logged by its kind and place alone, since a message may quote what a user typed.
    """

    @functools.wraps(work)
    def guarded(*values: Any) -> Any:
        try:
            return work(*values)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        except gr.Error:
            raise
        except Exception as error:
            raise gr.Error(unexpected(error), print_exception=False) from None

    return guarded


def guarded(work: Callable[..., str], *values: Any) -> str:
    """The HTML that `work` makes of `values`, or a sentence in its place: for functions behind buttons."""
    try:
        return work(*values)
    except Exception as error:
        return told(error)


def told(error: Exception) -> str:
    """A failure as a card: a user's mistake by its own sentence, another by a plain one."""
    return error_card(str(error) if isinstance(error, ValueError) else unexpected(error))


def uploaded(file: Upload) -> Path:
    """The file behind an upload field.

    Raises:
        ValueError: no file, one that is gone, or a path that is not one of Gradio's own uploads.
    """
    if not file:
        raise ValueError("Please choose a file first.")
    path, folder = Path(file["path"]).resolve(), Path(get_upload_folder()).resolve()
    if folder not in path.parents or not path.is_file():
        raise ValueError(
            "The file is no longer here: it is deleted an hour after its upload, and as soon as it, or the same file of "
            "another user, is read. Please choose it again."
        )
    return path


def unexpected(error: Exception) -> str:
    """Logs a failure that is not the user's, without what was typed, and gives the sentence to show."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "?"
    _LOG.error("%s at %s", type(error).__name__, where)
    return "Something went wrong here, not with your text. Please try again."
