"""The Space's pages and its API: `python -m spaces.leaderboard.app`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from openmeva.spaces import shell
from openmeva.spaces.leaderboard import views
from openmeva.spaces.leaderboard.own_metric import COMMAND, place
from openmeva.spaces.leaderboard.reporting import report
from openmeva.spaces.limits import MAX_COLUMNS, MAX_SCORES
from openmeva.spaces.tables import READABLE_ENDINGS, read_uploads
from openmeva.training.benchmark.data.sets import TEST_SETS, test_set
from openmeva.training.paths import RESULTS

_LEAD = "How well metrics agree with human judgments of stories, and which perturbations they detect."
_MEASURES = {"pearson": "Pearson with the label", "pair_wins": "Pairs won"}
_HELP = (
    '<div class="om om-card om-blank" style="padding:22px"><p>A CSV, TSV, JSONL or Parquet file with a column <code>score</code> '
    f"(higher is better) or up to {MAX_COLUMNS} columns of scores, one row per story, at most 2 MB. With <code>story_id</code> (and "
    "<code>aspect</code> for AUTOS) rows may be in any order. For judged sets add <code>judgment</code>, the mean "
    "rating, and if known <code>prompt</code> (or <code>context</code>) and <code>source_model</code>: the judgments are "
    "distributed by their authors and are not shipped. If there is a column <code>ratings</code> or <code>…_score</code>, "
    "<code>score</code> is read as the human judgment, not as a metric. Nothing is stored.</p><p>Sets that are too large or "
    f"not available here are not offered: <code>{COMMAND}</code> reports on them on your machine.</p></div>"
)


def data_folder() -> Path | None:
    """The folder of the judged sets on this machine, from `OPENMEVA_DATA`; `None` where there is none."""
    folder = os.environ.get("OPENMEVA_DATA")
    return Path(folder) if folder and Path(folder).is_dir() else None


def build(results: Mapping[str, Any]) -> gr.Blocks:
    """The Space's Blocks."""
    judged = [(result["title"], name) for name, result in results["judged"].items()]
    autos = [(result["title"], name) for name, result in results["autos"].items()]
    with shell.page("leaderboard", _LEAD) as demo:
        with gr.Tabs():
            with gr.Tab("Judgments"):
                _judged(results, judged)
            with gr.Tab("Perturbations"):
                _autos(results, autos)
            with gr.Tab("Your metric"):
                _placing(results, [*judged, *(one for one in autos if _is_placed(results, one[1]))])
        gr.api(_api(results), api_name="place", concurrency_id="placing")
    return demo


def _is_placed(results: Mapping[str, Any], name: str) -> bool:
    """Whether scores of a part of AUTOS can be placed: it is small enough and available."""
    return results["autos"][name]["n"] <= MAX_SCORES and test_set(name).is_available(None)


def table(results: Mapping[str, Any], name: str, measure: str, mine: Sequence[Mapping[str, Any]] = ()) -> str:
    """The table of a set, judged or of AUTOS.

    Raises:
        ValueError: a set without results.
    """
    if name in results["judged"]:
        return views.judged_table(results["judged"][name], measure, mine)
    if name in results["autos"]:
        return views.autos_table(results["autos"][name], measure, mine)
    raise ValueError("There are no results for this set yet.")


def _judged(results: Mapping[str, Any], sets: list[tuple[str, str]]) -> None:
    first = sets[0][1]
    with gr.Row():
        chosen = gr.Radio(sets, value=first, label="Stories", min_width=300)
        measure = gr.Radio(
            [(title, name) for name, (title, _) in views.COEFFICIENTS.items()],
            value="pearson",
            label="Coefficient",
            min_width=300,
        )
    shown = gr.HTML(table(results, first, "pearson"))
    _redraw(results, chosen, measure, shown)


def _autos(results: Mapping[str, Any], sets: list[tuple[str, str]]) -> None:
    first = sets[0][1]
    with gr.Row():
        chosen = gr.Radio(sets, value=first, label="Test", min_width=300)
        measure = gr.Radio(
            [(title, name) for name, title in _MEASURES.items()],
            value="pearson",
            label="Measure",
            min_width=300,
        )
    shown = gr.HTML(table(results, first, "pearson"))
    _redraw(results, chosen, measure, shown)


def _redraw(results: Mapping[str, Any], chosen: gr.Radio, measure: gr.Radio, shown: gr.HTML) -> None:
    for field in (chosen, measure):
        field.change(
            partial(shell.html_or_error_card, partial(table, results)),
            inputs=[chosen, measure],
            outputs=shown,
            api_visibility="private",
            queue=False,
            show_progress="hidden",
        )


def _placing(results: Mapping[str, Any], sets: list[tuple[str, str]]) -> None:
    chosen = gr.Dropdown(sets, value=sets[0][1], label="Scores of", filterable=False)
    upload = gr.File(
        label="File of scores: CSV, TSV, JSONL or Parquet",
        file_types=[ending for ending in READABLE_ENDINGS if ending != ".txt"],  # a score needs a column
        file_count="single",
        type="filepath",
        height=120,
    )
    go = gr.Button("Place", variant="primary")
    shown = gr.HTML(_HELP)

    def placed(file: shell.Upload, name: str) -> Iterator[tuple[Any, Any]]:
        def html() -> str:
            result = results["judged"].get(name)
            digest = result["judgments"] if result else None
            (rows,) = read_uploads(shell.upload_path(file))
            mine = place(name, rows, data_folder(), digest)
            more = report(name, rows, data_folder(), digest)
            return views.placed(mine, result) + more + table(results, name, "pearson", mine)

        yield gr.skip(), shell.update_value(None)  # at once: another file may be chosen meanwhile
        yield shell.update_value(shell.html_or_error_card(html)), gr.skip()

    go.click(
        placed,
        inputs=[upload, chosen],
        outputs=[shown, upload],
        preprocess=False,
        api_visibility="private",
        concurrency_id="placing",
        concurrency_limit=1,  # Matplotlib's settings are those of the whole process
        show_progress="minimal",
        show_progress_on=shown,
    )


def _api(results: Mapping[str, Any]) -> Any:
    @shell.user_errors
    def place_(scores: list[dict], set_name: str = "autos_mini_discrimination") -> dict:
        """Correlates a metric's scores with the labels or human judgments of a set; nothing is stored.

        Args:
            scores: one object per story: score (higher is better); story_id (and aspect for AUTOS) unless in the
                set's order; for judged sets judgment and prompt (or context), unless this server has them.
            set_name: mans_roc, mans_wp, autos_mini_discrimination, autos_mini_invariance, …
        """
        if not isinstance(scores, list) or not all(isinstance(row, dict) for row in scores):
            raise ValueError("Expected a list of objects such as {'score': 0.5}.")
        if not isinstance(set_name, str):
            raise ValueError(f"set_name: expected a name, got {type(set_name).__name__}.")
        digest = results["judged"].get(set_name, {}).get("judgments")
        (found,) = place(set_name, scores, data_folder(), digest, most=1)
        return found

    return place_


def read_results(path: Path = RESULTS) -> dict[str, Any]:
    """The results that `spaces.leaderboard.collect` wrote, sets in the benchmark's order."""
    results = json.loads(path.read_text(encoding="utf-8"))
    order = list(TEST_SETS)

    def place_of(name: str) -> tuple[int, str]:
        return order.index(name.partition(":")[0]), name  # the part after the colon is a criterion

    for part in ("judged", "autos"):
        results[part] = {name: results[part][name] for name in sorted(results[part], key=place_of)}
    return results


if __name__ == "__main__":
    shell.launch(build(read_results()), "leaderboard")
