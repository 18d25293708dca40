"""A corpus with plots, in the two parts that section 5.1 keeps apart: the generator's, and the metrics'."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.training.corpora.splits import CorpusConfig, Split, load_corpus
from openmeva.training.corpora.stories import is_held_out
from openmeva.training.paths import ENCODER
from openmeva.training.plot_guided.plots.extractors import extract_plots
from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.text.tagged_corpus import tag_corpus
from openmeva.training.text.tagged_story import TaggedStory


@dataclass(frozen=True)
class PlottedStory:
    """A human story and its plot.

    Attributes:
        group: the story's id, the same in every stage.
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
    """The generator's stories, those left for negatives and classifiers, and the held-out ones."""

    generator: list[PlottedStory]
    metrics: list[PlottedStory]
    validation: list[PlottedStory]


def load_plots(
    config: dict[str, Any],
    data: Path,
    cache: Path,
    names: Path | None = None,
    needs: Sequence[Split] = ("train",),
) -> PlotCorpus:
    """Reads, tags and plots a corpus (the keys `name`, `corpus`, `plots`, `share` and `seed` of a configuration).

    A story belongs to the generator by the hash of its beginning, so a story, its parts and its copies never part, and
    the division is the same whatever else is read, and however. A ValueError where a split of `needs` is empty.
    """
    names = names or ENCODER / "names.json"
    corpus = load_corpus(CorpusConfig.from_mapping(config["corpus"]), data, names, needs)
    parts: dict[str, list[PlottedStory]] = {"generator": [], "metrics": [], "validation": []}
    for split in ("train", "validation"):
        stories = tag_corpus(getattr(corpus, split), cache)
        plots = extract_plots(stories, config["plots"], config["seed"])
        for place, (story, plot) in enumerate(zip(stories, plots, strict=True)):
            row = PlottedStory(f"{config['name']}-{split}-{place:06d}", story, plot)
            if split == "validation":
                parts["validation"].append(row)
            else:
                rest = is_held_out(corpus.train_keys[place], 1 - config["share"])
                parts["metrics" if rest else "generator"].append(row)
    return PlotCorpus(**parts)
