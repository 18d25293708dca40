"""Aligns the normalised words of an explanation with the story as it was typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from openmeva.metrics.core.text import PLACEHOLDERS, split_sentences

_RUN = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


class ExplainedWord(NamedTuple):
    """A stretch of a sentence: `text`, and what would stand in its place (`None`: it stays; "": nothing)."""

    text: str
    suggestion: str | None


class ExplainedSentence(NamedTuple):
    """A sentence with its words, and how much the story's score gains without it."""

    words: list[ExplainedWord]
    gain: float


def align(story: str, explanation: Mapping[str, Any]) -> list[ExplainedSentence]:
    """The story's sentences with gains and edits.

    Args:
        story: as the metric saw it.
        explanation: `sentences` (`text` of normalised words, `gain`) and, from UNION, `edits` (`sentence`,
            `start`, `end` in words, `suggestion`).

    Where the two do not fit, the normalised text is shown instead of the typed one.
    """
    normal = explanation["sentences"]
    typed = split_sentences(story)
    if len(typed) != len(normal):
        typed = [sentence["text"] for sentence in normal]
    edits: dict[int, dict[int, str]] = {}
    for edit in explanation.get("edits", ()):
        edits.setdefault(edit["sentence"], {})[edit["start"]] = edit["suggestion"]
    return [
        ExplainedSentence(_words(text, one["text"].split(" "), edits.get(place, {})), float(one["gain"]))
        for place, (text, one) in enumerate(zip(typed, normal, strict=True))
    ]


def _words(sentence: str, normal: Sequence[str], edits: Mapping[int, str]) -> list[ExplainedWord]:
    """`sentence` cut into words and what lies between them; together they are the sentence again."""
    found: list[ExplainedWord] = []
    at = 0
    low = sentence.lower() if len(sentence.lower()) == len(sentence) else sentence
    for place, word in enumerate(normal):
        if word in PLACEHOLDERS:
            run = _RUN.search(sentence, at)
            start, end = run.span() if run else (-1, -1)
            if run and run[0].lower().endswith("'s"):
                end -= 2
        else:
            start = low.find(word, at)
            end = start + len(word)
        if start < 0:
            continue
        if start > at:
            found.append(ExplainedWord(sentence[at:start], None))
        found.append(ExplainedWord(sentence[start:end], edits.get(place)))
        at = end
    if at < len(sentence):
        found.append(ExplainedWord(sentence[at:], None))
    return found
