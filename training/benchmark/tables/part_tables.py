"""The tables of parts of a judged set: by error type, by system, by quality, and human against machine stories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.training.benchmark.tables.number_format import (
    error_type_rule,
    few_stories_note,
    format_number,
    format_with_interval,
)
from openmeva.training.benchmark.tables.render import Table

# What scores are correlated with, on the stories of one error type and the reasonable ones.
CORRELATED_WITH = {
    "labels": "with 1 for a reasonable story and 0 for a story with that error type only",
    "ratings": "with the ratings of reasonable stories and of stories with that error type, alone or among others",
}


def part_tables(name: str, result: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[Table]:
    """Error types (OpenMEVA Table 3, UNION Table 7) and source models (Table 4); only the paper's rows if none can be computed."""
    for section, key, inner, title in (
        ("error_types", "by_error_type", "types", "reasonable stories against one error type"),
        ("model_drift", "model_drift", "by_source", "by source model"),
    ):
        parts = {t: s[key][inner] for t, s in result["sections"].items() if key in s}
        columns = list(dict.fromkeys(column for cells in parts.values() for column in cells))
        printed = published[section].get(name, {"rows": {}, "columns": [], "note": ""})
        note = "Pearson [95 %]."
        if not columns:  # no error type that enough raters agree on, or none known
            parts, columns = {}, printed["columns"]
            note = "Pearson; these stories lack the annotations needed to compute it here."
        if not columns:
            continue
        if section == "error_types" and parts:
            first = next(iter(parts))
            agreed = result["sections"][first][key]
            numbers = {"reasonable": agreed["reasonable"]}
            numbers |= {column: parts[first][column]["unreasonable"] for column in columns}
            counts = ", ".join(f"{kind} {number}" for kind, number in numbers.items())
            note = f"Pearson [95 %] of the score {CORRELATED_WITH[agreed['against']]}."
            note += f" Stories: {counts}; a story has an error type {error_type_rule(agreed['raters'])}"
            note += f"; {few}." if (few := few_stories_note(numbers)) else "."
        if printed["rows"]:
            note += f" In italics: {printed['note']}."
        extra = ["macro"] if section == "model_drift" else []
        digits = 2 if section == "model_drift" else 3  # as many as are printed, at most three
        table = Table(f"{result['title']}: {title}", ["", *columns, *extra], note=note)
        for title_, cells in parts.items():
            macro = [format_number(result["sections"][title_][key]["macro"]["pearson"])] if extra else []
            table.add(
                title_,
                *(format_with_interval(cells.get(column, {}), "pearson") for column in columns),
                *macro,
            )
        for title_, figures in printed["rows"].items():
            by_column = dict(zip(printed["columns"], figures, strict=True))
            table.add(
                f"{title_} (paper)",
                *(format_number(by_column.get(column), digits) for column in columns),
                *(["–"] if extra else []),
                faint=True,
            )
        yield table


def score_differences_table(name: str, result: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """How a metric's score differences follow those of human judgments (OpenMEVA, Figure 2), next to the paper's r²."""
    printed = published["differences"].get(name, {"rows": {}, "sets": 0, "note": ""})
    table = Table(
        f"{result['title']}: score differences between story sets",
        ["", "sets", "r²", "both significant", "human only", "metric only", "neither"],
        note="Sets of 200 consecutive stories sorted by judgment, stride 10. Last four columns: shares of the "
        "ordered pairs of sets by where a t-test is significant at p < .01 (OpenMEVA, Figure 2, has no region “metric only”)."
        + (f" In italics: {printed['note']}; here {result['n']:,} stories." if printed["rows"] else ""),
    )
    for title, sections in result["sections"].items():
        differences = sections.get("score_differences")
        if differences:
            keys = ("both", "human_only", "metric_only", "neither")
            regions = [format_number(differences["regions"][key], 2) for key in keys]
            table.add(title, str(differences["sets"]), format_number(differences["r2"], 2), *regions)
    for title, value in printed["rows"].items():
        table.add(f"{title} (paper)", str(printed["sets"]), format_number(value, 2), *[""] * 4, faint=True)
    return table


def human_machine_table(result: Mapping[str, Any]) -> Table:
    """Human- and machine-written stories separately, and the share of the noise ceiling reached, if there is one."""
    ceiling = result.get("noise_ceiling", {}).get("ceiling", {}).get("pearson")
    table = Table(
        f"{result['title']}: human- and machine-written stories separately (Pearson, pooled)",
        ["", "all", "human-written", "machine-written", "share of ceiling"],
        note="A metric that only distinguishes human from machine writing is high on all and near 0 on each part.",
    )
    for title, sections in result["sections"].items():
        parts = sections.get("human_and_machine", {})
        table.add(
            title,
            format_number(sections["pearson"]),
            format_number(parts.get("human", {}).get("pearson")),
            format_number(parts.get("machine", {}).get("pearson")),
            format_number(sections["pearson"] / ceiling if ceiling else None, 2),
        )
    return table


def quality_drift_table(judged: Mapping[str, Any]) -> Table:
    """Correlation on sets biased to low or high quality (UNION, section 4.4)."""
    table = Table(
        "Quality drift: Pearson on sets biased to low (1) or high (8) quality",
        ["", *map(str, range(1, 9))],
        note="Mean over 200 samples, ± standard deviation (UNION, section 4.4).",
    )
    for result in judged.values():
        table.rule()
        for title, sections in result["sections"].items():
            cells = [
                f"{format_number(sample['pearson'], 2)} ±{format_number(sample['sd'], 2)}"
                for sample in sections["quality_drift"]
            ]
            table.add(f"{title}, {result['title']}", *cells)
    return table
