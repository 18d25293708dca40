"""A corpus with plots, split as in section 5.1 into the generator's stories and the metrics' stories."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.training.corpora.splits import CorpusConfig, Split, data_checksums, load_corpus
from openmeva.training.corpora.stories import is_held_out
from openmeva.training.paths import NAMES_FILE
from openmeva.training.plot_guided.plots.extractors import extract_plots
from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.text.tagged_corpus import tag_corpus, text_inputs
from openmeva.training.text.tagged_story import TaggedStory


@dataclass(frozen=True)
class PlottedStory:
    """A human story and its plot.

    Attributes:
        group: the story's id, the same in every stage; for a further block of a story, `ID.NUMBER` (`story_of_group`).
        story: words and tags.
        plot: phrases by sentence.
    """

    group: str
    story: TaggedStory
    plot: Plot

    @property
    def text(self) -> str:
        """The normalised text."""
        return " ".join(self.story.flat_words())

    @property
    def context(self) -> str:
        """The normalised first sentence."""
        return " ".join(self.story.words[0])


@dataclass(frozen=True)
class PlotCorpus:
    """The generator's stories, the metrics' stories (for negatives and classifiers), and the held-out ones."""

    generator: list[PlottedStory]
    metrics: list[PlottedStory]
    validation: list[PlottedStory]


def story_of_group(group: str) -> str:
    """The id of the story that a group is of: the group, without the number of a further block.

    >>> story_of_group("roc-train-000007"), story_of_group("wp-train-000007.2")
    ('roc-train-000007', 'wp-train-000007')
    """
    return re.sub(r"\.\d+$", "", group)


def plot_inputs(config: dict[str, Any], data: Path) -> dict[str, Any]:
    """What the result of `load_plots` depends on, as settings of a stage that reads its stories."""
    corpus = CorpusConfig.from_mapping(config["corpus"])
    return {
        **({"blocks": "numbered"} if corpus.block_words else {}),
        **{key: config[key] for key in ("name", "corpus", "plots", "share", "seed")},
        **text_inputs(),
        "data": data_checksums(corpus, data),
    }


def load_plots(
    config: dict[str, Any],
    data: Path,
    cache: Path,
    needs: Sequence[Split] = ("train",),
) -> PlotCorpus:
    """Reads and tags a corpus and extracts plots (keys `name`, `corpus`, `plots`, `share`, `seed` of a configuration).

    The hash of a story's beginning decides whether it is the generator's. So the blocks and duplicates of a story are
    in the same part, and the split does not depend on the other stories or settings.

    Raises:
        ValueError: a split of `needs` is empty.
    """
    corpus = load_corpus(CorpusConfig.from_mapping(config["corpus"]), data, NAMES_FILE, needs)
    parts: dict[str, list[PlottedStory]] = {"generator": [], "metrics": [], "validation": []}
    for split in ("train", "validation"):
        stories = tag_corpus(getattr(corpus, split), cache)
        plots = extract_plots(stories, config["plots"], config["seed"])
        first = 0  # index of the first block of the story
        for index, (story, plot) in enumerate(zip(stories, plots, strict=True)):
            if (
                split == "validation"
                or index == 0
                or corpus.train_keys[index] != corpus.train_keys[index - 1]
            ):
                first = index
            block = f".{index - first}" if index > first else ""
            row = PlottedStory(f"{config['name']}-{split}-{first:06d}{block}", story, plot)
            if split == "validation":
                parts["validation"].append(row)
            else:
                rest = is_held_out(corpus.train_keys[index], 1 - config["share"])
                parts["metrics" if rest else "generator"].append(row)
    return PlotCorpus(**parts)
