"""The tables of one judged set: correlations, agreement of raters, and pairs of metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.training.benchmark.results.titles import OURS, TRIVIAL, metric_of, printed_title
from openmeva.training.benchmark.results.verdicts import UNCLEAR
from openmeva.training.benchmark.tables.level_tables import ROW_KINDS
from openmeva.training.benchmark.tables.number_format import (
    few_prompts_note,
    format_ceiling,
    format_interval,
    format_number,
    format_p_value,
    format_with_interval,
    own_references_note,
)
from openmeva.training.benchmark.tables.render import Table


def correlations(name: str, result: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """A judged set: the three coefficients pooled over stories, with intervals, next to the paper's results."""
    printed = published["correlations"].get(name, {"rows": {}, "note": ""})
    judges = published["judges"]["pooled"].get(name, {"rows": {}, "note": ""})
    columns = ["", "Pearson [95 %]", "Spearman [95 %]", "Kendall τ-b [95 %]"]
    columns += ["paper r", "ρ", "τ"] if printed["rows"] else []
    few = few_prompts_note(result["prompts"])
    note = (
        f"Pooled over {result['n']} stories of {result['prompts']} prompts. 1 is perfect, 0 is chance. Intervals: "
        f"bootstrap over prompts{few and f'; {few}'}. † not significantly better than every trivial baseline (the interval of a paired "
        f"difference is not wholly above 0).{_reliability(result)}"
    )
    if own := own_references_note(result):
        note += f" {own}."
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
            base_title = metric_of(title)
            if printed["rows"]:
                cells += _printed(printed["rows"].get(base_title) if kind != TRIVIAL else None)
                shown.add(base_title)
            table.add(f"{title} ({label})" if kind == OURS else printed_title(title, kind), *cells)
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
        ceilings = [f"{name} {format_ceiling(result['noise_ceiling'], name)}" for name in COEFFICIENTS]
        text += f" Ceiling of a perfect metric: {', '.join(ceilings)}."
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
        "split-half reliability after Spearman-Brown correction, with its interval by a jackknife over blocks of stories. All of these assume exchangeable raters, except "
        "Kendall’s W, whose mean by chance is 1 divided by the number of raters. It needs rater identities, and at least three "
        "stories of the same raters; those of MANS are lost, since its ratings were released sorted within each story.",
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
            format_ceiling(ceiling, digits=3),
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
            "p (Holm)",
            "better",
        ],
        note="Paired two-sided tests on the same stories. PERM-BOTH (Deutsch et al. 2021) exchanges the scores of whole "
        "prompts; the p shown is twice its one-sided p. The bootstrap resamples prompts. A metric is called better if "
        "both are below .05 after Holm's correction. Williams and Steiger assume independent stories. The best metric "
        "was chosen on the same stories; the more metrics there are, the more this favors it.",
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
            format_p_value(bootstrap.get("holm")),
            "unclear" if test.get("verdict", UNCLEAR) == UNCLEAR else "yes",
        )
    return table
