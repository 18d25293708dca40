"""What a report says, in words, tables and figures: the same parts for the page, for Markdown and for the Space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openmeva.training.benchmark.cells import number, with_interval
from openmeva.training.benchmark.own.figures import drift, profile
from openmeva.training.benchmark.own.judged_parts import Part, against, agreement, by_system, differing
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
            text += (
                f"; the raters' own disagreement leaves room up to {number(ceiling, 2)}." if ceiling else "."
            )
            trivial = row["beats_trivial"].get("pearson")
            if trivial:
                text += {
                    True: " It knows more than a count of words or repetitions does.",
                    False: f" It is not surely better than a mere count ({trivial['trivial'].replace('_', '-')}).",
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
        f" Of {others} on the same stories: {'; '.join(parts)} (after Holm's correction for several tests)."
    )


def _noticed(found: Found, row: Found) -> str:
    damage = "invariance" not in found["title"]
    cells = {name.replace("_", " "): cell for name, cell in row["aspects"].items() if cell["interval"]}
    if not cells:
        return "too few stories to say what it notices"
    seen = [name for name, cell in cells.items() if cell["interval"][0] > 0]
    unseen = [name for name in cells if name not in seen]
    if damage:
        text = f"it notices {', '.join(seen) or 'nothing'}" + (
            f"; it misses {', '.join(unseen)}" if unseen else ""
        )
    else:
        text = (
            f"it takes as damage what is harmless: {', '.join(seen)}"
            if seen
            else "harmless changes do not lower it"
        )
    return f"{text} (95 % intervals above 0)."


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
    words = [
        "Scores: " + "; ".join(results["origins"]) + ".",
        f"Intervals: {settings['draws']:,} draws of a bootstrap over prompts, seed {settings['seed']}, 2.5 % cut off at "
        "each end. Where prompts hold one story each, stories are drawn.",
        "The sets are the OpenMEVA, UNION and plot-guided papers' (or yours): short English stories, most of them written "
        "by machines. Agreement here says that a metric ranks such stories as these raters did.",
    ]
    if results["lower_is_better"]:
        words.insert(1, f"Lower is better, so negated throughout: {', '.join(results['lower_is_better'])}.")
    return Part("How this was measured", words)
