"""Whether scores move with length alone: `python -m training.benchmark.length --data DIR [--metrics NAME …]`.

The held-out human stories of WritingPrompts that are long enough are each cut at the sentence ends nearest to 50, 100,
200 and 400 words, so that the same stories stand at each length. Prints the mean score at each length, and Spearman's
correlation of score and length over all cut stories (`cut`) and over the whole stories (`whole`); near 0 is good.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.stats import spearmanr

from openmeva.metrics.core.text import sentence_spans
from openmeva.training.benchmark.registry import MetricEntry, choose, read_registry
from openmeva.training.common.config import config_file, read_config
from openmeva.training.corpora.held_out import held_out_rows
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.paths import ENCODER

LENGTHS = (50, 100, 200, 400)  # words
METRICS = ("plot_coherence", "plot_coherence_base", "union", "ppl")


def cut_at(story: str, words: int) -> str:
    """A story up to the sentence end that lies nearest to `words` words; at least one sentence."""
    ends = [end for _, end in sentence_spans(story)]
    return story[: min(ends, key=lambda end: abs(len(story[:end].split()) - words))]


def long_stories(data: Path, count: int) -> list[str]:
    """The first `count` held-out human stories of WritingPrompts with at least as many words as the greatest length.

    Raises:
        ValueError: a file is missing, or no story is long enough.
    """
    corpus = read_config(CorpusConfig, config_file("corpora", "wp"))
    rows = held_out_rows(corpus, data, ENCODER / "names.json")
    found = [row["story"] for row in rows if len(row["story"].split()) >= max(LENGTHS)]
    if not found:
        raise ValueError(f"{data}: expected held-out stories of {max(LENGTHS)} words or more, got none")
    return found[:count]


def drift(entry: MetricEntry, stories: Sequence[str]) -> dict[str, dict[str, float]]:
    """Row title to its mean score at each length, and its rank correlations `cut` and `whole` with length in words.

    Raises:
        ValueError: a metric that needs more than a story, or has no configuration for WritingPrompts.
    """
    if entry.needs_contexts or "references" in entry.inputs:
        raise ValueError(f"{entry.name}: it needs more than a story")
    if "wp" not in entry.configs:
        raise ValueError(f"{entry.name}: it has no configuration for WritingPrompts")
    parts = [cut_at(story, words) for words in LENGTHS for story in stories]
    texts = [*parts, *stories]
    metric = evaluate.load(str(entry.folder), entry.configs["wp"])
    result = metric.compute(predictions=texts, **entry.options)
    lengths = np.array([len(text.split()) for text in texts])
    found = {}
    for title, key in entry.rows.items():
        scores = np.array(result[key], dtype=float)
        by_length = scores[: len(parts)].reshape(len(LENGTHS), -1).mean(1)
        found[title] = {
            **{f"{words} words": float(mean) for words, mean in zip(LENGTHS, by_length, strict=True)},
            "cut": float(spearmanr(scores[: len(parts)], lengths[: len(parts)])[0]),
            "whole": float(spearmanr(scores[len(parts) :], lengths[len(parts) :])[0]),
        }
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's description. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.benchmark.length",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder that wp/ lies in")
    parser.add_argument(
        "--metrics", nargs="+", default=METRICS, help="entries of the benchmark (default: %(default)s)"
    )
    parser.add_argument("--stories", type=int, default=100, help="at most so many (default: 100)")
    given = parser.parse_args(arguments)
    rows: dict[str, dict[str, Any]] = {}
    try:
        entries = choose(list(given.metrics), read_registry())
        stories = long_stories(given.data, given.stories)
        for entry in entries:
            rows.update(drift(entry, stories))
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    headings = list(next(iter(rows.values())))
    table = Table(title=f"Mean score, and Spearman with length, of {len(stories)} human stories")
    for heading in ("", *headings):
        table.add_column(heading)
    for title, values in rows.items():
        table.add_row(title, *(f"{values[heading]:.3f}" for heading in headings))
    Console(width=160).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
