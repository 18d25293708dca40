"""Generates implausible stories from manipulated plots of human ones (MANPLTS, section 3.2).

Columns of the Parquet file: `group` (the human story's id), `candidate`, `label` (0), `source`, `story`, `context`,
`plot`, `manipulations`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from openmeva.training.corpora.writing_prompts import truncate_text
from openmeva.training.plot_guided.generator.sampling import StorySampler
from openmeva.training.plot_guided.generator.text import TextForm, as_generated
from openmeva.training.plot_guided.manipulations import PlotManipulator
from openmeva.training.plot_guided.plots.corpus import PlotCorpus, PlottedStory

SCHEMA = pa.schema(
    [
        ("group", pa.string()),
        ("candidate", pa.int32()),
        ("label", pa.int32()),
        ("source", pa.string()),
        ("story", pa.string()),
        ("context", pa.string()),
        ("plot", pa.list_(pa.list_(pa.string()))),
        ("manipulations", pa.list_(pa.string())),
    ]
)


def chosen_stories(corpus: PlotCorpus, count: int | None, seed: int) -> list[PlottedStory]:
    """`count` of the metrics' stories in random order; a larger `count` starts with the same stories."""
    order = np.random.default_rng(seed).permutation(len(corpus.metrics))
    return [corpus.metrics[index] for index in order[:count]]


def unmanipulated_row(story: PlottedStory, source: str, text: str, candidate: int = 0) -> dict[str, Any]:
    """A row of the stage's file, with no manipulations."""
    return {
        "group": story.group,
        "candidate": candidate,
        "label": int(source == "human"),
        "source": source,
        "story": text,
        "context": story.context,
        "plot": story.plot,
        "manipulations": [],
    }


def paired_with_human(story: PlottedStory, written: dict[str, Any], form: TextForm) -> list[dict[str, Any]]:
    """A group of the human story, in the generator's form, and a row generated from its plot, of about the same length."""
    group = f"{story.group}-{written['source']}"
    text = as_generated(form, story.story.words)
    words = min(len(text.split()), len(written["story"].split()))
    human = unmanipulated_row(story, "human", truncate_text(text, words))
    return [
        {**human, "group": group},
        {**written, "group": group, "story": truncate_text(written["story"], words)},
    ]


class NegativeWriter:
    """Generates `candidates` stories from manipulated plots of each human story.

    Args:
        stories: the human stories.
        sampler: the generator.
        manipulator: manipulates the plots.
        candidates: number of stories generated for each (N, section 5.1).
        same_plot: whether all candidates of a story have the same manipulated plot; else each has its own.
    """

    def __init__(
        self,
        stories: Sequence[PlottedStory],
        sampler: StorySampler,
        manipulator: PlotManipulator,
        candidates: int,
        same_plot: bool = False,
    ) -> None:
        self.stories, self.sampler, self.manipulator = stories, sampler, manipulator
        self.candidates, self.same_plot = candidates, same_plot

    def rows(self, span: range) -> list[dict[str, Any]]:
        """The rows of the human stories at `span`; a candidate is skipped if no manipulation applies to its plot."""
        rows, keys = [], []
        for index in span:
            for candidate in range(self.candidates):
                breaking = 0 if self.same_plot else candidate
                broken = self.manipulator.manipulate(self.stories[index].plot, index, breaking)
                if broken is not None:
                    new = unmanipulated_row(self.stories[index], "manipulated_plot", "", candidate)
                    rows.append({**new, "plot": broken.plot, "manipulations": list(broken.applied)})
                    keys.append((self.manipulator.seed, index, candidate))
        texts = self.sampler.write([r["plot"] for r in rows], keys)
        return [{**r, "story": text} for r, text in zip(rows, texts, strict=True)]
