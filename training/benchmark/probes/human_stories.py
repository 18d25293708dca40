"""Shared code of the probes, commands that change one thing in human-written stories and see if scores change."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from openmeva.metrics.core.text import sentence_spans
from openmeva.training.benchmark.data.registry import MetricEntry, read_registry, select_entries
from openmeva.training.benchmark.scoring.scores import result_of
from openmeva.training.common.command import exit_on_bad_input
from openmeva.training.common.config import config_file, read_config
from openmeva.training.corpora.held_out import held_out_rows
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.paths import NAMES_FILE

METRICS = ("plot_coherence", "plot_coherence_base", "union", "ppl")
MIN_STORY_WORDS = 400

Probe = Callable[[MetricEntry, Sequence[str]], Mapping[str, Mapping[str, float]]]
"""Maps an entry and stories to a number for each row title and column heading."""


def truncate_near(story: str, words: int) -> str:
    """A story up to the sentence end nearest to `words` words; at least one sentence."""
    ends = [end for _, end in sentence_spans(story)]
    return story[: min(ends, key=lambda end: abs(len(story[:end].split()) - words))]


def long_stories(data: Path, count: int) -> list[str]:
    """The first `count` held-out human-written stories of WritingPrompts with at least `MIN_STORY_WORDS` words.

    Raises:
        ValueError: a file is missing, or no story is long enough.
    """
    corpus = read_config(CorpusConfig, config_file("corpora", "wp"))
    rows = held_out_rows(corpus, data, NAMES_FILE)
    stories = [row["story"] for row in rows if len(row["story"].split()) >= MIN_STORY_WORDS]
    if not stories:
        raise ValueError(f"{data}: expected held-out stories of {MIN_STORY_WORDS} words or more, got none")
    return stories[:count]


def score_texts(entry: MetricEntry, texts: Sequence[str]) -> dict[str, np.ndarray]:
    """Row title to scores, one per text, by the entry's configuration for WritingPrompts.

    Raises:
        ValueError: the metric needs contexts or references, or has no configuration for WritingPrompts.
    """
    if entry.needs_contexts or "references" in entry.inputs:
        raise ValueError(f"{entry.name}: it needs more than a story")
    if "wp" not in entry.configs:
        raise ValueError(f"{entry.name}: it has no configuration for WritingPrompts")
    result = result_of(entry, "wp", predictions=list(texts))
    return {title: np.array(result[key], dtype=float) for title, key in entry.rows.items()}


def run_probe(
    probe: Probe, title: str, count: int, prog: str, description: str | None, arguments: Sequence[str] | None
) -> None:
    """The command line of a probe.

    Args:
        probe: the measurement.
        title: of the table, with `{}` for the number of stories.
        count: default number of stories.
        prog, description: of the help text.
        arguments: None: those of the shell.
    """
    parser = argparse.ArgumentParser(
        prog=prog, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder that contains wp/")
    parser.add_argument(
        "--metrics", nargs="+", default=METRICS, help="entries of the benchmark (default: %(default)s)"
    )
    parser.add_argument(
        "--stories", type=int, default=count, help="maximum number of stories (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    rows: dict[str, Mapping[str, float]] = {}
    with exit_on_bad_input():
        entries = select_entries(list(options.metrics), read_registry())
        stories = long_stories(options.data, options.stories)
        for entry in entries:
            rows.update(probe(entry, stories))
    headings = list(next(iter(rows.values())))
    table = Table("", *headings, title=title.format(len(stories)))
    for name, values in rows.items():
        table.add_row(name, *(f"{values[heading]:.3f}" for heading in headings))
    Console(width=160).print(table)
