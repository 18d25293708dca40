"""Data that manipulations use: other stories' phrases, the words' tags, opposites, and the order of events."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.text.knowledge.events import EventModel
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory

# Of repetition in the released code; section 5.1 has .15
REPEATED_SHARE, SENTENCES_PER_REPETITION = 0.05, 3


def most_frequent_tags(stories: Iterable[TaggedStory]) -> dict[str, str]:
    """The most frequent tag of each word of a corpus, since phrases of a plot have no tags.

    >>> most_frequent_tags([TaggedStory([["dogs", "run"]], [["NNS", "VBP"]])])
    {'dogs': 'NNS', 'run': 'VBP'}
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for story in stories:
        for words, tags in zip(story.words, story.tags, strict=True):
            for word, tag in zip(words, tags, strict=True):
                counts[word][tag] += 1
    return {word: max(sorted(tag_counts), key=tag_counts.__getitem__) for word, tag_counts in counts.items()}


@dataclass(frozen=True)
class PlotMaterial:
    """The data that a manipulation uses in addition to the plot.

    Attributes:
        plots: plots of the corpus, the source of other stories' phrases.
        tags: the most frequent Penn Treebank tag of each word.
        language: opposites, lemmas and inflection.
        events: model of the events before and after an event.
        share: share of the phrases that a manipulation affects (section 5.1).
        whole_sentences: whether substitution replaces all phrases of a sentence (Figure 2), not single ones.
        repeated_share: share of the phrases that repetition repeats.
        sentences_per_repetition: a repeated phrase is inserted in one of this many sentences, at least in one.
    """

    plots: Sequence[Plot] = field(repr=False)
    tags: Mapping[str, str] = field(repr=False)
    language: Language
    events: EventModel
    share: float = 0.15
    whole_sentences: bool = False
    repeated_share: float = REPEATED_SHARE
    sentences_per_repetition: int = SENTENCES_PER_REPETITION

    def tag(self, word: str) -> str:
        """The most frequent tag of the word; `NN` if it is not in the corpus."""
        return self.tags.get(word, "NN")

    def knows(self, word: str) -> bool:
        """Whether the word is in the corpus."""
        return word in self.tags


def rounded_count(share: float, total: int) -> int:
    """The number that is `share` of `total`: rounded, at least one.

    >>> rounded_count(0.15, 10), rounded_count(0.05, 4)
    (2, 1)
    """
    return max(1, int(share * total + 0.5))
