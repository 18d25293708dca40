"""The papers' tables of statistics, from the available data, next to the printed values.

    python -m training.papers.statistics --data DIR

Prints UNION's Table 2 (error types of the judged ROC stories) and Figure 3 (stories by score), OpenMEVA's Table 10 (MANS),
and its Tables 16 and 17 for AUTOS as built in datasets/autos. † marks a part of the paper's data. Sets whose data is
missing are skipped and reported.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr

from openmeva.metrics.openmeva.error_types import story_error_types
from openmeva.training.benchmark.data.sets import TEST_SETS
from openmeva.training.common.command import check_data, exit_on_bad_input
from openmeva.training.corpora.prepare import mean_tokens

Rows = Sequence[Mapping[str, Any]]

ERRORS = ("repeated", "incoherent", "conflicting", "chaotic", "other")
TABLE_2 = dict(
    zip(ERRORS, (44.1, 56.2, 67.5, 50.4, 12.9), strict=True)
)  # UNION: % of 381 unreasonable stories
ERRORS_PER_STORY = {1: 23.36, 2: 36.48, 3: 34.65, 4: 4.46}  # % of them by number of the first four types
JUDGED_STORIES = {"union_roc": 400, "union_wp": 200}  # stories of UNION's Figure 3
INPUTS = {"mans_roc": 200, "mans_wp": 200}
TABLE_10 = {"mans_roc": (9.26, 39.54, 39.38), "mans_wp": (22.09, 238.51, 232.51)}  # input, reference, story
# OpenMEVA: input and story of the first group of rows (see `autos_table`), then of the second
TABLE_16 = {"roc": (8.76, 39.28, 8.88, 40.39), "wp": (30.02, 235.83, 30.28, 228.04)}
TABLE_17 = {"roc": (9.03, 40.66, 9.23, 40.57), "wp": (29.65, 211.19, 29.60, 234.40)}
PART = "†"


def error_table(rows: Rows) -> Table:
    """UNION's Table 2: the share (%) of stories with each error type, and by number of error types.

    A story is unreasonable if one rater calls it so, and has an error type if one rater names it. These definitions
    reproduce the paper's values to the last digit.
    """
    unreasonable = [row["error_types"] for row in rows if any(row["error_types"])]
    types = story_error_types(unreasonable, raters=1, one_error_only=False)
    counts = Counter(name for story_types in types for name in story_types)
    title = f"UNION, Table 2: {len(unreasonable)} unreasonable of {len(rows)} ROC stories, %"
    table = Table("", "here", "paper", title=title)
    for name, printed in TABLE_2.items():
        table.add_row(name, f"{100 * counts[name] / len(unreasonable):.1f}", f"{printed}")
    sizes = Counter(len(story_types - {"other"}) for story_types in types)
    for size, printed in ERRORS_PER_STORY.items():
        table.add_row(
            f"{size} of the first four", f"{100 * sizes[size] / len(unreasonable):.2f}", f"{printed}"
        )
    all_types = story_error_types([row["error_types"] for row in rows], raters=1, one_error_only=False)
    coefficient, smallest_p = strongest_correlation(all_types)
    table.add_row("largest |Spearman| of two types", f"{coefficient:.3f}", "< 0.15")
    table.add_row("smallest p of those", f"{smallest_p:.3f}", "> 0.01")
    return table


def strongest_correlation(types: Sequence[set[str]]) -> tuple[float, float]:
    """The largest absolute Spearman coefficient between two of the first four error types, and the smallest p-value.

    Args:
        types: error types of each judged story, empty for a reasonable one. The paper's bounds hold over all stories.
            Over unreasonable stories only, where a story without one type has another, repeated and conflicting have -.184.
    """
    indicators = {
        name: np.array([name in story_types for story_types in types], float) for name in ERRORS[:4]
    }
    tests = [spearmanr(indicators[a], indicators[b]) for a, b in combinations(indicators, 2)]
    return max(abs(float(test.statistic)) for test in tests), min(float(test.pvalue) for test in tests)


def score_table(sets: Mapping[str, Rows]) -> Table:
    """UNION's Figure 3: number of judged stories by score, in sevenths."""
    table = Table(
        "",
        "stories",
        "paper",
        *(f"{seventh}/7" for seventh in range(8)),
        title="UNION, Figure 3: stories by score (the paper's figure has no numbers)",
        caption=f"{PART} a part of the paper's stories",
    )
    for name, rows in sets.items():
        counts = Counter(round(7 * row["score"]) for row in rows)
        table.add_row(
            TEST_SETS[name].title,
            marked(len(rows), JUDGED_STORIES[name]),
            str(JUDGED_STORIES[name]),
            *(str(counts[seventh]) for seventh in range(8)),
        )
    return table


def mans_table(sets: Mapping[str, Rows]) -> Table:
    """OpenMEVA's Table 10: statistics of MANS."""
    table = Table(
        "",
        *(TEST_SETS[name].title for name in sets),
        title="OpenMEVA, Table 10: MANS (the paper in brackets)",
        caption=f"{PART} a part of the paper's stories. Tokens by NLTK's Treebank tokenizer; the paper's by spaCy",
    )
    values_by_set = {name: _mans_statistics(rows) for name, rows in sets.items()}
    headings = ("unique inputs", "stories per input", "stories", *(f"tokens of {text}" for text in
                ("an input", "a reference", "a story")))  # fmt: skip
    for index, heading in enumerate(headings):
        cells = []
        for name, values in values_by_set.items():
            printed = (INPUTS[name], 5, 5 * INPUTS[name], *TABLE_10[name])[index]
            ours = f"{values[index]:.2f}" if index > 2 else marked(round(values[index]), round(printed))
            cells.append(f"{ours} ({printed})")
        table.add_row(heading, *cells)
    return table


def _mans_statistics(rows: Rows) -> tuple[float, ...]:
    inputs = {str(row["prompt"]): str(row["reference"]) for row in rows}
    texts = (list(inputs), list(inputs.values()), [str(row["story"]) for row in rows])
    return (len(inputs), len(rows) / len(inputs), len(rows), *(mean_tokens(column) for column in texts))


def autos_table(number: int, sets: Mapping[str, Rows]) -> Table:
    """OpenMEVA's Table 16 (discrimination) or 17 (invariance): mean tokens of inputs and of the stories after them."""
    first, second = ("coherent", "incoherent") if number == 16 else ("human", "incoherent")
    printed = TABLE_16 if number == 16 else TABLE_17
    table = Table(
        "",
        *(f"{group}, {text}" for group in (first, second) for text in ("input", "story")),
        title=f"OpenMEVA, Table {number}: AUTOS, mean tokens (the paper in brackets)",
        caption="Stories held out from training or written for this project (mini), not the paper's. Tokens by NLTK's "
        "Treebank tokenizer; the paper names none",
    )
    for name, rows in sets.items():
        papers = printed["wp" if "_wp_" in name else "roc"]
        cells = [value for examples in _groups(number, rows) for value in _input_and_story(examples)]
        table.add_row(
            name.split("_")[1], *(f"{ours:.2f} ({paper})" for ours, paper in zip(cells, papers, strict=True))
        )
    return table


def _groups(number: int, rows: Rows) -> tuple[Rows, Rows]:
    """Coherent and incoherent examples (16), or the originals of perturbed stories: human and incoherent ones (17)."""
    if number == 16:
        return [row for row in rows if row["label"] == 1], [row for row in rows if row["label"] == 0]
    coherent = [row for row in rows if row["label"] == 1]
    return tuple(
        [row for row in coherent if row["origin"] == origin] for origin in ("human", "discrimination")
    )  # type: ignore[return-value]


def _input_and_story(rows: Rows) -> tuple[float, float]:
    """Mean tokens of the contexts, and of the stories after them."""
    contexts = [str(row["context"]) for row in rows]
    stories = [str(row["story"]).removeprefix(context) for row, context in zip(rows, contexts, strict=True)]
    return mean_tokens(contexts), mean_tokens(stories)


def marked(count: int, printed: int) -> str:
    """A count, marked with † if below the paper's.

    >>> marked(106, 200), marked(400, 400)
    ('106 †', '400')
    """
    return f"{count:,}" + (f" {PART}" if count < printed else "")


def tables(data: Path, skipped: list[str]) -> Iterator[Table]:
    """All tables for which there is data; the reasons why sets are skipped are appended to `skipped`."""

    def present(*names: str) -> dict[str, Rows]:
        available: dict[str, Rows] = {}
        for name in names:
            try:
                available[name] = TEST_SETS[name].read(data)
            except ValueError as error:
                skipped.append(f"{TEST_SETS[name].title}: {error}")
        return available

    union = present("union_roc", "union_wp")
    if any("error_types" in row for row in union.get("union_roc", ())):
        yield error_table(union["union_roc"])
    if union:
        yield score_table(union)
    if mans := present("mans_roc", "mans_wp"):
        yield mans_table(mans)
    for number, split in ((16, "discrimination"), (17, "invariance")):
        if autos := present(*(f"autos_{subset}_{split}" for subset in ("mini", "roc", "wp"))):
            yield autos_table(number, autos)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.papers.statistics",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with union/ and mans/")
    args = parser.parse_args(arguments)
    skipped: list[str] = []
    console = Console(width=140)
    with exit_on_bad_input():
        check_data(args.data)
        for table in tables(args.data, skipped):
            console.print(table)
    for line in skipped:
        console.print(f"skipped {line}", highlight=False)


if __name__ == "__main__":
    main()
