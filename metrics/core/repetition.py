"""Repetition over a whole story, which no window of it shows: how much there is, and what it costs the score."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NGRAM = 4  # words
# Nineteen of twenty human-written stories repeat less, whether they have 25 words or 800.
HUMAN_SHARE = 0.02

Sentences = Iterable[Sequence[str]]  # their normalised words


def repeated_share(sentences: Sentences) -> float:
    """The share of a story's 4-grams that occurred in it before, from 0 to below 1; 0 for fewer than four words.

    This is 1 minus distinct-4 of the words. Marks do not count, and 4-grams go across the ends of sentences.

    >>> round(repeated_share([["she", "ran", "and", "fell", "."]] * 2), 2)
    0.2
    """
    ngrams = _ngrams([word for sentence in sentences for word in _plain(sentence)])
    return 1 - len(set(ngrams)) / len(ngrams) if ngrams else 0.0


def shares_without_each(sentences: Sentences) -> list[float]:
    """The share of repeated 4-grams of a story without its first sentence, without its second, and so on.

    Only the 4-grams that a sentence touches are counted again, so that long stories take linear time.

    >>> shares_without_each([["she", "ran", "home"]] * 3) == [repeated_share([["she", "ran", "home"]] * 2)] * 3
    True
    """
    spoken = [_plain(sentence) for sentence in sentences]
    words = [word for sentence in spoken for word in sentence]
    ngrams = _ngrams(words)
    counts = Counter(ngrams)
    shares = []
    end = 0
    for sentence in spoken:
        start, end = end, end + len(sentence)
        before = max(0, start - NGRAM + 1)
        removed = Counter(ngrams[before:end])
        joined = _ngrams(words[before:start] + words[end : end + NGRAM - 1])
        lost = sum(counts[ngram] == count for ngram, count in removed.items())
        gained = sum(counts[ngram] == removed[ngram] for ngram in set(joined))
        total = len(ngrams) - removed.total() + len(joined)
        shares.append(1 - (len(counts) - lost + gained) / total if total else 0.0)
    return shares


def _plain(sentence: Sequence[str]) -> list[str]:
    return [word for word in sentence if any(map(str.isalnum, word))]


def _ngrams(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(NGRAM)), strict=False))


@dataclass(frozen=True)
class RepetitionCost:
    """What repetition costs a score.

    Attributes:
        weight: by how much the logit is lowered for each unit of the share above `HUMAN_SHARE`; 0: no cost.
    """

    weight: float = 0.0

    def of(self, sentences: Sentences) -> float:
        """By how much the logit is lowered; 0 if the sentences repeat no more than people do."""
        return self._of_share(repeated_share(sentences)) if self.weight else 0.0

    def without_each(self, sentences: Sequence[Sequence[str]]) -> list[float]:
        """By how much it is lowered without the first sentence, without the second, and so on."""
        if not self.weight:
            return [0.0] * len(sentences)
        return [self._of_share(share) for share in shares_without_each(sentences)]

    def _of_share(self, share: float) -> float:
        excess = max(0.0, share - HUMAN_SHARE)
        return self.weight * excess if excess else 0.0


def repetition_note(share: float) -> str:
    """That a story repeats itself more than people do, as a sentence; blank if it does not.

    >>> repetition_note(0.25)
    'It repeats itself: 25 % of its sequences of four words occurred in it before, against at most 2 % in 19 of 20 human stories.'
    """
    if share <= HUMAN_SHARE:
        return ""
    return (
        f"It repeats itself: {100 * share:.3g} % of its sequences of four words occurred in it before, against at most "
        f"{100 * HUMAN_SHARE:.3g} % in 19 of 20 human stories."
    )


def lowered(score: float, cost: float) -> float:
    """A score from 0 to 1 with its logit lowered by a cost.

    >>> lowered(0.5, 0.0), round(lowered(0.5, 1.0), 2)
    (0.5, 0.27)
    """
    odds = math.exp(-cost)
    return score * odds / (1 - score + score * odds) if cost else score
