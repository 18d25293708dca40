"""The tables of one judged set: correlations, agreement, pairs of metrics, error types, drift, levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.training.benchmark.tables.level_tables import ROW_KINDS
from openmeva.training.benchmark.tables.number_format import (
    format_interval,
    format_number,
    format_p_value,
    format_with_interval,
)
from openmeva.training.benchmark.tables.render import Table

# What scores are correlated with, on the stories of one error type and the reasonable ones.
CORRELATED_WITH = {
    "labels": "with 1 for a reasonable story and 0 for a story with that error type only",
    "ratings": "with the ratings of reasonable stories and of stories with that error type, alone or among others",
}


def correlations(name: str, result: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """A judged set: the three coefficients pooled over stories, with intervals, next to the paper's results."""
    printed = published["correlations"].get(name, {"rows": {}, "note": ""})
    judges = published["judges"]["pooled"].get(name, {"rows": {}, "note": ""})
    columns = ["", "Pearson [95 %]", "Spearman [95 %]", "Kendall τ-b [95 %]"]
    columns += ["paper r", "ρ", "τ"] if printed["rows"] else []
    note = (
        f"Pooled over {result['n']} stories of {result['prompts']} prompts. 1 is perfect, 0 is chance. Intervals: "
        "bootstrap over prompts. † not significantly better than every trivial baseline (the interval of a paired "
        f"difference is not wholly above 0).{_reliability(result)}"
    )
    if printed["rows"]:
        notes = "; ".join(source["note"] for source in (printed, judges) if source["rows"])
        note += (
            f" Right: {notes}; on the whole sets, pooled as here. Rows of one name may differ in model and encoder; see "
            "training/PAPERS.md."
        )
    table = Table(f"{result['title']}: correlation with human judgments", columns, note=note)
    shown = set()
    for kind, label in ROW_KINDS:
        table.rule()
        for title, row in result["rows"].items():
            if row["kind"] != kind:
                continue
            cells = [_marked(row, coefficient) for coefficient in COEFFICIENTS]
            base_title = title.removesuffix(" (released)")
            if printed["rows"]:
                cells += _printed(printed["rows"].get(base_title) if kind != "trivial" else None)
                shown.add(base_title)
            table.add(f"{title} ({label})" if kind == "ours" else title.replace("_", "-"), *cells)
    table.rule()
    for title, figures in printed["rows"].items():
        if title not in shown:
            table.add(f"{title} (paper)", "", "", "", *_printed(figures), faint=True)
    for title, figures in judges["rows"].items():
        table.add(f"{title} (published)", "", "", "", *_printed(figures), faint=True)
    return table


def _reliability(result: Mapping[str, Any]) -> str:
    """Inter-rater agreement, and the noise ceiling of a metric."""
    agreement, text = result.get("agreement", {}), ""
    names = {
        "krippendorff_ordinal": "Krippendorff’s α (ordinal)",
        "krippendorff_interval": "α (interval)",
        "icc_one_way": "ICC(1,1)",
        "icc_one_way_mean": "ICC(1,k)",
    }
    figures = [
        f"{label} {format_number(agreement[key], 2)}" for key, label in names.items() if key in agreement
    ]
    if figures:
        text += f" Raters: {', '.join(figures)}."
    if "noise_ceiling" in result:
        top = result["noise_ceiling"]["ceiling"]
        text += f" Ceiling of a perfect metric: {', '.join(f'{c} {format_number(top[c], 2)}' for c in COEFFICIENTS)}."
    elif agreement and "noise_ceiling" in result.get("unavailable", {}):
        text += f" No ceiling is known; {result['unavailable']['noise_ceiling']}."
    return text


def _marked(row: Mapping[str, Any], coefficient: str) -> str:
    if "undefined" in row:
        return "undefined"
    beaten = row.get("beats_trivial", {}).get(coefficient, {}).get("beats")
    return format_with_interval(row, coefficient) + (" †" if beaten is False else "")


def _printed(figures: Mapping[str, float] | None) -> list[str]:
    digits = 2 if figures and all(round(value, 2) == value for value in figures.values()) else 4
    return [
        format_number(figures.get(name), digits) if figures and name in figures else ""
        for name in COEFFICIENTS
    ]


def reliability(judged: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """How reliable the judgments of each set are, and the ceilings that follow."""
    table = Table(
        "Human judgments: reliability and ceilings",
        ["", "stories", "α ordinal", "α interval", "paper α", "ICC(1,1)", "ICC(1,k)", "its ceiling", "split half r",
         "its ceiling", "Kendall’s W"],
        note="1 is perfect agreement, 0 is chance. Krippendorff’s α above .8 is reliable, .67 to .8 allows tentative "
        "conclusions (OpenMEVA, Table 9). The paper’s α is of all 1,000 stories of a set. ICC(1,1) is the reliability of one rating, ICC(1,k) that of a story’s mean "
        "rating. A ceiling is the Pearson correlation of a perfect metric: the square root of ICC(1,k), or of the "
        "split-half reliability after Spearman-Brown correction. All of these assume exchangeable raters. Kendall’s W "
        "needs rater identities; those of MANS are lost, since its ratings were released sorted within each story.",
    )  # fmt: skip
    for name, result in judged.items():
        agreement, ceiling = result.get("agreement", {}), result.get("noise_ceiling", {})
        table.add(
            result["title"],
            str(result["n"]),
            *(format_number(agreement.get(key)) for key in ("krippendorff_ordinal", "krippendorff_interval")),
            format_number(published["agreement"].get(name, {}).get("krippendorff"), 2),
            *(
                format_number(agreement.get(key))
                for key in ("icc_one_way", "icc_one_way_mean", "icc_ceiling")
            ),
            format_number(ceiling.get("split_half", {}).get("pearson")),
            format_number(ceiling.get("ceiling", {}).get("pearson")),
            format_number(agreement.get("kendall_w")),
        )
    return table


def kappas(judged: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """Fleiss' kappa of each set under three definitions, next to the paper's."""
    undefined = {name: _undefined(name, published) for name in judged}
    table = Table(
        "Human judgments: κ by definition",
        ["", "nominal", "linear", "halves", "paper"],
        note="Fleiss’ κ; 1 is perfect agreement, 0 is chance. Nominal treats ratings as unordered categories, "
        "linear penalizes a disagreement by its distance, halves splits the scale in the middle."
        + "".join(f" {judged[name]['title']}: {note}." for name, note in undefined.items() if note),
    )
    for name, result in judged.items():
        agreement, printed = result.get("agreement", {}), published["agreement"].get(name, {}).get("kappa")
        if "fleiss_kappa" in agreement:
            table.add(
                result["title"],
                *(
                    format_number(agreement.get(key))
                    for key in ("fleiss_kappa", "linear_kappa", "halves_kappa")
                ),
                format_number(printed, 2) + ("‡" if undefined[name] else ""),
            )
    return table


def _undefined(name: str, published: Mapping[str, Any]) -> str:
    """What the paper leaves undefined about its kappa."""
    return str(published["agreement"].get(name, {}).get("undefined", ""))


def pairs(result: Mapping[str, Any]) -> Table:
    """Paired tests of the best metric against each other metric."""
    pairs = result["pairs"]
    table = Table(
        f"{result['title']}: {pairs.get('best', '')} against each other metric",
        [
            "",
            "Δ Pearson [95 %]",
            "PERM-BOTH p",
            "p (Holm)",
            "Williams t",
            "p",
            "p (Holm)",
            "Steiger Z",
            "p",
            "bootstrap p",
        ],
        note="Paired two-sided tests on the same stories; p below .05 is significant. PERM-BOTH (Deutsch et al. 2021) "
        "exchanges scores story by story; the p shown is twice its one-sided p. PERM-BOTH, Williams and Steiger assume "
        "independent stories. If only they find a difference, the bootstrap, which resamples prompts, decides. The best "
        "metric was chosen on the same stories; the more metrics there are, the more this favors it.",
    )
    for name, test in pairs.get("against", {}).items():
        williams, steiger = test["williams"], test["steiger"]
        bootstrap = test["bootstrap"]["pearson"]
        table.add(
            name,
            f"{format_number(test['difference']['pearson'])} {format_interval(bootstrap['interval'])}".rstrip(),
            format_p_value(test["permutation"]["p_value"]),
            format_p_value(test["permutation"].get("holm")),
            f"{williams['t']:.2f}" if "t" in williams else "–",
            format_p_value(williams.get("p_value")),
            format_p_value(williams.get("holm")),
            f"{steiger['z']:.2f}" if "z" in steiger else "–",
            format_p_value(steiger.get("p_value")),
            format_p_value(bootstrap["p_value"]),
        )
    return table


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
            counts = ", ".join(f"{c} {parts[first][c]['unreasonable']}" for c in columns)
            agreed = result["sections"][first][key]
            note = f"Pearson [95 %] of the score {CORRELATED_WITH[agreed['against']]}."
            note += f" Stories: reasonable {agreed['reasonable']}, {counts}; an error type counts if at least {agreed['raters']} raters named it."
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
