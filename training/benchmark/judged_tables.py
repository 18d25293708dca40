"""The tables of one judged set: correlations, agreement, pairs of metrics, error types, drift, levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.training.benchmark.cells import number, p_value, with_interval
from openmeva.training.benchmark.render import Table

_KINDS = (("ours", "this project"), ("released", "released scores"), ("trivial", "trivial"))


def correlations(name: str, found: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """A judged set: the three coefficients with intervals, beside the paper's."""
    printed = published["correlations"].get(name, {"rows": {}, "note": ""})
    columns = ["", "Pearson [95 %]", "Spearman [95 %]", "Kendall τ-b [95 %]"]
    columns += ["paper r", "ρ", "τ"] if printed["rows"] else []
    note = (
        f"{found['n']} stories, {found['prompts']} prompts; intervals by bootstrap over prompts. "
        "† does not beat the strongest trivial row (the interval of the paired difference reaches 0)."
    )
    if "noise_ceiling" in found:
        top = found["noise_ceiling"]["ceiling"]
        note += f" Noise ceiling: {', '.join(f'{c} {number(top[c], 2)}' for c in COEFFICIENTS)}."
    if printed["rows"]:
        note += f" Right: {printed['note']}."
    table = Table(f"{found['title']}: correlation with human judgments", columns, note=note)
    shown = set()
    for kind, label in _KINDS:
        table.rule()
        for title, row in found["rows"].items():
            if row["kind"] != kind:
                continue
            cells = [_marked(row, coefficient) for coefficient in COEFFICIENTS]
            plain = title.removesuffix(" (released)")
            if printed["rows"]:
                cells += _printed(printed["rows"].get(plain) if kind != "trivial" else None)
                shown.add(plain)
            table.add(f"{title} ({label})" if kind == "ours" else title.replace("_", "-"), *cells)
    table.rule()
    for title, figures in printed["rows"].items():
        if title not in shown:
            table.add(f"{title} (paper)", "", "", "", *_printed(figures), faint=True)
    return table


def _marked(row: Mapping[str, Any], coefficient: str) -> str:
    if "undefined" in row:
        return "undefined"
    beaten = row.get("beats_trivial", {}).get(coefficient, {}).get("beats", True)
    return with_interval(row, coefficient) + ("" if beaten else " †")


def _printed(figures: Mapping[str, float] | None) -> list[str]:
    digits = 2 if figures and all(round(value, 2) == value for value in figures.values()) else 4
    return [number(figures.get(name), digits) if figures and name in figures else "" for name in COEFFICIENTS]


def overview(judged: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """Agreement of the raters of each judged set, and the noise ceiling."""
    table = Table(
        "Human judgments: agreement and noise ceiling",
        ["", "stories", "α ordinal", "α interval", "paper α", "Fleiss’ κ", "paper κ", "ICC(1)", "ICC(1,k)",
         "Kendall’s W", "split half r", "ceiling r"],
        note="Krippendorff’s α above .8 is reliable, .67 to .8 allows tentative conclusions (OpenMEVA, Table "
        "9). Kendall’s W needs to know who rated what; MANS was released with ratings sorted by story.",
    )  # fmt: skip
    for name, found in judged.items():
        agreement, ceiling = found.get("agreement", {}), found.get("noise_ceiling", {})
        printed = published["agreement"].get(name, {})
        table.add(
            found["title"],
            str(found["n"]),
            *(number(agreement.get(key)) for key in ("krippendorff_ordinal", "krippendorff_interval")),
            number(printed.get("krippendorff"), 2),
            number(agreement.get("fleiss_kappa")),
            number(printed.get("fleiss_kappa"), 2),
            *(number(agreement.get(key)) for key in ("icc_one_way", "icc_one_way_mean", "kendall_w")),
            number(ceiling.get("split_half", {}).get("pearson")),
            number(ceiling.get("ceiling", {}).get("pearson")),
        )
    return table


def pairs(found: Mapping[str, Any]) -> Table:
    """The best metric against each other one, by paired tests."""
    pairs = found["pairs"]
    table = Table(
        f"{found['title']}: {pairs.get('best', '')} against each other metric",
        ["", "Δ Pearson [95 %]", "Williams t", "p", "p (Holm)", "Steiger Z", "p", "bootstrap p"],
        note="Paired tests on the same stories; Williams and Steiger take stories for independent, the "
        "bootstrap draws prompts.",
    )
    for name, test in pairs.get("against", {}).items():
        williams, steiger = test["williams"], test["steiger"]
        bootstrap = test["bootstrap"]["pearson"]
        ends = bootstrap["interval"]
        table.add(
            name,
            number(test["difference"]["pearson"])
            + (f" [{number(ends[0], 2)}, {number(ends[1], 2)}]" if ends else ""),
            f"{williams['t']:.2f}" if "t" in williams else "–",
            p_value(williams.get("p_value")),
            p_value(williams.get("holm")),
            f"{steiger['z']:.2f}" if "z" in steiger else "–",
            p_value(steiger.get("p_value")),
            p_value(bootstrap["p_value"]),
        )
    return table


def by_part(name: str, found: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[Table]:
    """Error types (OpenMEVA Table 3, UNION Table 7) and source models (Table 4)."""
    for section, key, inner, title in (
        ("error_types", "by_error_type", "types", "reasonable stories against one error type"),
        ("model_drift", "model_drift", "by_source", "by source model"),
    ):
        parts = {t: s[key][inner] for t, s in found["sections"].items() if key in s}
        if not parts:
            continue
        columns = list(dict.fromkeys(column for cells in parts.values() for column in cells))
        printed = published[section].get(name, {"rows": {}, "columns": [], "note": ""})
        note = "Pearson [95 %]."
        if section == "error_types":
            first = next(iter(parts))
            counts = ", ".join(f"{c} {parts[first][c]['unreasonable']}" for c in columns)
            reasonable = found["sections"][first][key]["reasonable"]
            note += f" Stories: reasonable {reasonable}, {counts}."
        if printed["rows"]:
            note += f" In italics: {printed['note']}."
        extra = ["macro"] if section == "model_drift" else []
        table = Table(f"{found['title']}: {title}", ["", *columns, *extra], note=note)
        for title_, cells in parts.items():
            macro = [number(found["sections"][title_][key]["macro"]["pearson"])] if extra else []
            table.add(
                title_, *(with_interval(cells.get(column, {}), "pearson") for column in columns), *macro
            )
        for title_, figures in printed["rows"].items():
            by_column = dict(zip(printed["columns"], figures, strict=True))
            table.add(
                f"{title_} (paper)",
                *(number(by_column.get(column)) for column in columns),
                *(["–"] if extra else []),
                faint=True,
            )
        yield table


def differences(found: Mapping[str, Any]) -> Table:
    """How a metric's score differences follow those of people (OpenMEVA, Figure 2)."""
    table = Table(
        f"{found['title']}: score differences between story sets",
        ["", "sets", "r²", "both significant", "human only", "metric only", "neither"],
        note="Sets of 200 consecutive stories sorted by judgment, stride 10; shares of the ordered pairs by "
        "what a t-test finds at p < .01 (OpenMEVA, Figure 2).",
    )
    for title, sections in found["sections"].items():
        one = sections.get("score_differences")
        if one:
            keys = ("both", "human_only", "metric_only", "neither")
            regions = [number(one["regions"][key], 2) for key in keys]
            table.add(title, str(one["sets"]), number(one["r2"], 2), *regions)
    return table


def levels(found: Mapping[str, Any]) -> Table:
    """Correlation over the whole set, within prompts and between systems."""
    table = Table(
        f"{found['title']}: levels of the correlation (Pearson)",
        [
            "",
            "dataset",
            "within prompts",
            "between systems",
            "human-written",
            "machine-written",
            "share of ceiling",
        ],
    )
    for title, sections in found["sections"].items():
        apart = sections.get("human_and_machine", {})
        table.add(
            title,
            number(sections["pearson"]),
            number(sections.get("prompt_level", {}).get("pearson")),
            number(sections.get("system_level", {}).get("pearson")),
            number(apart.get("human", {}).get("pearson")),
            number(apart.get("machine", {}).get("pearson")),
            number(sections.get("noise_ceiling", {}).get("share", {}).get("pearson"), 2),
        )
    return table


def quality(judged: Mapping[str, Any]) -> Table:
    """Correlation on sets biased to low or high quality (UNION, section 4.4)."""
    table = Table(
        "Quality drift: Pearson on sets biased to low (1) or high (8) quality",
        ["", *map(str, range(1, 9))],
        note="Mean over 200 draws, ± standard deviation (UNION, section 4.4).",
    )
    for found in judged.values():
        table.rule()
        for title, sections in found["sections"].items():
            cells = [
                f"{number(one['pearson'], 2)} ±{number(one['sd'], 2)}" for one in sections["quality_drift"]
            ]
            table.add(f"{title}, {found['title']}", *cells)
    return table
