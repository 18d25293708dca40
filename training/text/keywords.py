"""Keywords of a corpus and their frequencies, for random replacement (section 3.2)."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.text.language import Language
from openmeva.training.text.tagged_story import TaggedStory


class KeywordTable:
    """Keywords by part of speech, sampled in proportion to their frequency.

    The part of speech is the Penn Treebank tag, as in the paper's released code, so that the form fits: a past tense is
    replaced by a past tense.

    Args:
        counts: For each tag, the frequency of each keyword.

    >>> import numpy as np
    >>> table = KeywordTable({"NN": {"dog": 3, "cat": 1}})
    >>> table.sample("NN", "dog", BufferedRandom(np.random.default_rng(0)))
    'cat'
    """

    def __init__(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self._words: dict[str, list[str]] = {}
        self._ends: dict[str, list[int]] = {}
        self._places: dict[tuple[str, str], int] = {}
        for tag, mentions in counts.items():
            # sorted, so that the table does not depend on the order of the corpus
            words = sorted(word for word, count in mentions.items() if count > 0)
            self._words[tag] = words
            self._ends[tag] = list(accumulate(mentions[word] for word in words))
            self._places.update(((tag, word), index) for index, word in enumerate(words))

    @classmethod
    def count(cls, stories: Iterable[TaggedStory], language: Language) -> "KeywordTable":
        """The table of a tagged corpus."""
        mentions: Counter[tuple[str, str]] = Counter()
        for story in stories:
            for words, tags in zip(story.words, story.tags, strict=True):
                mentions.update(zip(words, tags, strict=True))
        counts: dict[str, dict[str, int]] = {}
        for (word, tag), count in mentions.items():
            if is_replaceable(word, tag, language):
                counts.setdefault(tag, {})[word] = count
        return cls(counts)

    def sample(self, tag: str, word: str, rng: BufferedRandom) -> str | None:
        """A keyword with the same tag, other than `word`, sampled by frequency; None if there is none."""
        ends = self._ends.get(tag)
        if not ends:
            return None
        index = self._places.get((tag, word))
        start = own = 0
        if index is not None:
            start = ends[index - 1] if index else 0
            own = ends[index] - start
        others = ends[-1] - own
        if others == 0:
            return None
        mention = rng.below(others)
        if index is not None and mention >= start:
            mention += own  # skip the word's own mentions
        return self._words[tag][bisect_right(ends, mention)]


def is_replaceable(word: str, tag: str, language: Language) -> bool:
    """Whether `word` is a keyword; placeholders for names such as ``[MALE]`` never are."""
    return not word.startswith("[") and language.is_keyword(word, tag)
