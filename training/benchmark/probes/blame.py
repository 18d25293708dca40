"""Whether explanations blame the perturbed sentence: `python -m training.benchmark.probes.blame [--metrics NAME …]`.

The perturbed stories are those of AUTOS `mini` (discrimination), whose rows hold the changed spans. The most blamed
sentence in an explanation is the one whose removal raises the score most. A case is correct if the perturbation changed
that sentence, or an exact copy of it. The table also shows the share correct when a random sentence is blamed.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from openmeva.metrics.core.text import sentence_spans
from openmeva.training.benchmark.data.registry import MetricEntry, read_registry, select_entries
from openmeva.training.benchmark.scoring.scores import result_of
from openmeva.training.common.buffered_random import evenly_spaced
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.paths import ROOT

CASES = ROOT / "datasets" / "autos" / "mini" / "discrimination.parquet"


class Case(NamedTuple):
    """A perturbed story, and for each of its sentences whether the perturbation changed it."""

    aspect: str
    story: str
    changed: tuple[bool, ...]

    @property
    def chance(self) -> float:
        """The share of its sentences that the perturbation changed."""
        return sum(self.changed) / len(self.changed)


def read_cases(path: Path = CASES, per_aspect: int | None = None) -> list[Case]:
    """The perturbed stories of a file of AUTOS, at most `per_aspect` per aspect, evenly spaced.

    Stories are excluded if all of their sentences were changed, or none (the perturbation removed sentences).
    """
    by_aspect: dict[str, list[Case]] = {}
    for row in pq.read_table(path).to_pylist():
        if row["label"] == 0:
            changed = changed_sentences(row["story"], row["changed_spans"])
            if any(changed) and not all(changed):
                by_aspect.setdefault(row["aspect"], []).append(Case(row["aspect"], row["story"], changed))
    cases = []
    for aspect_cases in by_aspect.values():
        cases += aspect_cases if per_aspect is None else evenly_spaced(aspect_cases, per_aspect)
    return cases


def changed_sentences(story: str, changes: Sequence[dict[str, int]]) -> tuple[bool, ...]:
    """For each sentence of a story, whether a changed span (characters `start` to `end`) overlaps it or a sentence of
    the same text."""
    spans = sentence_spans(story)
    texts = [story[start:end].strip() for start, end in spans]
    touched = [any(span["start"] < end and span["end"] > start for span in changes) for start, end in spans]
    copies = {text for text, is_touched in zip(texts, touched, strict=True) if is_touched}
    return tuple(text in copies for text in texts)


def blame_correct(entry: MetricEntry, cases: Sequence[Case]) -> dict[str, list[bool]]:
    """Aspect to one value per case: whether the most blamed sentence is a changed one.

    Cases whose sentences the metric splits differently are excluded.

    Raises:
        ValueError: the metric does not explain its scores by sentences.
    """
    if not entry.explains:
        raise ValueError(f"{entry.name}: it does not explain its scores by sentences")
    result = result_of(entry, "roc", predictions=[case.story for case in cases], explain=True)
    correct: dict[str, list[bool]] = {}
    for case, explained in zip(cases, result["explanations"], strict=True):
        gains = [sentence["gain"] for sentence in explained["sentences"]]
        if len(gains) == len(case.changed):  # otherwise the metric splits sentences differently
            correct.setdefault(case.aspect, []).append(case.changed[int(np.argmax(gains))])
    return correct


def blame_table(entries: Sequence[MetricEntry], cases: Sequence[Case]) -> Table:
    """Aspects by metrics: the share of cases in which the most blamed sentence is a changed one.

    A caption counts the cases whose sentences a metric splits differently, which its shares leave out.
    """
    aspects = list(dict.fromkeys(case.aspect for case in cases))
    columns: dict[str, dict[str, list[Any]]] = {
        "at random": {a: [case.chance for case in cases if case.aspect == a] for a in aspects}
    }
    for entry in entries:
        columns[entry.title] = blame_correct(entry, cases)
    title = f"Most blamed sentence is a changed one: share of {len(cases)} stories of AUTOS"
    table = Table("aspect", "stories", *columns, title=title)
    for aspect in aspects:
        count = sum(case.aspect == aspect for case in cases)
        shares = [f"{np.mean(by_aspect.get(aspect, [np.nan])):.2f}" for by_aspect in columns.values()]
        table.add_row(aspect, str(count), *shares)
    overall = [
        f"{np.mean([v for values in by_aspect.values() for v in values]):.2f}"
        for by_aspect in columns.values()
    ]
    table.add_row("all", str(len(cases)), *overall)
    left_out = {title: len(cases) - sum(map(len, by_aspect.values())) for title, by_aspect in columns.items()}
    if any(left_out.values()):
        counts = ", ".join(f"{title} {count}" for title, count in left_out.items() if count)
        table.caption = f"Left out, because the metric splits their sentences differently: {counts}"
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m training.benchmark.probes.blame",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--metrics", nargs="+", help="entries of the benchmark; default: all that explain, except slow ones"
    )
    parser.add_argument("--stories", type=int, help="maximum number of stories per aspect (default: all)")
    parser.add_argument("--cases", type=Path, default=CASES, help="a file of AUTOS (default: mini)")
    options = parser.parse_args(arguments)
    with exit_on_bad_input():
        registry = read_registry()
        usual = [name for name, entry in registry.items() if entry.explains and not entry.on_request]
        table = blame_table(
            select_entries(options.metrics or usual, registry), read_cases(options.cases, options.stories)
        )
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
