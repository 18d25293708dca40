"""Likely errors of a story with a low score, found by repairs that raise the score.

UNION's four types of negative samples each have a repair: a repeated sentence is dropped, words are replaced as UNION's
reconstruction head suggests, two sentences are exchanged, and a negation is reverted. In addition, a sentence that does not
belong is dropped. Repairs are applied on top of one another, since two errors may mask each other. Exact repetitions of a
sentence are found by comparing texts, whatever the score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from openmeva.spaces.story_scorer.alignment import align

ERROR_TYPES = {
    "repeated": "It repeats itself",
    "reordered": "Things happen in the wrong order",
    "negated": "A negation does not fit",
    "substituted": "Words do not fit their surroundings",
    "unrelated": "A sentence does not belong",
}
_NEGATION = re.compile(r"\b(?:not|never|no|nobody|nothing|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
MIN_GAIN = 0.1  # least gain in score of a repair, or of two together, to report an error; a further repair needs twice that
MAX_ERRORS = 3
_MIN_REPEATED_WORDS = 4  # of a sentence whose repetition is an error: `"Yes," he said.` may be repeated
_MAX_SWAPS = 15
_MAX_DROPPED = 6
_MAX_SENTENCES = 24
_MAX_SENTENCES_FOR_PAIRS = 10  # sentences of a story for which combinations of two repairs are tried
_TRIED_FURTHER = 3  # single repairs with too small a gain that are combined with a second one


class StoryError(NamedTuple):
    """A likely error: a key of `ERROR_TYPES`, and the indices of the sentences concerned, from 0."""

    error_type: str
    sentences: tuple[int, ...]


@dataclass(frozen=True)
class Diagnosis:
    """The likely errors of a story.

    Attributes:
        errors: empty where the story has a low score and no repair helps, or none was tried.
        before, after: the score of the story, and of the story after all repairs; higher is better.
        repaired: the story after all repairs.
        untried: why no repair was tried, as a sentence; blank where one was, or where `errors` is not empty.
    """

    errors: tuple[StoryError, ...]
    before: float
    after: float
    repaired: str
    untried: str = ""


class _Sentence(NamedTuple):
    """A sentence of a version of the story: its index in the original, its text, its text as corrected by UNION, and how
    much the score gains without it."""

    position: int
    text: str
    corrected: str | None
    gain: float


_Version = tuple[_Sentence, ...]
_Repair = tuple[StoryError, _Version]


def diagnose(
    story: str,
    explanation: Mapping[str, Any],
    score: float,
    is_low: Callable[[float], bool],
    rescore: Callable[[Sequence[str]], Sequence[float]],
) -> Diagnosis | None:
    """The likely errors of a story; `None` where its score is not low and no sentence is repeated.

    Args:
        story: the input of UNION.
        explanation: UNION's explanation of it.
        score: score of the story, higher is better.
        is_low: whether a score is low among the scores of human stories.
        rescore: scores other stories, as one batch.
    """
    sentences = align(story, explanation)
    version = tuple(
        _Sentence(
            index,
            "".join(word.text for word in sentence.words),
            _with_suggestions(sentence.words),
            sentence.gain,
        )
        for index, sentence in enumerate(sentences)
    )
    errors, version = _without_copies(version)
    value = rescore([_joined(version)])[0] if errors else score
    few = 1 < len(version) <= _MAX_SENTENCES
    while few and is_low(value) and len(errors) < MAX_ERRORS:
        best = _best(version, value, not errors, rescore)
        if best is None:
            break
        more, version, value = best
        errors += more
    if not errors and not is_low(score):
        return None
    untried = "" if errors else _why_untried(version)
    return Diagnosis(tuple(errors), score, value, _joined(version), untried)


def _why_untried(version: _Version) -> str:
    if not 1 < len(version) <= _MAX_SENTENCES:
        return f"Repairs are tried on stories of 2 to {_MAX_SENTENCES} sentences, and this one has {len(version)}."
    if next(_repairs(version), None) is None:
        return "No repair was tried, since none applies to this story."
    return ""


def _joined(version: _Version) -> str:
    return " ".join(sentence.text.strip() for sentence in version)


def _with_suggestions(words: Sequence[Any]) -> str | None:
    if all(word.suggestion is None for word in words):
        return None
    return "".join(word.text if word.suggestion is None else word.suggestion for word in words)


def _without_copies(version: _Version) -> tuple[list[StoryError], _Version]:
    """Exact repetitions of sentences, and the version without them."""
    first: dict[tuple[str, ...], int] = {}
    errors, kept = [], []
    for sentence in version:
        words = tuple(_WORD.findall(sentence.text.lower()))
        early = first.setdefault(words, sentence.position)
        if early != sentence.position and len(words) >= _MIN_REPEATED_WORDS:
            errors.append(StoryError("repeated", (early, sentence.position)))
        else:
            kept.append(sentence)
    return errors, tuple(kept)


def _best(
    version: _Version, value: float, first: bool, rescore: Callable[[Sequence[str]], Sequence[float]]
) -> tuple[list[StoryError], _Version, float] | None:
    """The repair that raises the score most; `None` where none helps.

    Combinations of two repairs are tried where no single one helps and no error has been found yet (`first`).
    """
    least = value + MIN_GAIN * (1 if first else 2)
    single = _scored([([error], after) for error, after in _repairs(version)], rescore)
    chosen = _best_sufficient(single, value, least)
    if chosen is None and first and len(version) <= _MAX_SENTENCES_FOR_PAIRS:
        tried = sorted(single, key=lambda one: -one[2])[:_TRIED_FURTHER]
        double = [
            ([*errors, error], after)
            for errors, changed, _ in tried
            if len(changed) > 1
            for error, after in _repairs(changed)
            if error not in errors
        ]
        chosen = _best_sufficient(_scored(double, rescore), value, least)
    return chosen


def _scored(
    repairs: Sequence[tuple[list[StoryError], _Version]], rescore: Callable[[Sequence[str]], Sequence[float]]
) -> list[tuple[list[StoryError], _Version, float]]:
    values = rescore([_joined(after) for _, after in repairs]) if repairs else []
    return [(errors, after, value) for (errors, after), value in zip(repairs, values, strict=True)]


def _best_sufficient(
    repairs: Sequence[tuple[list[StoryError], _Version, float]], value: float, least: float
) -> tuple[list[StoryError], _Version, float] | None:
    """The best of the repairs that raise the score from `value` to `least` or more.

    Dropping a sentence repairs any error in it, so a more specific repair is preferred when it is nearly as good.
    """

    def order(repair: tuple[list[StoryError], _Version, float]) -> float:
        vague = sum(error.error_type == "unrelated" for error in repair[0]) / len(repair[0])
        return (repair[2] - value) * (1 - 0.3 * vague)

    enough = [repair for repair in repairs if repair[2] >= least]
    return max(enough, key=order, default=None)


def _repairs(version: _Version) -> Iterator[_Repair]:
    """All single repairs."""
    yield from _without_repetition(version)
    yield from _swapped(version)
    yield from _with_changes(version)
    yield from _without_one(version)


def _without(version: _Version, at: int) -> _Version:
    return (*version[:at], *version[at + 1 :])


def _without_repetition(version: _Version) -> Iterator[_Repair]:
    """Drops a sentence that shares most of its words with an earlier one."""
    words = [set(_WORD.findall(sentence.text.lower())) for sentence in version]
    for late in range(1, len(version)):
        for early in range(late):
            shared = len(words[late] & words[early])
            if shared >= 3 and shared >= 0.75 * min(len(words[late]), len(words[early])):
                indices = version[early].position, version[late].position
                yield StoryError("repeated", indices), _without(version, late)
                break


def _swapped(version: _Version) -> Iterator[_Repair]:
    """Exchanges two sentences, but never the first; adjacent ones are tried first where there are many."""
    pairs = sorted(combinations(range(1, len(version)), 2), key=lambda pair: pair[1] - pair[0])[:_MAX_SWAPS]
    for first, second in pairs:
        order = list(version)
        order[first], order[second] = order[second], order[first]
        indices = sorted((version[first].position, version[second].position))
        yield StoryError("reordered", tuple(indices)), tuple(order)


def _with_changes(version: _Version) -> Iterator[_Repair]:
    """Applies UNION's edits, negations apart from other words: in each sentence alone, and in all of them together."""
    by_type: dict[str, list[int]] = {"negated": [], "substituted": []}
    for at, sentence in enumerate(version):
        if sentence.corrected is not None:
            is_negation = bool(_NEGATION.search(sentence.text)) != bool(_NEGATION.search(sentence.corrected))
            by_type["negated" if is_negation else "substituted"].append(at)
    for error_type, indices in by_type.items():
        for chosen in [(at,) for at in indices] + ([tuple(indices)] if len(indices) > 1 else []):
            changed = tuple(
                sentence._replace(text=sentence.corrected or "", corrected=None) if at in chosen else sentence
                for at, sentence in enumerate(version)
            )
            yield StoryError(error_type, tuple(version[at].position for at in chosen)), changed


def _without_one(version: _Version) -> Iterator[_Repair]:
    """Drops a sentence other than the first; where there are many, only those that lower the score most."""
    costly = sorted(range(1, len(version)), key=lambda at: -version[at].gain)[:_MAX_DROPPED]
    if len(version) > 2:
        for at in sorted(costly):
            yield StoryError("unrelated", (version[at].position,)), _without(version, at)
