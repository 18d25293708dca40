"""The sections on one judged set: three levels, comparisons, source models, and what a metric notices and misses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openmeva.training.benchmark.own.figures import LEVELS, ReportFigure, forest_plot, level_of, scatter_plot
from openmeva.training.benchmark.results.judged import MAX_PAIRED_STORIES
from openmeva.training.benchmark.results.titles import OTHER, OWN, TRIVIAL, printed_title
from openmeva.training.benchmark.tables.number_format import (
    error_type_rule,
    few_prompts_note,
    few_stories_note,
    format_ceiling,
    format_number,
    format_p_value,
    format_with_interval,
    own_references_note,
)
from openmeva.training.benchmark.tables.part_tables import CORRELATED_WITH
from openmeva.training.benchmark.tables.render import Table

Results = Mapping[str, Any]
ABSOLUTE_NOTE = "compared by absolute correlation, since their sign could be flipped freely"


@dataclass(frozen=True)
class Example:
    """A story on which metric and people disagree, and how."""

    heading: str
    prompt: str | None
    story: str


@dataclass
class Section:
    """A section: paragraphs, tables, figures, and stories as examples."""

    title: str
    paragraphs: list[str]
    tables: list[Table] = field(default_factory=list)
    pictures: list[ReportFigure] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)


def agreement_section(name: str, result: Results, printed: Results) -> Section:
    """The three levels of every metric, and the reliability of the ratings."""
    columns = ["", *(f"{label} [95 %]" for _, label in LEVELS), "ρ", "τ-b", "pairs correct"]
    table = Table(f"{result['title']}: agreement with people at three levels", columns)
    for kind in (OWN, OTHER, TRIVIAL):
        table.rule()
        for title, row in sorted(result["rows"].items(), key=lambda item: -item[1].get("pearson", -2.0)):
            if row["kind"] != kind or "undefined" in row:
                continue
            cells = [format_with_interval(level_of(row, level), "pearson") for level, _ in LEVELS]
            table.add(
                f"{printed_title(title, kind)} (trivial)" if kind == TRIVIAL else title,
                *cells, format_number(row["spearman"]), format_number(row["kendall"]), format_number(row.get("accuracy", {}).get("value"), 2),
            )  # fmt: skip
    table.note = (
        "Pearson's r, −1 to 1, higher is better; ρ and τ-b are Spearman's and Kendall's over all stories. Pairs "
        "correct: the share of story pairs ordered as people order them, with calibrated ties (acc_eq); 1 is perfect."
    )
    if any(row["kind"] == TRIVIAL and "undefined" not in row for row in result["rows"].values()):
        table.note += (
            " Trivial: surface counts, namely length (words), distinct-1 to distinct-3 (the share of distinct words, bigrams "
            "and trigrams) and repetition-share (the share of words in repeated trigrams, negated); they are "
            f"{ABSOLUTE_NOTE}."
        )
    if not any("accuracy" in row for row in result["rows"].values()):
        table.note += (
            f" Pairs correct is omitted: it is not computed for more than {MAX_PAIRED_STORIES:,} stories."
        )
    few = few_prompts_note(result["prompts"])
    paragraphs = [
        f"{result['n']:,} stories of {result['prompts']:,} prompts{few and f'; {few}'}. Over all stories: do good stories get high scores, "
        "whatever the prompt and the system that wrote them? Within prompts: among stories on one prompt, does it prefer "
        "those that people prefer? Between systems: does it rank the systems as people do? These are different "
        "questions. Do not compare results of different levels with each other.",
        _levels_counted(result),
        _reliability(result),
        (own := own_references_note(result)) and f"{own}.",
    ]
    return Section(
        f"{result['title']}: how closely it follows people",
        [item for item in paragraphs if item],
        [table],
        [forest_plot(name, result, printed)],
    )


def _levels_counted(result: Results) -> str:
    """The basis of the two further levels: once, or per metric where it differs."""
    rows = {title: row for title, row in result["rows"].items() if row["kind"] == OWN}
    texts = []
    for describe in (_within_counted, _between_counted):
        titles_by_text: dict[tuple[str, str], list[str]] = {}
        for title, row in rows.items():
            titles_by_text.setdefault(describe(row), []).append(title)
        for (head, tail), titles in titles_by_text.items():
            which_metrics = f" ({', '.join(titles)})" if len(titles_by_text) > 1 else ""
            texts.append(f"{head}{which_metrics}: {tail}.")
    return " ".join(texts)


def _within_counted(row: Results) -> tuple[str, str]:
    within = level_of(row, "within_prompts")
    if "undefined" in within:
        return "There is no level within prompts", within["undefined"]
    few = few_prompts_note(within["prompts"])
    text = f"the mean over {within['prompts']:,} prompts{few and f'; {few}'}"
    if within["dropped"]:
        text += (
            f"; {within['dropped']} more are dropped because scores or ratings are constant there (if counted as 0: "
            f"{format_number(within['with_zeros']['pearson'])})"
        )
    return "Within prompts", text


def _between_counted(row: Results) -> tuple[str, str]:
    between = level_of(row, "between_systems")
    if "undefined" in between:
        return "There is no level between systems", between["undefined"]
    return (
        "Between systems",
        f"{between['systems']} points only, weak evidence even with narrow intervals, which resample prompts, not systems",
    )


def _reliability(result: Results) -> str:
    agreement, ceiling = result.get("agreement", {}), result.get("noise_ceiling")
    alpha, icc = agreement.get("krippendorff_interval"), agreement.get("icc_one_way_mean")
    if alpha is None and not ceiling:
        reason = (
            result.get("unavailable", {}).get("agreement") or agreement["refused"]["krippendorff_interval"]
        )
        return f"The reliability of the ratings is not known: {reason}."
    parts = []
    if alpha is not None:
        verdict = "reliable" if alpha > 0.8 else "fit for tentative conclusions" if alpha >= 0.67 else "low"
        parts.append(
            f"Krippendorff's α {format_number(alpha, 2)} ({verdict}: above .8 is reliable, below .67 low)"
        )
    if icc is not None:
        parts.append(f"reliability of the mean rating, ICC(1,k), {format_number(icc, 2)} (1 is perfect)")
    if ceiling:
        parts.append(f"noise ceiling {format_ceiling(ceiling)}: the correlation of a perfect metric")
    elif "noise_ceiling" in result.get("unavailable", {}):
        parts.append(f"no ceiling is known ({result['unavailable']['noise_ceiling']})")
    return f"The ratings: {'; '.join(parts)}."


def comparison_section(result: Results) -> Section:
    """The user's metrics against every other metric on the same stories."""
    tables = []
    for title, metric in result["metrics"].items():
        if not metric["comparisons"]:
            continue
        table = Table(
            f"{result['title']}: {title} against each other metric",
            ["", "difference of Pearson [95 %]", "p (Holm)", "bootstrap p (Holm)", f"{title} is"],
            note="Above 0: yours is closer to people. p: PERM-BOTH permutation test; bootstrap p: from resamples of prompts; "
            "both two-sided, after Holm's correction for all rows of the table. A difference is clear if both are below "
            ".05. Both treat the stories of a prompt as one observation.",
        )
        for name, test in sorted(
            metric["comparisons"].items(), key=lambda item: item[1]["difference"]["pearson"]
        ):
            cell = {
                "pearson": test["difference"]["pearson"],
                "intervals": {"pearson": test["bootstrap"]["pearson"]["interval"]},
            }
            p_values = (test["permutation"]["holm"], test["bootstrap"]["pearson"]["holm"])
            table.add(
                name, format_with_interval(cell, "pearson"), *map(format_p_value, p_values), test["verdict"]
            )
        tables.append(table)
    text = (
        "Whether a difference is more than chance, on these stories. Several tests at once find some differences by "
        "chance, which the correction accounts for."
        if tables
        else "No other metric's scores on these stories are available, so there is nothing to compare with."
    )
    return Section(f"{result['title']}: better than others?", [text], tables)


def system_section(name: str, result: Results) -> Section:
    """Scores against ratings, and the agreement on each system's stories."""
    text = (
        "Does the metric only tell good systems from bad ones, or good stories from bad ones of one system?"
        if result["sources"]
        else "The set does not name the source model of each story."
    )
    part = Section(f"{result['title']}: by source model", [text], pictures=[scatter_plot(name, result)])
    parts = {
        title: metric["by_source"] for title, metric in result["metrics"].items() if "by_source" in metric
    }
    if parts:
        sources = list(dict.fromkeys(source for cells in parts.values() for source in cells))
        table = Table(
            f"{result['title']}: agreement on each system's stories",
            ["", *sources],
            note="Pearson [95 %], higher is better. A dash: no correlation is defined.",
        )
        for title, cells in parts.items():
            table.add(title, *(format_with_interval(cells.get(source, {}), "pearson") for source in sources))
        part.tables.append(table)
    return part


def disagreement_section(result: Results, lowered: list[str]) -> Section:
    """What the metric notices and misses: error types, and the stories on which it differs most from people.

    For the metrics in `lowered` lower is better; examples show the scores as they were given.
    """
    part = Section(f"{result['title']}: what it notices and misses", [])
    types = {
        title: metric["error_types"] for title, metric in result["metrics"].items() if "error_types" in metric
    }
    names = list(dict.fromkeys(name for metric in types.values() for name in metric["types"]))
    if names:
        first = next(iter(types.values()))
        counts, raters, compared = (first[key] for key in ("types", "raters", "against"))
        numbers = {"reasonable": first["reasonable"]}
        numbers |= {name: counts[name]["unreasonable"] for name in names}
        table = Table(
            f"{result['title']}: reasonable stories against one error type",
            ["", *(f"{name} ({numbers[name]})" for name in names)],
            note=f"Pearson [95 %] of the score {CORRELATED_WITH[compared]}; in brackets the number of stories with that error type. "
            f"Higher is better: near 0 the metric does not notice it. A story has an error type {error_type_rule(raters)}"
            + (f"; {few}." if (few := few_stories_note(numbers)) else "."),
        )
        for title, metric in types.items():
            table.add(
                title, *(format_with_interval(metric["types"].get(name, {}), "pearson") for name in names)
            )
        part.tables.append(table)
    part.paragraphs.append(
        "The stories on which metric and people differ most. Ranks in percent: 100 is the best story of the set, 0 the "
        "worst. These are extreme cases, so expect unusual ratings among them as well as errors of the metric."
    )
    for title, metric in result["metrics"].items():
        if not any(metric["examples"].values()):
            part.paragraphs.append(f"{title}: none, since it ranks every story as people do.")
        lower = ", lower is better" if title in lowered else ""
        for side, word in (
            ("higher", "likes it more than people do"),
            ("lower", "likes it less than people do"),
        ):
            for example in metric["examples"][side]:
                source = f", by {example['source']}" if example["source"] else ""
                part.examples.append(
                    Example(
                        f"{title} {word}: rank {example['metric_rank']:.0f} against {example['people_rank']:.0f} "
                        f"(score {example['score']:.3g}{lower}, rating {example['judgment']:.2f}{source}, story "
                        f"{example['story_id']})",
                        example["prompt"],
                        example["story"],
                    )
                )
    if part.examples and result.get("licence"):
        part.paragraphs.append(
            f"The stories below are those of {result['title']} (licence: {result['licence']}): remove them before you publish "
            "this report, unless the licence allows you to redistribute them."
        )
    return part
