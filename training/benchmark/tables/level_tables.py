"""The tables of a judged set besides pooled correlation: within prompts, between systems, pairwise, standings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.training.benchmark.results.levels import MIN_COMPLETE_PROMPTS
from openmeva.training.benchmark.results.titles import OURS, RELEASED, TRIVIAL, printed_title
from openmeva.training.benchmark.tables.number_format import (
    format_number,
    format_p_value,
    format_with_interval,
)
from openmeva.training.benchmark.tables.render import Table

ROW_KINDS = ((OURS, "this project"), (RELEASED, "released scores"), (TRIVIAL, "trivial"))


def rows_by_kind(result: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Kind, title as printed, and row: this project's rows first, then released and trivial ones."""
    for kind, label in ROW_KINDS:
        for title, row in result["rows"].items():
            if row["kind"] == kind:
                yield kind, f"{title} ({label})" if kind == OURS else printed_title(title, kind), row


def within_prompts(name: str, result: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """Means over prompts, next to results published at this level."""
    printed = published["judges"]["within_prompts"].get(name, {"rows": {}, "note": ""})
    columns = [
        "",
        "Pearson [95 %]",
        "Spearman [95 %]",
        "Kendall τ-b [95 %]",
        "ρ with zeros",
        "prompts",
        "dropped",
    ]
    columns += ["published r", "ρ"] if printed["rows"] else []
    note = (
        "Mean over prompts of the correlation among the stories of one prompt: does the metric rank these stories "
        "correctly? 1 is perfect, 0 is chance. Dropped: prompts where metric or judgments are constant. With zeros: "
        "dropped prompts count as 0. Prompts with fewer than three stories are excluded."
    )
    if printed["rows"]:
        note += f" Right: {printed['note']}, on the whole set."
    table = Table(f"{result['title']}: within prompts", columns, note=note)
    last = ""
    for kind, title, row in rows_by_kind(result):
        level = row.get("within_prompts", {"undefined": ""})
        if "undefined" in level:
            continue
        if kind != last:
            table.rule()
        last = kind
        cells = [format_with_interval(level, coefficient) for coefficient in COEFFICIENTS]
        counts = [
            format_number(level["with_zeros"]["spearman"]),
            str(level["prompts"]),
            str(level["dropped"]),
        ]
        table.add(title, *cells, *counts, *(["", ""] if printed["rows"] else []))
    if table.rows:
        table.rule()
        for title, figures in printed["rows"].items():
            values = [
                format_number(figures[key]) if key in figures else "" for key in ("pearson", "spearman")
            ]
            table.add(f"{title} (published)", *[""] * 6, *values, faint=True)
    return table


def between_systems(result: Mapping[str, Any]) -> Table:
    """Coefficients over the systems' means, and pairwise accuracy of systems."""
    levels = [row["between_systems"] for row in _with(result, "between_systems")]
    first = levels[0] if levels else {"systems": 0}
    table = Table(
        f"{result['title']}: between systems",
        ["", "Pearson [95 %]", "Spearman [95 %]", "Kendall τ-b [95 %]", "pairwise accuracy", "soft accuracy"],
        note=f"Mean score against mean judgment of {first['systems']} systems: does the metric rank the "
        "systems correctly? So few points are weak evidence, whatever the intervals. Pairwise accuracy: share of system "
        "pairs in the right order. Soft accuracy: how similar metric and people are in their confidence on each pair "
        f"(Thompson et al. 2024){_complete(first, result)}. 1 is perfect.",
    )
    for _, title, row in rows_by_kind(result):
        level = row.get("between_systems", {"undefined": ""})
        if "undefined" not in level:
            table.add(
                title,
                *(format_with_interval(level, coefficient) for coefficient in COEFFICIENTS),
                format_number(level["pairwise_accuracy"]),
                format_number(level.get("soft_accuracy")),
            )
    return table


def _complete(level: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """The prompts on which soft accuracy is computed, if not all, or why there is none."""
    complete = level.get("complete", result["prompts"])
    if complete < MIN_COMPLETE_PROMPTS:
        return f"; it needs {MIN_COMPLETE_PROMPTS} prompts with one story of each system, and there are {complete}"
    all_prompts = complete == result["prompts"]
    return (
        ""
        if all_prompts
        else f", on the {complete} of {result['prompts']} prompts with one story of each system"
    )


def accuracy(result: Mapping[str, Any]) -> Table:
    """Pairwise accuracy on stories, with calibrated ties."""
    table = Table(
        f"{result['title']}: pairwise accuracy on stories (acc-eq)",
        ["", "pooled", "without ties", "threshold", "within prompts", "without ties", "threshold"],
        note="Share of story pairs that metric and people order alike; a tie is an order, too. The metric ties if its "
        "scores differ by no more than the threshold, the best one on these stories (Deutsch et al. 2023). 1 is "
        "perfect. Without ties: threshold 0.",
    )
    for row_kind, title, row in rows_by_kind(result):
        parts = [row.get("accuracy"), row.get("within_prompts", {}).get("accuracy")]
        if row_kind == TRIVIAL or parts == [None, None]:
            continue
        cells: list[str] = []
        for part in parts:
            keys = ("value", "without_ties")
            cells += (
                [format_number(part[key]) for key in keys] + [f"{part['threshold']:.3g}"]
                if part
                else ["–"] * 3
            )
        table.add(title, *cells)
    return table


def standings_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Significance clusters and ranks, one table per level."""
    names = {"pooled": "pooled Pearson", "within_prompts": "Spearman within prompts, with zeros"}
    for level, standing in result.get("standings", {}).items():
        table = Table(
            f"{result['title']}: metrics by {names[level]}",
            ["", "cluster", "rank [95 %]", "first in", "p against the next"],
            note="A metric starts a new cluster if one of the cluster above is significantly better by PERM-BOTH, which "
            "exchanges the scores of whole prompts, and by the bootstrap over prompts (one-sided, p ≤ .05, not corrected for the "
            "number of metrics; p is the larger of the two). The interval of the rank, and how often the metric is first, "
            "are over bootstrap samples of prompts: a narrow interval means a reliable rank.",
        )
        current_cluster = 1
        for index, (title, cluster, rank) in enumerate(
            zip(standing["metrics"], standing["clusters"], standing["ranks"], strict=True)
        ):
            if cluster != current_cluster:
                table.rule()
            current_cluster = cluster
            p_value = standing["p_values"][index][index + 1] if index + 1 < len(standing["metrics"]) else None
            has_interval = rank["low"] is not None
            ends = f" [{rank['low']:g}, {rank['high']:g}]" if has_interval else ""
            first = f"{rank['first']:.0%}" if has_interval else "–"
            table.add(title, str(cluster), f"{rank['rank']:g}{ends}", first, format_p_value(p_value))
        yield table


def _with(result: Mapping[str, Any], level: str) -> list[Mapping[str, Any]]:
    return [row for row in result["rows"].values() if "undefined" not in row.get(level, {"undefined": ""})]
