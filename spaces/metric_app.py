"""A metric's own Space: its example, one story to try, and its card; published as `app.py` beside the metric's module.

It stands alone there, as evaluate's convention has it (`evaluate.utils.launch_gradio_widget` needs an older Gradio).
"""

from __future__ import annotations

import html
import inspect
import re
from pathlib import Path
from typing import Any

import evaluate
import gradio as gr

HERE = Path(__file__).absolute().parent
MAX_CHARACTERS = 10_000
_LABELS = {"predictions": "Story", "contexts": "Beginning or prompt", "references": "Reference"}


def module_file(folder: Path = HERE) -> Path:
    """The metric's module: the one Python file of the folder that defines an `evaluate.Metric`.

    Raises:
        ValueError: there is none, or more than one.
    """
    found = [path for path in sorted(folder.glob("*.py")) if _defines_metric(path)]
    if len(found) != 1:
        raise ValueError(f"{folder}: expected one file with a subclass of evaluate.Metric, got {len(found)}")
    return found[0]


def _defines_metric(path: Path) -> bool:
    return (
        re.search(r"^class \w+\([^)]*\bevaluate\.Metric\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        is not None
    )


def columns(module: Any) -> list[str]:
    """The text columns that the metric takes, `predictions` first; none where it takes other things, or more."""
    if not getattr(module, "on_a_page", True):
        return []
    choices = module.features if isinstance(module.features, list) else [module.features]
    names = list(dict.fromkeys(name for choice in choices for name in choice))
    return names if set(names) <= set(_LABELS) else []


def read_card(folder: Path = HERE) -> str:
    """The card without its front matter."""
    return re.sub(
        r"\A---\n.*?\n---\n", "", (folder / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )


def compute(module: Any, names: list[str], texts: tuple[Any, ...]) -> dict[str, Any]:
    """The metric's result for one row.

    Raises:
        gr.Error: a text that is absent or too long, as a sentence.
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
    accepted = inspect.signature(module._compute).parameters
    options = {"show_progress": False} if "show_progress" in accepted else {}
    try:
        found = module.compute(**rows, **options)
    except ValueError as error:
        raise gr.Error(html.escape(str(error)), print_exception=False) from None
    except Exception as error:
        raise gr.Error("Something went wrong here. Please try again.", print_exception=False) from error
    return {key: value for key, value in found.items() if isinstance(value, int | float | list | dict | str)}


def build(folder: Path = HERE) -> gr.Blocks:
    """The page: fields for the columns where the metric reads texts, and the card."""
    name = module_file(folder).stem
    module = evaluate.load(str(module_file(folder)))
    names = columns(module)
    with gr.Blocks(title=name, analytics_enabled=False) as demo:
        gr.Markdown(f"# {name}\n{html.escape(' '.join((module.description or '').split()))}")
        if names:
            fields = [
                gr.Textbox(label=_LABELS[column], lines=5 if column == "predictions" else 2)
                for column in names
            ]
            button = gr.Button("Score", variant="primary")
            shown = gr.JSON(label="Result")
            button.click(
                lambda *texts: compute(module, names, texts), inputs=fields, outputs=shown, api_name="score"
            )
        gr.Markdown(read_card(folder))
    return demo


if __name__ == "__main__":
    build().queue(default_concurrency_limit=1).launch(ssr_mode=False, show_error=False, footer_links=["api"])
