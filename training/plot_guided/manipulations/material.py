"""What manipulations draw on: other stories' phrases, the words' tags, opposites, and the order of events."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.text.knowledge.events import EventModel
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory


def usual_tags(stories: Iterable[TaggedStory]) -> dict[str, str]:
    """The tag that each word of a corpus has most often: phrases of a plot have lost theirs.

    >>> usual_tags([TaggedStory([["dogs", "run"]], [["NNS", "VBP"]])])
    {'dogs': 'NNS', 'run': 'VBP'}
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for story in stories:
        for words, tags in zip(story.words, story.tags, strict=True):
            for word, tag in zip(words, tags, strict=True):
                counts[word][tag] += 1
    return {word: max(sorted(found), key=found.__getitem__) for word, found in counts.items()}


@dataclass(frozen=True)
class PlotMaterial:
    """All that a manipulation may use beside the plot itself.

    Attributes:
        plots: of the corpus; foreign phrases come from them.
        tags: the usual Penn Treebank tag of a word.
        language: opposites, lemmas and inflection.
        events: what comes before and after an event.
        share: of the phrases that a manipulation affects (section 5.1).
        whole_sentences: whether substitution takes all phrases of a sentence (Figure 2), not single ones.
        repeated_share: of the phrases that repetition repeats.
        sentences_a_repetition: a repeated phrase goes to one sentence in so many, to one at least.
    """

    plots: Sequence[Plot] = field(repr=False)
    tags: Mapping[str, str] = field(repr=False)
    language: Language
    events: EventModel
    share: float = 0.15
    whole_sentences: bool = False
    repeated_share: float = 0.05
    sentences_a_repetition: int = 3

    def tag(self, word: str) -> str:
        """The word's usual tag; that of a noun where the corpus lacks it."""
        return self.tags.get(word, "NN")

    def knows(self, word: str) -> bool:
        """Whether the corpus has the word."""
        return word in self.tags


def count_of(share: float, total: int) -> int:
    """How many of `total` a share makes: rounded, at least one.

    >>> count_of(0.15, 10), count_of(0.05, 4)
    (2, 1)
    """
    return max(1, int(share * total + 0.5))
