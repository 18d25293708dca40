"""Repetition over a whole story, which no window of it shows: how much there is, and what it costs the score."""

import math
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
    words = [word for sentence in sentences for word in sentence if any(map(str.isalnum, word))]
    ngrams = list(zip(*(words[start:] for start in range(NGRAM)), strict=False))
    return 1 - len(set(ngrams)) / len(ngrams) if ngrams else 0.0


@dataclass(frozen=True)
class RepetitionCost:
    """What repetition costs a score.

    Attributes:
        weight: by how much the logit is lowered for each unit of the share above `HUMAN_SHARE`; 0: no cost.
    """

    weight: float = 0.0

    def of(self, sentences: Sentences) -> float:
        """By how much the logit is lowered; 0 if the sentences repeat no more than people do."""
        excess = max(0.0, repeated_share(sentences) - HUMAN_SHARE) if self.weight else 0.0
        return self.weight * excess if excess else 0.0


def lowered(score: float, cost: float) -> float:
    """A score from 0 to 1 with its logit lowered by a cost.

    >>> lowered(0.5, 0.0), round(lowered(0.5, 1.0), 2)
    (0.5, 0.27)
    """
    odds = math.exp(-cost)
    return score * odds / (1 - score + score * odds) if cost else score
