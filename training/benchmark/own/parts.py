"""The sections of a report, in text, tables and figures: shared by the page, by Markdown and by the Space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.metrics.openmeva.autos import MAX_DRAWS
from openmeva.metrics.openmeva.ceiling import upper_end
from openmeva.metrics.openmeva.comparison import SIGNIFICANCE
from openmeva.training.benchmark.own.figures import aspect_plot, drift_plot
from openmeva.training.benchmark.own.judged_parts import (
    ABSOLUTE_NOTE,
    Section,
    agreement_section,
    comparison_section,
    disagreement_section,
    system_section,
)
from openmeva.training.benchmark.results.autos import aspect_columns, column_labels
from openmeva.training.benchmark.results.titles import OWN
from openmeva.training.benchmark.results.verdicts import UNCLEAR
from openmeva.training.benchmark.tables.number_format import (
    few_prompts_note,
    format_ceiling,
    format_number,
    format_with_interval,
)
from openmeva.training.benchmark.tables.preference_tables import preference_tables
from openmeva.training.benchmark.tables.render import Table

Results = Mapping[str, Any]


def all_sections(results: Results, published: Results) -> Iterator[Section]:
    """The sections of a report, the verdict first."""
    yield verdict_section(results)
    for name, result in results["judged"].items():
        printed = published["correlations"].get(name, {})
        yield agreement_section(name, result, printed)
        yield comparison_section(result)
        yield system_section(name, result)
        yield disagreement_section(result, results["lower_is_better"])
    picture = drift_plot(results["judged"])
    if picture is not None:
        yield Section("Does it hold elsewhere?", [DRIFT], pictures=[picture])
    for result in results["preferences"].values():
        yield preference_section(result)
    for name, result in results["autos"].items():
        yield autos_section(name, result, published)
    yield method_section(results)


DRIFT = (
    "A metric that was developed on one kind of story often fails on another. The figure shows every set, and every "
    "source model in it, on one axis."
)


def verdict_section(results: Results) -> Section:
    """One or two sentences per metric and set."""
    sentences = []
    for result in results["judged"].values():
        ceiling = result.get("noise_ceiling")
        for title, metric in result["metrics"].items():
            row = result["rows"][title]
            ends = row["intervals"]["pearson"]
            text = (
                f"{title} on {result['title']} ({result['n']:,} stories): agreement with people (Pearson) {format_number(row['pearson'])}"
                + (
                    f", 95 % interval {format_number(ends[0], 2)} to {format_number(ends[1], 2)}"
                    if ends
                    else ""
                )
                + ", where 1 is perfect and 0 is chance"
            )
            if ends and (few := few_prompts_note(result["prompts"])):
                text += f"; {few}"
            if ends and ends[0] <= 0 <= ends[1]:
                text += "; since the interval includes 0, it may be chance"
            elif ends and ends[1] < 0:
                text += "; it ranks stories opposite to people" + (
                    ", after it was negated because lower is better"
                    if title in results["lower_is_better"]
                    else ": if lower is better, use --lower-is-better"
                )
            if ceiling:
                text += f"; the noise ceiling from the raters' disagreement is {format_ceiling(ceiling)}"
                if ends and ends[0] > upper_end(ceiling, "pearson"):
                    text += ", so it was trained on these ratings, the raters of a story are not exchangeable, or the ceiling is too low by chance"
            text += "."
            trivial = row["beats_trivial"].get("pearson")
            if trivial:
                text += {
                    True: f" It is better than counts of words or repetitions, {ABSOLUTE_NOTE}.",
                    False: f" It is not significantly better than simple counts (here {trivial['trivial'].replace('_', '-')}), "
                    f"{ABSOLUTE_NOTE}.",
                    None: " Whether it is better than a simple count is not known: "
                    + (
                        "too few prompts."
                        if result["prompts"] < 2
                        else "its scores are equal in too many resamples."
                    ),
                }[trivial["beats"]]
            sentences.append(text + _tally(metric["comparisons"]))
    for result in results["preferences"].values():
        for title, row in result["rows"].items():
            if row["kind"] == OWN:
                ends = row["intervals"]["accuracy"]
                interval_text = (
                    f", 95 % interval {format_number(ends[0], 2)} to {format_number(ends[1], 2)}"
                    if ends
                    else ""
                )
                sentences.append(
                    f"{title} on {result['title']}: it prefers the story that people prefer in {format_number(row['accuracy'])} of "
                    f"the pairs{interval_text}, where 1 is perfect and .5 is chance."
                )
    for result in results["autos"].values():
        columns, cells = aspect_columns(result)
        for title in _own_titles(result):
            by_label = {
                label: cells[title][c] for c, label in column_labels(columns).items() if c in cells[title]
            }
            sentences.append(f"{title} on {result['title']}: {_aspects_sentence(result['test'], by_label)}")
    sentences += [f"{line}." for line in results["unscored"]]
    sentences += [f"Skipped: {title} {reason}." for title, reason in results["skipped"].items()]
    return Section("In short", sentences)


def _tally(comparisons: Results) -> str:
    if not comparisons:
        return ""
    by_verdict: dict[str, list[str]] = {}
    for name, test in comparisons.items():
        by_verdict.setdefault(test["verdict"], []).append(name)
    undecided = by_verdict.pop(UNCLEAR, [])
    groups = [(f"{verdict_} than", names) for verdict_, names in sorted(by_verdict.items())]
    groups += [(f"{UNCLEAR} from", undecided)] if undecided else []
    parts = [
        f"{description} {', '.join(names) if len(names) < 4 else len(names)}" for description, names in groups
    ]
    others = "the one other metric" if len(comparisons) == 1 else f"{len(comparisons)} other metrics"
    return (
        f" Of {others} on the same stories: {'; '.join(parts)} (by both tests, each over prompts, "
        "after Holm's correction)."
    )


def _own_titles(result: Results) -> list[str]:
    """Titles of the user's metrics."""
    return [title for title, row in result["rows"].items() if row["kind"] == OWN]


def _aspects_sentence(test: str, cells: Results) -> str:
    """The aspects (label to cell) by what both tests say of them: above 0, below it, not clear, or undefined."""
    damage = test == "discrimination"
    lists: dict[str, list[str]] = {"above": [], "below": [], "holding": [], "few": [], "undefined": []}
    for label, cell in cells.items():
        lists[_side(cell)].append(label)
    by_side = {side: ", ".join(names) for side, names in lists.items() if names}
    if by_side.keys() <= {"few"}:
        return "too few stories to tell what it notices."
    templates = {
        "above": "it notices {}" if damage else "it penalizes harmless changes: {}",
        "below": "it prefers the damaged stories in {}" if damage else "it rewards harmless changes: {}",
        "holding": "it shows no clear effect of {}" if damage else "no clear effect of {}",
        "few": "too few stories for {}",
        "undefined": "no correlation is defined for {}",
    }
    ends = {side: f" (95 % intervals {side} 0, and a sign test of the pairs)" for side in ("above", "below")}
    texts = [templates[side].format(names) + ends.get(side, "") for side, names in by_side.items()]
    if damage and "above" not in by_side and by_side.keys() & {"below", "holding"}:
        texts.insert(0, "it notices nothing")
    return f"{'; '.join(texts)}."


def _side(cell: Results) -> str:
    """On which side of 0 an aspect is by its interval and by its pairs; `few` or `undefined` if there is no interval.

    With 5 to 15 pairs, the intervals of random scores exclude 0 in 8 to 18 % of 400 cases; with the sign test, in 0 to 3 %.
    """
    ends = (cell.get("intervals") or {}).get("pearson")
    if not ends:
        return "undefined" if cell.get("pearson") is None else "few"
    if cell["pair_wins_p_value"] >= SIGNIFICANCE:
        return "holding"
    if ends[0] > 0 and cell["pair_wins"] > 0.5:
        return "above"
    return "below" if ends[1] < 0 and cell["pair_wins"] < 0.5 else "holding"


def preference_section(result: Results) -> Section:
    """Pairs of stories for which people chose the better one."""
    return Section(
        f"{result['title']}: which of two stories is better",
        ["Does the better story of a pair get the higher score? Long stories are often preferred, so pairs of similar "
         "length are also counted separately."],
        preference_tables({"": result}),
    )  # fmt: skip


def autos_section(name: str, result: Results, published: Results) -> Section:
    """AUTOS: which damage the metric notices, and which harmless changes it penalizes."""
    test = result["test"]
    own = _own_titles(result)
    columns, by_row = aspect_columns(result, published[test]["columns"])
    labels = column_labels(columns)
    aim = "near .5 is good" if test == "invariance" else "1 is best, .5 is chance"
    table = Table(
        f"{result['title']}: by aspect",
        ["", *(f"{title}: {label}" for title in own for label in ("Pearson [95 %]", "pairs won"))],
        note=f"Pairs won: the share of perturbed stories that score below their own originals; {aim}. An effect is called "
        "clear if the interval excludes 0 and a two-sided sign test of the pairs has p below .05.",
    )
    for column in columns:
        cells = []
        for title in own:
            cell = by_row[title].get(column, {})
            cells += [format_with_interval(cell, "pearson"), format_number(cell.get("pair_wins"), 2)]
        table.add(labels[column], *cells)
    text = (
        "Original stories, and the same stories with a harmless change. A good metric gives both about the same score."
        if test == "invariance"
        else "Original stories, and the same stories damaged on purpose in one aspect. A good metric scores the damaged ones lower."
    )
    return Section(f"{result['title']}", [text], [table], [aspect_plot(name, result, published[test])])


def method_section(results: Results) -> Section:
    """How the results were computed, so that others can reproduce them."""
    settings = results["settings"]
    sets = [
        result["title"] for kind in ("judged", "preferences", "autos") for result in results[kind].values()
    ]
    paragraphs = [
        "Scores: " + "; ".join(results["origins"]) + ".",
        f"Intervals: {settings['draws']:,} bootstrap samples of prompts"
        + (f" (on AUTOS {min(settings['draws'], MAX_DRAWS):,}, over stories)" if results["autos"] else "")
        + f", seed {settings['seed']}, 2.5 % cut off at each end. If each prompt has one story, stories are resampled.",
        f"The sets: {', '.join(sets)}. Agreement means that a metric ranks their stories as their raters did.",
    ]
    if results["lower_is_better"]:
        paragraphs.insert(
            1,
            f"Lower is better, so negated except in the examples: {', '.join(results['lower_is_better'])}.",
        )
    return Section("How this was measured", paragraphs)
