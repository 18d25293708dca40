"""A metric's own Space: fields to score one story, and its card; published as `app.py` next to the metric's module.

The file is self-contained, as is evaluate's convention (`evaluate.utils.launch_gradio_widget` needs an older Gradio).
"""

from __future__ import annotations

import html
import inspect
import logging
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
from evaluate.loading import evaluation_module_factory, import_main_class

HERE = Path(__file__).absolute().parent
MAX_CHARACTERS = 10_000
# seconds between attempts to fetch the weights at the start; the client retries within each attempt
RETRY_PAUSES = (10, 30)
# the page has no uploads, but Gradio accepts files all the same: largest size, and, in seconds, when they are deleted
MAX_UPLOAD_SIZE = "1kb"
UPLOAD_LIFETIME = (300, 3600)  # interval between clearings, and age at which a file is deleted
_LATER = "The weights could not be fetched when this page started; pressing “Score” tries again."
_LOG = logging.getLogger(__name__)
_LABELS = {"predictions": "Story", "contexts": "Beginning or prompt", "references": "Reference"}


def module_file(folder: Path = HERE) -> Path:
    """The metric's module: the one Python file of the folder that defines an `evaluate.Metric`.

    Raises:
        ValueError: there is none, or more than one.
    """
    files = [path for path in sorted(folder.glob("*.py")) if _defines_metric(path)]
    if len(files) != 1:
        raise ValueError(f"{folder}: expected one file with a subclass of evaluate.Metric, got {len(files)}")
    return files[0]


def _defines_metric(path: Path) -> bool:
    return (
        re.search(r"^class \w+\([^)]*\bevaluate\.Metric\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        is not None
    )


def load(file: Path) -> Any:
    """The metric without its weights, which `fetch` downloads: its inputs are known even if the weights are unavailable.

    Its rows stay in memory, so that no visitor's story is written to disk.
    """
    source = evaluation_module_factory(str(file))
    return import_main_class(source.module_path)(hash=source.hash, keep_in_memory=True)


def fetch(module: Any, pauses: Sequence[float] = (), sleep: Callable[[float], object] = time.sleep) -> bool:
    """Fetches the weights: once, and again after each of the pauses (seconds). Returns whether it succeeded."""
    for pause in (0, *pauses):
        if pause:
            sleep(pause)
        try:
            module.download_and_prepare()
        except Exception as error:  # the Hub fails in many ways; the next attempt may succeed
            _LOG.warning("the weights could not be fetched: %s: %s", type(error).__name__, error)
        else:
            return True
    return False


def input_columns(module: Any) -> list[str]:
    """The text columns that the metric takes, `predictions` first; empty where it takes any other column."""
    if not getattr(module, "runs_in_space", True):
        return []
    choices = module.features if isinstance(module.features, list) else [module.features]
    kinds = {name: kind for choice in choices for name, kind in choice.items()}
    return list(kinds) if set(kinds) <= set(_LABELS) and all(map(_is_text, kinds.values())) else []


def _is_text(kind: Any) -> bool:
    """Whether a column holds texts or lists of texts."""
    return getattr(getattr(kind, "feature", kind), "dtype", None) == "string"


def read_card(folder: Path = HERE) -> str:
    """The card without its front matter."""
    return re.sub(
        r"\A---\n.*?\n---\n", "", (folder / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )


def compute(module: Any, names: list[str], texts: tuple[Any, ...]) -> dict[str, Any]:
    """The metric's result for one row.

    Raises:
        gr.Error: a text that is needed and absent, or too long, as a sentence.
    """
    rows = {}
    for name, text in zip(names, texts, strict=True):
        if len(text or "") > MAX_CHARACTERS:
            raise gr.Error(
                f"{_LABELS[name]}: please give at most {MAX_CHARACTERS:,} characters.", print_exception=False
            )
        if (text or "").strip():
            rows[name] = [text]
    if "predictions" not in rows:
        raise gr.Error("Please type or paste a story.", print_exception=False)
    if missing := [_LABELS[name] for name in getattr(module, "required", ()) if name not in rows]:
        raise gr.Error(f"Please fill in: {', '.join(missing)}.", print_exception=False)
    accepted = inspect.signature(module._compute).parameters
    options = {"show_progress": False} if "show_progress" in accepted else {}
    try:
        result = module.compute(**rows, **options)
    except ValueError as error:
        raise gr.Error(html.escape(str(error)), print_exception=False) from None
    except Exception as error:
        raise gr.Error("Something went wrong here. Please try again.", print_exception=False) from error
    return {key: value for key, value in result.items() if isinstance(value, int | float | list | dict | str)}


def build(
    folder: Path = HERE, pauses: Sequence[float] = RETRY_PAUSES, sleep: Callable[[float], object] = time.sleep
) -> gr.Blocks:
    """The page: fields for the columns where the metric reads texts, and the card.

    Where the weights cannot be fetched (arguments as in `fetch`), the page says so, and each click tries again.
    """
    file = module_file(folder)
    name, module = file.stem, load(file)
    names = input_columns(module)
    is_ready = fetch(module, pauses, sleep)

    def score(*texts: Any) -> dict[str, Any]:
        nonlocal is_ready
        is_ready = is_ready or fetch(module)
        if not is_ready:
            raise gr.Error(
                "The weights could not be fetched from the Hub. Please try again in a minute.",
                print_exception=False,
            )
        return compute(module, names, texts)

    with gr.Blocks(title=name, analytics_enabled=False, delete_cache=UPLOAD_LIFETIME) as demo:
        gr.Markdown(f"# {name}\n{html.escape(' '.join((module.description or '').split()))}")
        if names:
            fields = [
                gr.Textbox(label=_LABELS[column], lines=5 if column == "predictions" else 2)
                for column in names
            ]
            if not is_ready:
                gr.Markdown(_LATER)
            button = gr.Button("Score", variant="primary")
            shown = gr.JSON(label="Result")
            button.click(score, inputs=fields, outputs=shown, api_name="score")
        gr.Markdown(read_card(folder))
    return demo


def launch(folder: Path = HERE) -> Any:
    """Serves the page; neither the server nor the browser keeps the input."""
    return (
        build(folder)
        .queue(default_concurrency_limit=1)
        .launch(
            ssr_mode=False,
            show_error=False,
            run_history=False,
            max_file_size=MAX_UPLOAD_SIZE,
            footer_links=["api"],
        )
    )


if __name__ == "__main__":
    launch()
