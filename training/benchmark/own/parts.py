"""What a report says, in words, tables and figures: the same parts for the page, for Markdown and for the Space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.metrics.openmeva.autos import MAX_DRAWS
from openmeva.training.benchmark.cells import number, with_interval
from openmeva.training.benchmark.own.figures import drift, profile
from openmeva.training.benchmark.own.judged_parts import (
    BY_SIZE,
    Part,
    against,
    agreement,
    by_system,
    differing,
)
from openmeva.training.benchmark.preferences import preference_tables
from openmeva.training.benchmark.render import Table

Found = Mapping[str, Any]


def all_parts(results: Found, published: Found) -> Iterator[Part]:
    """The sections of a report, the verdict first."""
    yield verdict(results)
    for name, found in results["judged"].items():
        printed = published["correlations"].get(name, {})
        yield agreement(name, found, printed)
        yield against(found)
        yield by_system(name, found)
        yield differing(found, results["lower_is_better"])
    picture = drift(results["judged"])
    if picture is not None:
        yield Part("Does it hold elsewhere?", [DRIFT], pictures=[picture])
    for found in results["preferences"].values():
        yield preferred(found)
    for name, found in results["autos"].items():
        yield perturbed(name, found, published)
    yield method(results)


DRIFT = (
    "A metric that was made with one kind of story in view often fails on another. The figure puts every set, and every "
    "system that wrote stories in it, on one axis."
)


def verdict(results: Found) -> Part:
    """A sentence or two a metric and set."""
    words = []
    for found in results["judged"].values():
        ceiling = found.get("noise_ceiling", {}).get("ceiling", {}).get("pearson")
        for title, one in found["metrics"].items():
            row = found["rows"][title]
            ends = row["intervals"]["pearson"]
            text = (
                f"{title} on {found['title']} ({found['n']:,} stories): agreement with people {number(row['pearson'])}"
                + (f", 95 % interval {number(ends[0], 2)} to {number(ends[1], 2)}" if ends else "")
                + ", where 1 is perfect and 0 is chance"
            )
            if ends and ends[0] <= 0 <= ends[1]:
                text += "; since the interval holds 0, it may be no more than chance"
            elif ends and ends[1] < 0:
                text += "; it ranks stories against people" + (
                    ", once negated as one of which lower is better"
                    if title in results["lower_is_better"]
                    else ": if lower is better, say so by --lower-is-better"
                )
            if ceiling:
                text += f"; the raters' own disagreement leaves room up to {number(ceiling, 2)}"
                if ends and ends[0] > ceiling:
                    text += (
                        ", so that it has seen these ratings, or the raters of a story are not exchangeable"
                    )
            text += "."
            trivial = row["beats_trivial"].get("pearson")
            if trivial:
                text += {
                    True: f" It knows more than counts of words or repetitions, {BY_SIZE}.",
                    False: f" It is not surely better than mere counts (here {trivial['trivial'].replace('_', '-')}), "
                    f"{BY_SIZE}.",
                    None: " Whether it is better than a mere count is not known: too few prompts.",
                }[trivial["beats"]]
            words.append(text + _tally(one["comparisons"]))
    for found in results["preferences"].values():
        for title, row in found["rows"].items():
            if row["kind"] == "ours":
                ends = row["intervals"]["accuracy"]
                told = f", 95 % interval {number(ends[0], 2)} to {number(ends[1], 2)}" if ends else ""
                words.append(
                    f"{title} on {found['title']}: it prefers the story that people prefer in {number(row['accuracy'])} of "
                    f"the pairs{told}, where 1 is perfect and .5 is chance."
                )
    for found in results["autos"].values():
        for title, row in found["rows"].items():
            if row["kind"] == "own":
                words.append(f"{title} on {found['title']}: {_noticed(found, row)}")
    words += [f"{line}." for line in results["unscored"]]
    words += [f"Left out: {title} {reason}." for title, reason in results["skipped"].items()]
    return Part("In short", words)


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


def _noticed(found: Found, row: Found) -> str:
    """What the intervals say, aspect by aspect: above 0, below it, holding it, or that there is none."""
    damage = "invariance" not in found["title"]
    lists: dict[str, list[str]] = {"above": [], "below": [], "holding": [], "few": [], "undefined": []}
    for name, cell in row["aspects"].items():
        lists[_side(cell)].append(name.replace("_", " "))
    told = {side: ", ".join(names) for side, names in lists.items() if names}
    if told.keys() <= {"few"}:
        return "too few stories to say what it notices."
    words = {
        "above": "it notices {}" if damage else "it takes as damage what is harmless: {}",
        "below": "it prefers the damaged stories in {}"
        if damage
        else "it takes as better what is harmless: {}",
        "holding": "it misses {}" if damage else "it is not surely moved by {}",
        "few": "too few stories to say of {}",
        "undefined": "no correlation on {}",
    }
    ends = {"above": " (95 % intervals above 0)", "below": " (95 % intervals below 0)"}
    texts = [words[side].format(names) + ends.get(side, "") for side, names in told.items()]
    if damage and "above" not in told and told.keys() & {"below", "holding"}:
        texts.insert(0, "it notices nothing")
    return f"{'; '.join(texts)}."


def _side(cell: Found) -> str:
    """On which side of 0 an aspect's interval lies; `few` or `undefined` where there is none."""
    ends = cell["interval"]
    if not ends:
        return "undefined" if cell["pearson"] is None else "few"
    return "above" if ends[0] > 0 else "below" if ends[1] < 0 else "holding"


def preferred(found: Found) -> Part:
    """Pairs of stories of which people said which is better."""
    return Part(
        f"{found['title']}: which of two stories is better",
        ["Does the better story of a pair get the higher score? Long stories are often preferred, so pairs of like length "
         "are counted apart."],
        preference_tables({"": found}),
    )  # fmt: skip


def perturbed(name: str, found: Found, published: Found) -> Part:
    """AUTOS: which damage the metric notices, and which harmless changes it takes for damage."""
    test = "invariance" if "invariance" in name else "discrimination"
    own = {title: row for title, row in found["rows"].items() if row["kind"] == "own"}
    aspects = list(dict.fromkeys(aspect for row in own.values() for aspect in row["aspects"]))
    aim = "near .5 is good" if test == "invariance" else "1 is best, .5 is chance"
    table = Table(
        f"{found['title']}: aspect by aspect",
        ["", *(f"{title}: {label}" for title in own for label in ("Pearson [95 %]", "pairs won"))],
        note=f"Pairs won: how often the perturbed story scores below its own original; {aim}.",
    )
    for aspect in aspects:
        cells = []
        for row in own.values():
            cell = row["aspects"].get(aspect, {})
            cells += [
                with_interval(
                    {"pearson": cell["pearson"], "intervals": {"pearson": cell["interval"]}}, "pearson"
                )
                if cell.get("pearson") is not None
                else "–",
                number(cell.get("pair_wins"), 2),
            ]
        table.add(aspect.replace("_", " "), *cells)
    words = (
        "Whole stories, and the same stories with a change that does no harm. A good metric gives both about the same score."
        if test == "invariance"
        else "Whole stories, and the same stories damaged on purpose in one aspect. A good metric gives the damaged ones less."
    )
    return Part(f"{found['title']}", [words], [table], [profile(name, found, published[test])])


def method(results: Found) -> Part:
    """How the figures came about, so that somebody else gets the same."""
    settings = results["settings"]
    sets = [found["title"] for kind in ("judged", "preferences", "autos") for found in results[kind].values()]
    words = [
        "Scores: " + "; ".join(results["origins"]) + ".",
        f"Intervals: {settings['draws']:,} draws of a bootstrap over prompts"
        + (f" (on AUTOS {min(settings['draws'], MAX_DRAWS):,}, over stories)" if results["autos"] else "")
        + f", seed {settings['seed']}, 2.5 % cut off at each end. Where prompts hold one story each, stories are drawn.",
        f"The sets: {', '.join(sets)}. Agreement here says that a metric ranks their stories as their raters did.",
    ]
    if results["lower_is_better"]:
        words.insert(
            1,
            f"Lower is better, so negated throughout, but for the examples: {', '.join(results['lower_is_better'])}.",
        )
    return Part("How this was measured", words)
