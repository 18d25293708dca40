"""Precision of plot coherence's error types: `python -m training.benchmark.probes.error_types [--config mix] [--of-aspect 20]`.

The stories are those of AUTOS `mini` (discrimination), on which no weights were trained: originals, and stories
perturbed in an aspect that corresponds to one error type. A type is named if it is the most likely one and its
probability is at least `MIN_PROBABILITY`. Its precision is the share of the stories for which it is named that have it. The
table marks the types with a precision above `MIN_PRECISION` as worth showing.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import evaluate
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from openmeva.training.benchmark.probes.blame import CASES
from openmeva.training.common.buffered_random import evenly_spaced
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.paths import METRICS

MIN_PROBABILITY = 0.5
MIN_PRECISION = 0.7
ERROR_TYPE_OF_ASPECT = {
    "lexical_repetition": "repetition",
    "semantic_repetition": "repetition",
    "consistency": "contradiction",
    "causal_relationship": "wrong_order",
    "temporal_relationship": "wrong_order",
    "relatedness": "off_topic",
}


class Precision(NamedTuple):
    """Number of stories for which an error type was named, of those that have it, and of all stories that have it."""

    predicted: int
    correct: int
    present: int

    @property
    def share(self) -> float | None:
        """The precision; `None` if the type was never named."""
        return self.correct / self.predicted if self.predicted else None


def predicted_error_type(probabilities: Mapping[str, float]) -> str | None:
    """The error type that is named: the most likely one, if its probability is at least `MIN_PROBABILITY`.

    >>> predicted_error_type({"repetition": 0.6, "off_topic": 0.8}), predicted_error_type({"repetition": 0.4})
    ('off_topic', None)
    """
    most_likely = max(probabilities, key=probabilities.__getitem__)
    return most_likely if probabilities[most_likely] >= MIN_PROBABILITY else None


def precisions(true: Sequence[str | None], named: Sequence[str | None]) -> dict[str, Precision]:
    """The precision of each error type, from each story's true and named type; None: no error.

    >>> precisions(["a", None, "a"], ["a", "a", None])
    {'a': Precision(predicted=2, correct=1, present=2)}
    """
    pairs = list(zip(true, named, strict=True))
    return {
        kind: Precision(
            sum(predicted == kind for _, predicted in pairs),
            sum(has == predicted == kind for has, predicted in pairs),
            sum(has == kind for has, _ in pairs),
        )
        for kind in sorted({kind for pair in pairs for kind in pair if kind})
    }


def read_stories(per_aspect: int) -> list[tuple[str, str | None]]:
    """Stories with their error types: at most `per_aspect` per aspect, evenly spaced, and twice as many originals."""
    rows = pq.read_table(CASES).to_pylist()
    originals = list(dict.fromkeys(row["story"] for row in rows if row["label"] == 1))
    stories: list[tuple[str, str | None]] = [
        (story, None) for story in evenly_spaced(originals, 2 * per_aspect)
    ]
    for aspect, kind in ERROR_TYPE_OF_ASPECT.items():
        damaged = [row["story"] for row in rows if row["label"] == 0 and row["aspect"] == aspect]
        stories += [(story, kind) for story in evenly_spaced(damaged, per_aspect)]
    return stories


def error_type_precision(metric: Any, stories: Sequence[tuple[str, str | None]]) -> dict[str, Precision]:
    """The precision of the error types that a metric's explanations name.

    Raises:
        ValueError: the explanations have no `error_types`.
    """
    explanations = metric.compute(predictions=[story for story, _ in stories], explain=True)["explanations"]
    if not all(explanation.get("error_types") for explanation in explanations):
        raise ValueError(
            "expected explanations that name error types, got none: these weights have no head for them"
        )
    return precisions(
        [kind for _, kind in stories],
        [predicted_error_type(explanation["error_types"]) for explanation in explanations],
    )


def precision_table(by_type: Mapping[str, Precision], stories: int) -> Table:
    """The printed table: one row per error type, marked if worth showing."""
    headings = ("error type", "stories that have it", "named", "correct", "precision", "worth showing")
    table = Table(*headings, title=f"Error types named in {stories} stories")
    for kind, precision in by_type.items():
        share = "" if precision.share is None else f"{precision.share:.2f}"
        worth_showing = "yes" if precision.share is not None and precision.share > MIN_PRECISION else ""
        table.add_row(
            kind,
            str(precision.present),
            str(precision.predicted),
            str(precision.correct),
            share,
            worth_showing,
        )
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line; see the module's description."""
    parser = argparse.ArgumentParser(
        prog="python -m training.benchmark.probes.error_types",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--config", default="mix", help="a configuration of plot coherence, or a folder")
    parser.add_argument("--of-aspect", type=int, default=20, help="maximum number of stories per aspect")
    options = parser.parse_args(arguments)
    with exit_on_bad_input():
        stories = read_stories(options.of_aspect)
        metric = evaluate.load(str(METRICS / "plot_coherence"), options.config)
        table = precision_table(error_type_precision(metric, stories), len(stories))
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
