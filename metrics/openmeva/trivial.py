"""Trivial baselines, which ignore the meaning of a story. A useful metric has to beat them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def length(story: str) -> float:
    """Number of words, split at whitespace.

    >>> length("she ran . she ran .")
    6.0
    """
    return float(len(story.split()))


def distinct(story: str, n: int) -> float:
    """distinct-n: the share of distinct n-grams, lower-cased, in 0..1; 1 for a story shorter than `n` words.

    >>> distinct("she ran . she ran .", 1)
    0.5
    """
    grams = _grams(story, n)
    return len(set(grams)) / len(grams) if grams else 1.0


def repetition_share(story: str, n: int = 3) -> float:
    """The negated share of words covered by an n-gram that occurred in the story before, in -1..0.

    Less repetition is taken as better, so higher is better.

    >>> repetition_share("she ran . she ran .")
    -0.5
    """
    words = story.lower().split()
    seen: set[tuple[str, ...]] = set()
    repeated = np.zeros(len(words), dtype=bool)
    for index, gram in enumerate(_grams(story, n)):
        if gram in seen:
            repeated[index : index + n] = True
        seen.add(gram)
    return -float(repeated.mean()) if len(words) else 0.0


TRIVIAL_BASELINES: dict[str, Callable[[str], float]] = {
    "length": length,
    "distinct_1": lambda story: distinct(story, 1),
    "distinct_2": lambda story: distinct(story, 2),
    "distinct_3": lambda story: distinct(story, 3),
    "repetition_share": repetition_share,
}


def trivial_scores(stories: Sequence[str]) -> dict[str, np.ndarray]:
    """`(n,)` scores of each trivial baseline, by name."""
    return {
        name: np.array([function(story) for story in stories]) for name, function in TRIVIAL_BASELINES.items()
    }


def _grams(story: str, n: int) -> list[tuple[str, ...]]:
    words = story.lower().split()
    return [tuple(words[index : index + n]) for index in range(len(words) - n + 1)]
