"""The results of a model card: correlations with human judgments, with intervals, as printed by the benchmark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from huggingface_hub.repocard_data import EvalResult, eval_results_to_model_index

from openmeva.training.benchmark.data.registry import read_registry
from openmeva.training.benchmark.results.titles import OURS
from openmeva.training.benchmark.scoring.checkpoints import checkpoint_digest
from openmeva.training.benchmark.tables.number_format import format_number, format_with_interval
from openmeva.training.paths import RESULTS, ROOT

_TITLE = "Agreement with human judgments"
_HEAD = (
    "Correlations with the mean human judgment and 95 % intervals by bootstrap over prompts, as `make benchmark` "
    "prints them. MANS: half of the prompts."
)
_EVALUATE_NAMES = {"pearson": "pearsonr", "spearman": "spearmanr"}  # names of the modules of `evaluate`


def read_results(root: Path) -> dict[str, Any] | None:
    """The leaderboard's results in a checkout; `None` where there are none."""
    path = root / RESULTS.relative_to(ROOT)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def add_results(body: str, metric: str, configuration: str, root: Path, results: Mapping[str, Any]) -> str:
    """A model card's body with the results of its weights at the end of its section Results, where it has one.

    Args:
        body: body of the card of a configuration's weights.
        metric: name of the metric.
        configuration: name of the configuration.
        root: the checkout, to check that the results were measured with its weights.
        results: from `read_results`.
    """
    section = re.search(r"^## Results\n(.*?)(?=^## |\Z)", body, re.MULTILINE | re.DOTALL)
    table = judgment_table(metric, root, results, configuration)
    if section is None or not table:
        return body
    return f"{body[: section.end()].rstrip()}\n\n### {_TITLE}\n\n{table}\n\n{body[section.end() :]}"


def add_metric_results(body: str, metric: str, root: Path, results: Mapping[str, Any]) -> str:
    """A metric card's body with the results of all configurations before its section Limits; see `add_results`."""
    table = judgment_table(metric, root, results)
    limits = re.search(r"^## Limit", body, re.MULTILINE)
    if limits is None or not table:
        return body
    return f"{body[: limits.start()]}## {_TITLE}\n\n{table}\n\n{body[limits.start() :]}"


def judgment_table(
    metric: str, root: Path, results: Mapping[str, Any], configuration: str | None = None
) -> str:
    """The results of a metric, or of one of its configurations, on the judged sets; empty where there are none.

    Results of other weights than those in the checkout are not shown; a note then says so.
    """
    measured = list(_measured(metric, results, configuration))
    current = [m for m in measured if _is_current(metric, m.configuration, root, results)]
    lines = [
        f"| {m.judged_set['title']} ({m.judged_set['n']}) | {m.row['title']}, `{m.configuration}` | {cell(m.row, 'pearson')} | "
        f"{cell(m.row, 'spearman')} |"
        for m in current
    ]
    parts = []
    if lines:
        parts += [_HEAD, "\n".join(["| stories | score | Pearson | Spearman |", "|---|---|---|---|", *lines])]
    if len(current) < len(measured):
        parts.append("Weights that are newer than the last run of `make benchmark` are not measured.")
    return "\n\n".join(parts)


def model_index(
    hub_id: str, metric: str, configuration: str, root: Path, results: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The same results as `model-index`, the field of a card's front matter that the Hub shows beside a model.

    Values have three decimals. Empty where there are no results of the weights in the checkout.

    Args:
        hub_id: `organisation/name` of the model; MANS is named by its repository in that organisation.
        metric, configuration, root, results: as in `add_results`.
    """
    organisation, _, name = hub_id.rpartition("/")
    found = []
    for m in _measured(metric, results, configuration):
        if not _is_current(metric, configuration, root, results):
            continue
        is_mans = m.set_name.startswith("mans_")
        found += [
            EvalResult(
                task_type="text-classification",
                task_name="Agreement with human judgments of stories",
                dataset_type=f"{organisation}/mans" if is_mans else m.set_name,
                dataset_config=m.judged_set["corpus"] if is_mans else None,
                dataset_name=f"{m.judged_set['title']} ({m.judged_set['n']} stories)",
                metric_type=metric_type,
                metric_name=f"{m.row['title']}, {coefficient.capitalize()}",
                metric_value=round(m.row[coefficient], 3),
            )
            for coefficient, metric_type in _EVALUATE_NAMES.items()
            if m.row.get(coefficient) is not None
        ]
    return eval_results_to_model_index(name, found) if found else []


class _Measured(NamedTuple):
    """A row of the benchmark that was measured with one of a metric's configurations."""

    set_name: str
    judged_set: Mapping[str, Any]
    configuration: str
    row: Mapping[str, Any]


def _measured(metric: str, results: Mapping[str, Any], configuration: str | None) -> Iterator[_Measured]:
    """The rows of a metric on all judged sets, of one configuration or, if None, of all."""
    for entry in read_registry().values():
        if entry.folder.name != metric:
            continue
        for name, judged_set in results["judged"].items():
            own_configuration = entry.configs.get(judged_set["corpus"])
            if own_configuration is None or configuration not in (None, own_configuration):
                continue
            rows = {row["title"]: row for row in judged_set["rows"] if row["kind"] == OURS}
            for title in entry.rows:
                if title in rows:
                    yield _Measured(name, judged_set, own_configuration, rows[title])


def _is_current(metric: str, configuration: str, root: Path, results: Mapping[str, Any]) -> bool:
    folder = root / "metrics" / metric / "weights" / configuration
    if not (folder / "config.json").is_file():
        return True  # no trained weights
    return results.get("weights", {}).get(f"{metric}/{configuration}") == checkpoint_digest(folder)


def cell(row: Mapping[str, Any], coefficient: str) -> str:
    """A coefficient with its interval as in the benchmark's tables, with hyphens for minus signs.

    >>> cell({"pearson": 0.288, "intervals": {"pearson": [0.21, 0.36]}}, "pearson")
    '.288 [.21, .36]'
    """
    return format_with_interval(row, coefficient).replace("−", "-")


def format_correlation(value: float, digits: int) -> str:
    """A value as printed in the tables, but with an ASCII minus.

    >>> format_correlation(0.2881, 3), format_correlation(-0.1, 2)
    ('.288', '-.10')
    """
    return format_number(value, digits).replace("−", "-")
