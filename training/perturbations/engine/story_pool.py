"""Sentences and words of other stories, for substitution."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.rules.nominals import article_of
from openmeva.training.perturbations.rules.valency import complement
from openmeva.training.text.keywords import KeywordTable
from openmeva.training.text.knowledge.lexicon import is_keyword
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story

_TRIALS = 16


class StoryPool:
    """Sentences of many stories by style, and their nouns and verbs by syntactic place and frequency.

    Args:
        stories: tagged stories; see `story.parse`.

    Raises:
        ValueError: no story has a sentence.
    """

    def __init__(self, stories: Iterable[Story]) -> None:
        # A sentence of another story must have the style of those around it: one pool per style.
        self._pools: defaultdict[tuple[bool, bool], list[tuple[str, str]]] = defaultdict(list)
        mentions: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for story in stories:
            for sentence in story.sentences:
                self._pools[story.cased, story.tokenized].append((story.text, sentence.text))
                for at, (low, tag) in enumerate(zip(sentence.lowered, sentence.tags, strict=True)):
                    if (
                        tag[:2] in {"NN", "VB"}
                        and is_keyword(low, tag)
                        and not story.is_name(sentence.words[at])
                    ):
                        mentions[_place(sentence, at)][low] += 1
        if not self._pools:
            raise ValueError("expected stories with at least one sentence, got none")
        self._keywords = KeywordTable(mentions)

    def word_for(self, sentence: Sentence, at: int, rng: BufferedRandom) -> str | None:
        """A noun or verb sampled by frequency from those seen in similar places; None where there is none.

        Places are similar if a noun has the same article (or none), or a verb has the same complement.
        """
        return self._keywords.sample(_place(sentence, at), sentence.lowered[at], rng)

    def sentence_for(self, sentence: Sentence, rng: BufferedRandom) -> str | None:
        """A sentence of another story in the style of this one; None where there is none."""
        story = sentence.story
        pool = self._pools.get((story.cased, story.tokenized), [])
        for _ in range(_TRIALS if pool else 0):
            source, text = rng.choice(pool)
            if source != story.text and text not in story.text:
                return text
        return None


def _place(sentence: Sentence, at: int) -> str:
    tag = sentence.tags[at]
    if tag.startswith("V"):
        return f"{tag} {complement(sentence, at)}"
    return f"{tag} {article_of(sentence, at)}" if tag == "NN" else tag
