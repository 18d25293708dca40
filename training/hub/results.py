"""The figures of a model card: correlations with human judgments, with intervals, as the benchmark printed them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from training.benchmark.checkpoints import checkpoint_digest
from training.benchmark.registry import read_registry

RESULTS = Path("spaces/leaderboard/results.json")  # what `python -m spaces.leaderboard.collect` writes
_HEADING = "### Agreement with people"


def read_results(root: Path) -> dict[str, Any] | None:
    """The leaderboard's results in a checkout; `None` where there are none."""
    path = root / RESULTS
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def add_results(body: str, metric: str, folder: Path, results: Mapping[str, Any]) -> str:
    """A card's body with the figures at the end of its section Results; as it is where there is no such section.

    Args:
        body: of the card of a configuration's weights.
        metric: the metric's name.
        folder: of the weights, in the checkout.
        results: of `read_results`.
    """
    section = re.search(r"^## Results\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL)
    if section is None:
        return body
    text = judgment_section(metric, folder, results)
    return f"{body[: section.end()].rstrip()}\n\n{text}\n\n{body[section.end() :]}" if text else body


def judgment_section(metric: str, folder: Path, results: Mapping[str, Any]) -> str:
    """A table of the configuration's rows on the judged sets; empty where the benchmark has none.

    Figures of other weights are not shown: the section then says that these have not been measured.
    """
    lines = []
    for entry in read_registry().values():
        if entry.folder.name != metric:
            continue
        for found in results["judged"].values():
            if entry.configs.get(found["corpus"]) != folder.name:
                continue
            rows = {row["title"]: row for row in found["rows"] if row["kind"] == "ours"}
            lines += [
                f"| {found['title']} ({found['n']}) | {title} | {_cell(rows[title], 'pearson')} | "
                f"{_cell(rows[title], 'spearman')} |"
                for title in entry.rows
                if title in rows
            ]
    if not lines:
        return ""
    if results.get("weights", {}).get(f"{metric}/{folder.name}") != checkpoint_digest(folder):
        return f"{_HEADING}\n\nNot measured: these weights are newer than the last run of `make benchmark`."
    return "\n".join(
        [
            f"{_HEADING}\n",
            "Correlations with the mean human judgment and 95 % intervals by bootstrap over prompts, as "
            "`make benchmark` prints them. Of MANS, half the prompts.\n",
            "| stories | score | Pearson | Spearman |",
            "|---|---|---|---|",
            *lines,
        ]
    )


def _cell(row: Mapping[str, Any], coefficient: str) -> str:
    """A figure with its interval.

    >>> _cell({"pearson": 0.288, "intervals": {"pearson": [0.21, 0.36]}}, "pearson")
    '.288 [.21, .36]'
    """
    value, ends = row.get(coefficient), row.get("intervals", {}).get(coefficient)
    if value is None:
        return "–"
    return _short(value, 3) + (f" [{_short(ends[0], 2)}, {_short(ends[1], 2)}]" if ends else "")


def _short(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("0.", ".", 1)
