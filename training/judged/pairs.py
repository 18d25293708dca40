"""Preferences between two stories, as two rows each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from openmeva.training.judged.rows import JudgedStory


class Preference(NamedTuple):
    """A story that was preferred over another one for the same prompt."""

    pair: str
    prompt: str
    chosen: str
    rejected: str


def preference_rows(preferences: Iterable[Preference]) -> Iterator[JudgedStory]:
    """The preferred story of each pair with the score 1, then the other with 0.

    >>> [row["score"] for row in preference_rows([Preference("7", "a prompt", "a good story", "a dull story")])]
    [1.0, 0.0]
    """
    for preference in preferences:
        for name, story, score in (
            ("chosen", preference.chosen, 1.0),
            ("rejected", preference.rejected, 0.0),
        ):
            yield {
                "story_id": f"{preference.pair}-{name}",
                "pair": preference.pair,
                "prompt": preference.prompt,
                "story": story,
                "score": score,
            }
