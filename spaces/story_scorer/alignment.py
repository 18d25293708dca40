"""Aligns the normalized words of an explanation with the story as it was typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from openmeva.metrics.core.text import PLACEHOLDERS, split_sentences

_RUN = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


class ExplainedWord(NamedTuple):
    """A span of a sentence: `text`, and its suggested replacement (`None`: keep it; "": delete it)."""

    text: str
    suggestion: str | None


class ExplainedSentence(NamedTuple):
    """A sentence with its words, and the gain of the story's score without it."""

    words: list[ExplainedWord]
    gain: float


def align(story: str, explanation: Mapping[str, Any]) -> list[ExplainedSentence]:
    """The story's sentences with gains and edits.

    Args:
        story: the input of the metric.
        explanation: `sentences` (`text` of normalized words, `gain`) and, from UNION, `edits` (`sentence`,
            `start`, `end` in words, `suggestion`).

    Where the numbers of sentences differ, the normalized text is used instead of the typed one.
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
    """`sentence` split into words and the text between them; concatenated they give the sentence."""
    words: list[ExplainedWord] = []
    at = 0
    low = sentence.lower() if len(sentence.lower()) == len(sentence) else sentence
    for index, word in enumerate(normal):
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
            words.append(ExplainedWord(sentence[at:start], None))
        words.append(ExplainedWord(sentence[start:end], edits.get(index)))
        at = end
    if at < len(sentence):
        words.append(ExplainedWord(sentence[at:], None))
    return words
