"""The sections of a report, in text, tables and figures: shared by the page, by Markdown and by the Space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.metrics.openmeva.autos import MAX_DRAWS
from openmeva.training.benchmark.number_format import format_number, format_with_interval
from openmeva.training.benchmark.own.figures import aspect_plot, drift_plot
from openmeva.training.benchmark.own.judged_parts import (
    ABSOLUTE_NOTE,
    Section,
    agreement_section,
    comparison_section,
    disagreement_section,
    system_section,
)
from openmeva.training.benchmark.preferences import preference_tables
from openmeva.training.benchmark.render import Table

Found = Mapping[str, Any]


def all_sections(results: Found, published: Found) -> Iterator[Section]:
    """The sections of a report, the verdict first."""
    yield verdict_section(results)
    for name, found in results["judged"].items():
        printed = published["correlations"].get(name, {})
        yield agreement_section(name, found, printed)
        yield comparison_section(found)
        yield system_section(name, found)
        yield disagreement_section(found, results["lower_is_better"])
    picture = drift_plot(results["judged"])
    if picture is not None:
        yield Section("Does it hold elsewhere?", [DRIFT], pictures=[picture])
    for found in results["preferences"].values():
        yield preference_section(found)
    for name, found in results["autos"].items():
        yield autos_section(name, found, published)
    yield method_section(results)


DRIFT = (
    "A metric that was developed on one kind of story often fails on another. The figure shows every set, and every "
    "source model in it, on one axis."
)


def verdict_section(results: Found) -> Section:
    """One or two sentences per metric and set."""
    words = []
    for found in results["judged"].values():
        ceiling = found.get("noise_ceiling", {}).get("ceiling", {}).get("pearson")
        for title, one in found["metrics"].items():
            row = found["rows"][title]
            ends = row["intervals"]["pearson"]
            text = (
                f"{title} on {found['title']} ({found['n']:,} stories): agreement with people {format_number(row['pearson'])}"
                + (
                    f", 95 % interval {format_number(ends[0], 2)} to {format_number(ends[1], 2)}"
                    if ends
                    else ""
                )
                + ", where 1 is perfect and 0 is chance"
            )
            if ends and ends[0] <= 0 <= ends[1]:
                text += "; since the interval includes 0, it may be chance"
            elif ends and ends[1] < 0:
                text += "; it ranks stories opposite to people" + (
                    ", after it was negated because lower is better"
                    if title in results["lower_is_better"]
                    else ": if lower is better, use --lower-is-better"
                )
            if ceiling:
                text += f"; the noise ceiling from the raters' disagreement is {format_number(ceiling, 2)}"
                if ends and ends[0] > ceiling:
                    text += (
                        ", so it was trained on these ratings, or the raters of a story are not exchangeable"
                    )
            text += "."
            trivial = row["beats_trivial"].get("pearson")
            if trivial:
                text += {
                    True: f" It is better than counts of words or repetitions, {ABSOLUTE_NOTE}.",
                    False: f" It is not significantly better than simple counts (here {trivial['trivial'].replace('_', '-')}), "
                    f"{ABSOLUTE_NOTE}.",
                    None: " Whether it is better than a simple count is not known: too few prompts.",
                }[trivial["beats"]]
            words.append(text + _tally(one["comparisons"]))
    for found in results["preferences"].values():
        for title, row in found["rows"].items():
            if row["kind"] == "ours":
                ends = row["intervals"]["accuracy"]
                told = (
                    f", 95 % interval {format_number(ends[0], 2)} to {format_number(ends[1], 2)}"
                    if ends
                    else ""
                )
                words.append(
                    f"{title} on {found['title']}: it prefers the story that people prefer in {format_number(row['accuracy'])} of "
                    f"the pairs{told}, where 1 is perfect and .5 is chance."
                )
    for found in results["autos"].values():
        for title, row in found["rows"].items():
            if row["kind"] == "own":
                words.append(f"{title} on {found['title']}: {_aspects_sentence(found, row)}")
    words += [f"{line}." for line in results["unscored"]]
    words += [f"Skipped: {title} {reason}." for title, reason in results["skipped"].items()]
    return Section("In short", words)


def _tally(comparisons: Found) -> str:
    if not comparisons:
        return ""
    by_verdict: dict[str, list[str]] = {}
    for name, test in comparisons.items():
        by_verdict.setdefault(test["verdict"], []).append(name)
    undecided = by_verdict.pop("no clear difference", [])
    told = [(f"{verdict_} than", names) for verdict_, names in sorted(by_verdict.items())]
    told += [("no clear difference from", undecided)] if undecided else []
    parts = [f"{what} {', '.join(names) if len(names) < 4 else len(names)}" for what, names in told]
    others = "the one other metric" if len(comparisons) == 1 else f"{len(comparisons)} other metrics"
    return (
        f" Of {others} on the same stories: {'; '.join(parts)} (after Holm's correction for several tests, and by the "
        "interval over prompts)."
    )


def _aspects_sentence(found: Found, row: Found) -> str:
    """The aspects by their intervals: above 0, below it, including it, or undefined."""
    damage = "invariance" not in found["title"]
    lists: dict[str, list[str]] = {"above": [], "below": [], "holding": [], "few": [], "undefined": []}
    for name, cell in row["aspects"].items():
        lists[_side(cell)].append(name.replace("_", " "))
    told = {side: ", ".join(names) for side, names in lists.items() if names}
    if told.keys() <= {"few"}:
        return "too few stories to tell what it notices."
    words = {
        "above": "it notices {}" if damage else "it penalizes harmless changes: {}",
        "below": "it prefers the damaged stories in {}" if damage else "it rewards harmless changes: {}",
        "holding": "it misses {}" if damage else "no clear effect of {}",
        "few": "too few stories for {}",
        "undefined": "no correlation is defined for {}",
    }
    ends = {"above": " (95 % intervals above 0)", "below": " (95 % intervals below 0)"}
    texts = [words[side].format(names) + ends.get(side, "") for side, names in told.items()]
    if damage and "above" not in told and told.keys() & {"below", "holding"}:
        texts.insert(0, "it notices nothing")
    return f"{'; '.join(texts)}."


def _side(cell: Found) -> str:
    """On which side of 0 an aspect's interval is; `few` or `undefined` if there is none."""
    ends = cell["interval"]
    if not ends:
        return "undefined" if cell["pearson"] is None else "few"
    return "above" if ends[0] > 0 else "below" if ends[1] < 0 else "holding"


def preference_section(found: Found) -> Section:
    """Pairs of stories for which people chose the better one."""
    return Section(
        f"{found['title']}: which of two stories is better",
        ["Does the better story of a pair get the higher score? Long stories are often preferred, so pairs of similar "
         "length are also counted separately."],
        preference_tables({"": found}),
    )  # fmt: skip


def autos_section(name: str, found: Found, published: Found) -> Section:
    """AUTOS: which damage the metric notices, and which harmless changes it penalizes."""
    test = "invariance" if "invariance" in name else "discrimination"
    own = {title: row for title, row in found["rows"].items() if row["kind"] == "own"}
    aspects = list(dict.fromkeys(aspect for row in own.values() for aspect in row["aspects"]))
    aim = "near .5 is good" if test == "invariance" else "1 is best, .5 is chance"
    table = Table(
        f"{found['title']}: by aspect",
        ["", *(f"{title}: {label}" for title in own for label in ("Pearson [95 %]", "pairs won"))],
        note=f"Pairs won: the share of perturbed stories that score below their own originals; {aim}.",
    )
    for aspect in aspects:
        cells = []
        for row in own.values():
            cell = row["aspects"].get(aspect, {})
            cells += [
                format_with_interval(
                    {"pearson": cell["pearson"], "intervals": {"pearson": cell["interval"]}}, "pearson"
                )
                if cell.get("pearson") is not None
                else "–",
                format_number(cell.get("pair_wins"), 2),
            ]
        table.add(aspect.replace("_", " "), *cells)
    words = (
        "Original stories, and the same stories with a harmless change. A good metric gives both about the same score."
        if test == "invariance"
        else "Original stories, and the same stories damaged on purpose in one aspect. A good metric scores the damaged ones lower."
    )
    return Section(f"{found['title']}", [words], [table], [aspect_plot(name, found, published[test])])


def method_section(results: Found) -> Section:
    """How the results were computed, so that others can reproduce them."""
    settings = results["settings"]
    sets = [found["title"] for kind in ("judged", "preferences", "autos") for found in results[kind].values()]
    words = [
        "Scores: " + "; ".join(results["origins"]) + ".",
        f"Intervals: {settings['draws']:,} bootstrap samples of prompts"
        + (f" (on AUTOS {min(settings['draws'], MAX_DRAWS):,}, over stories)" if results["autos"] else "")
        + f", seed {settings['seed']}, 2.5 % cut off at each end. If each prompt has one story, stories are resampled.",
        f"The sets: {', '.join(sets)}. Agreement means that a metric ranks their stories as their raters did.",
    ]
    if results["lower_is_better"]:
        words.insert(
            1,
            f"Lower is better, so negated except in the examples: {', '.join(results['lower_is_better'])}.",
        )
    return Section("How this was measured", words)
