"""The tables of one judged set: correlations, agreement, pairs of metrics, error types, drift, levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.metrics.openmeva.correlation import COEFFICIENTS
from openmeva.training.benchmark.cells import interval, number, p_value, with_interval
from openmeva.training.benchmark.level_tables import KINDS
from openmeva.training.benchmark.render import Table

# What scores are correlated with, on the stories of one kind of error and the reasonable ones.
AGAINST = {
    "labels": "with 1 for a reasonable story and 0 for one of that error alone",
    "ratings": "with the ratings of reasonable stories and of those that have that error, others beside it or not",
}


def correlations(name: str, found: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """A judged set: the three coefficients pooled over stories, with intervals, beside the paper's."""
    printed = published["correlations"].get(name, {"rows": {}, "note": ""})
    judges = published["judges"]["pooled"].get(name, {"rows": {}, "note": ""})
    columns = ["", "Pearson [95 %]", "Spearman [95 %]", "Kendall τ-b [95 %]"]
    columns += ["paper r", "ρ", "τ"] if printed["rows"] else []
    note = (
        f"Pooled over {found['n']} stories of {found['prompts']} prompts; 1 is perfect, 0 is chance; intervals by "
        "bootstrap over prompts. † does not surely beat every trivial row (the interval of a paired difference "
        f"reaches 0).{_reliability(found)}"
    )
    if printed["rows"]:
        notes = "; ".join(one["note"] for one in (printed, judges) if one["rows"])
        note += (
            f" Right: {notes}; on the whole sets, pooled as here. Rows of one name may differ in model and encoder, as "
            "training/PAPERS.md says of each."
        )
    table = Table(f"{found['title']}: correlation with human judgments", columns, note=note)
    shown = set()
    for kind, label in KINDS:
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
    for title, figures in judges["rows"].items():
        table.add(f"{title} (published)", "", "", "", *_printed(figures), faint=True)
    return table


def _reliability(found: Mapping[str, Any]) -> str:
    """How far the raters agree, and what that lets a metric reach."""
    agreement, text = found.get("agreement", {}), ""
    names = {
        "krippendorff_ordinal": "Krippendorff’s α (ordinal)",
        "krippendorff_interval": "α (interval)",
        "icc_one_way": "ICC(1,1)",
        "icc_one_way_mean": "ICC(1,k)",
    }
    known = [f"{label} {number(agreement[key], 2)}" for key, label in names.items() if key in agreement]
    if known:
        text += f" Raters: {', '.join(known)}."
    if "noise_ceiling" in found:
        top = found["noise_ceiling"]["ceiling"]
        text += (
            f" Ceiling of a perfect metric: {', '.join(f'{c} {number(top[c], 2)}' for c in COEFFICIENTS)}."
        )
    elif agreement and "noise_ceiling" in found.get("unavailable", {}):
        text += f" No ceiling is known; {found['unavailable']['noise_ceiling']}."
    return text


def _marked(row: Mapping[str, Any], coefficient: str) -> str:
    if "undefined" in row:
        return "undefined"
    beaten = row.get("beats_trivial", {}).get(coefficient, {}).get("beats")
    return with_interval(row, coefficient) + (" †" if beaten is False else "")


def _printed(figures: Mapping[str, float] | None) -> list[str]:
    digits = 2 if figures and all(round(value, 2) == value for value in figures.values()) else 4
    return [number(figures.get(name), digits) if figures and name in figures else "" for name in COEFFICIENTS]


def reliability(judged: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """How reliable the judgments of each set are, and the ceilings that follow."""
    table = Table(
        "Human judgments: reliability and ceilings",
        ["", "stories", "α ordinal", "α interval", "paper α", "ICC(1,1)", "ICC(1,k)", "its ceiling", "split half r",
         "its ceiling", "Kendall’s W"],
        note="1 is perfect agreement, 0 is chance. Krippendorff’s α above .8 is reliable, .67 to .8 allows tentative "
        "conclusions (OpenMEVA, Table 9). ICC(1,1) is the reliability of one rating, ICC(1,k) of a story’s mean; its "
        "root, and that of the halves’ reliability after Spearman and Brown, is the Pearson that a perfect metric "
        "would reach. All these take the raters of a story for exchangeable. Kendall’s W needs to know who rated what, "
        "and MANS was released with ratings sorted by story.",
    )  # fmt: skip
    for name, found in judged.items():
        agreement, ceiling = found.get("agreement", {}), found.get("noise_ceiling", {})
        table.add(
            found["title"],
            str(found["n"]),
            *(number(agreement.get(key)) for key in ("krippendorff_ordinal", "krippendorff_interval")),
            number(published["agreement"].get(name, {}).get("krippendorff"), 2),
            *(number(agreement.get(key)) for key in ("icc_one_way", "icc_one_way_mean", "icc_ceiling")),
            number(ceiling.get("split_half", {}).get("pearson")),
            number(ceiling.get("ceiling", {}).get("pearson")),
            number(agreement.get("kendall_w")),
        )
    return table


def kappas(judged: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """Fleiss' kappa of each set under three definitions, beside the paper's."""
    undefined = {name: _undefined(name, published) for name in judged}
    table = Table(
        "Human judgments: κ by definition",
        ["", "nominal", "linear", "halves", "paper"],
        note="Fleiss’ κ; 1 is perfect agreement, 0 is chance. Nominal takes ratings for categories without order, "
        "linear weighs a disagreement by its distance, halves cuts the scale in the middle."
        + "".join(f" {judged[name]['title']}: {note}." for name, note in undefined.items() if note),
    )
    for name, found in judged.items():
        agreement, printed = found.get("agreement", {}), published["agreement"].get(name, {}).get("kappa")
        if "fleiss_kappa" in agreement:
            table.add(
                found["title"],
                *(number(agreement.get(key)) for key in ("fleiss_kappa", "linear_kappa", "halves_kappa")),
                number(printed, 2) + ("‡" if undefined[name] else ""),
            )
    return table


def _undefined(name: str, published: Mapping[str, Any]) -> str:
    """What the paper leaves open about its figure."""
    return str(published["agreement"].get(name, {}).get("undefined", ""))


def pairs(found: Mapping[str, Any]) -> Table:
    """The best metric against each other one, by paired tests."""
    pairs = found["pairs"]
    table = Table(
        f"{found['title']}: {pairs.get('best', '')} against each other metric",
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
        note="Paired tests on the same stories, two-sided; p below .05 is a difference beyond chance. PERM-BOTH (Deutsch et al. "
        "2021) exchanges scores story by story, and twice its one-sided p is given. It, Williams and Steiger take stories for "
        "independent: where they alone find a difference, the bootstrap, which draws prompts, decides. The best metric was "
        "found on the same stories, which favours it the more metrics there are.",
    )
    for name, test in pairs.get("against", {}).items():
        williams, steiger = test["williams"], test["steiger"]
        bootstrap = test["bootstrap"]["pearson"]
        table.add(
            name,
            f"{number(test['difference']['pearson'])} {interval(bootstrap['interval'])}".rstrip(),
            p_value(test["permutation"]["p_value"]),
            p_value(test["permutation"].get("holm")),
            f"{williams['t']:.2f}" if "t" in williams else "–",
            p_value(williams.get("p_value")),
            p_value(williams.get("holm")),
            f"{steiger['z']:.2f}" if "z" in steiger else "–",
            p_value(steiger.get("p_value")),
            p_value(bootstrap["p_value"]),
        )
    return table


def by_part(name: str, found: Mapping[str, Any], published: Mapping[str, Any]) -> Iterator[Table]:
    """Error types (OpenMEVA Table 3, UNION Table 7) and source models (Table 4); the paper's rows alone where none are known."""
    for section, key, inner, title in (
        ("error_types", "by_error_type", "types", "reasonable stories against one error type"),
        ("model_drift", "model_drift", "by_source", "by source model"),
    ):
        parts = {t: s[key][inner] for t, s in found["sections"].items() if key in s}
        columns = list(dict.fromkeys(column for cells in parts.values() for column in cells))
        printed = published[section].get(name, {"rows": {}, "columns": [], "note": ""})
        note = "Pearson [95 %]."
        if not columns:  # no kind of error that enough raters agree on, or none known
            parts, columns = {}, printed["columns"]
            note = "Pearson; what it takes to compute it here is not known of these stories."
        if not columns:
            continue
        if section == "error_types" and parts:
            first = next(iter(parts))
            counts = ", ".join(f"{c} {parts[first][c]['unreasonable']}" for c in columns)
            agreed = found["sections"][first][key]
            note = f"Pearson [95 %] of the score {AGAINST[agreed['against']]}."
            note += f" Stories: reasonable {agreed['reasonable']}, {counts}; an error is what {agreed['raters']} raters or more named."
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


def differences(name: str, found: Mapping[str, Any], published: Mapping[str, Any]) -> Table:
    """How a metric's score differences follow those of people (OpenMEVA, Figure 2), beside the paper's r²."""
    printed = published["differences"].get(name, {"rows": {}, "sets": 0, "note": ""})
    table = Table(
        f"{found['title']}: score differences between story sets",
        ["", "sets", "r²", "both significant", "human only", "metric only", "neither"],
        note="Sets of 200 consecutive stories sorted by judgment, stride 10; shares of the ordered pairs by "
        "what a t-test finds at p < .01 (OpenMEVA, Figure 2)."
        + (f" In italics: {printed['note']}; here of {found['n']:,} stories." if printed["rows"] else ""),
    )
    for title, sections in found["sections"].items():
        one = sections.get("score_differences")
        if one:
            keys = ("both", "human_only", "metric_only", "neither")
            regions = [number(one["regions"][key], 2) for key in keys]
            table.add(title, str(one["sets"]), number(one["r2"], 2), *regions)
    for title, value in printed["rows"].items():
        table.add(f"{title} (paper)", str(printed["sets"]), number(value, 2), *[""] * 4, faint=True)
    return table


def apart(found: Mapping[str, Any]) -> Table:
    """Human- and machine-written stories apart, and the share that is reached of the set's ceiling, where it has one."""
    ceiling = found.get("noise_ceiling", {}).get("ceiling", {}).get("pearson")
    table = Table(
        f"{found['title']}: human- and machine-written stories apart (Pearson, pooled)",
        ["", "all", "human-written", "machine-written", "share of ceiling"],
        note="A metric that tells people from machines, and no more, is high on all and near 0 on each part.",
    )
    for title, sections in found["sections"].items():
        parts = sections.get("human_and_machine", {})
        table.add(
            title,
            number(sections["pearson"]),
            number(parts.get("human", {}).get("pearson")),
            number(parts.get("machine", {}).get("pearson")),
            number(sections["pearson"] / ceiling if ceiling else None, 2),
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
