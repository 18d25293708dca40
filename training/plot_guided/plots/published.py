"""Plots that the plot-guided paper's authors published, and the agreement of an extractor with them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path

from openmeva.metrics.core.text import split_sentences
from openmeva.training.files import read_lines
from openmeva.training.plot_guided.plots.extractors import extract_plots
from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.text.tagged_story import TaggedStory
from openmeva.training.text.tagger.tagging import tag

Published = tuple[list[list[str]], list[str]]
"""Words of each sentence, and the phrases of the published plot."""


def read_storylines(path: Path) -> Iterator[Published]:
    """ROC's file: `title <EOT> phrase TAB phrase # … <EOL> </s> sentence . </s> …`, one story per line.

    Raises:
        ValueError: a line of another format (with its number).
    """
    for number, line in read_lines(path):
        plot, end, story = line.partition("<EOL>")
        _, begin, plot = plot.partition("<EOT>")
        if not begin or not end:
            raise ValueError(f"{path}, line {number}: expected <EOT> and <EOL>, got {line[:60]!r}")
        sentences = [s.split() for s in story.replace("@", " ").split("</s>") if s.strip()]
        yield sentences, _phrases(plot.replace("#", "\t"))


def read_paired(stories: Path, plots: Path) -> Iterator[Published]:
    """WritingPrompts' two files, line by line: the story, and its phrases with `</s>` between sentences.

    Raises:
        ValueError: the files have different numbers of lines.
    """
    lines = ((line for _, line in read_lines(path)) for path in (stories, plots))
    for number, (story, plot) in enumerate(zip_longest(*lines), 1):
        if story is None or plot is None:
            short = stories if story is None else plots
            raise ValueError(f"{short}: ends before line {number}, expected as many lines as the other file")
        sentences = [s.split() for s in split_sentences(story.replace("</s>", " "))]
        yield sentences, _phrases(plot.replace("</s>", "\t"))


def _phrases(text: str) -> list[str]:
    return [phrase.strip().lower() for phrase in text.split("\t") if phrase.strip()]


def phrase_f1(plots: Sequence[Plot], published: Sequence[Sequence[str]]) -> dict[str, float]:
    """Micro-averaged precision, recall and F1 of phrases (0 to 1), by exact match.

    >>> phrase_f1([[["a b"], ["c"]]], [["a b", "d"]])["f1"]
    0.5
    """
    same = own = theirs = 0
    for plot, expected in zip(plots, published, strict=True):
        extracted = Counter(phrase.lower() for phrases in plot for phrase in phrases)
        same += sum((extracted & Counter(expected)).values())
        own += sum(extracted.values())
        theirs += len(expected)
    return {
        "precision": round(same / max(own, 1), 4),
        "recall": round(same / max(theirs, 1), 4),
        "f1": round(2 * same / max(own + theirs, 1), 4),
    }


def compare(rows: Iterator[Published], extractor: str, seed: int, limit: int | None) -> dict[str, float]:
    """Agreement of an extractor with published plots, and the mean number of phrases per story of both.

    Raises:
        ValueError: no published plot.
    """
    chosen = list(islice(rows, limit))
    if not chosen:
        raise ValueError("expected one published plot or more to compare with, got none")
    tags = iter(tag([words for sentences, _ in chosen for words in sentences]))
    stories = [TaggedStory(sentences, [next(tags) for _ in sentences]) for sentences, _ in chosen]
    plots = extract_plots(stories, extractor, seed)
    published = [phrases for _, phrases in chosen]
    return {
        "stories": len(chosen),
        **phrase_f1(plots, published),
        "phrases": round(sum(len(p) for plot in plots for p in plot) / len(chosen), 2),
        "published_phrases": round(sum(map(len, published)) / len(chosen), 2),
    }
