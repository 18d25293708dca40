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

    Marks do not count, and 4-grams go across the ends of sentences.

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

    def lowered(self, score: float, sentences: Sentences) -> float:
        """A score from 0 to 1, lowered by the repetition in the sentences; the same if they repeat no more than people.

        >>> cost = RepetitionCost(8.0)
        >>> cost.lowered(0.5, [["she", "ran"]]), round(cost.lowered(0.5, [["a", "b", "c", "d"]] * 2), 2)
        (0.5, 0.19)
        """
        excess = max(0.0, repeated_share(sentences) - HUMAN_SHARE) if self.weight else 0.0
        if not excess:
            return score
        odds = math.exp(-self.weight * excess)
        return score * odds / (1 - score + score * odds)
