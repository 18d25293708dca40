"""The likely kind of error in a story: that whose repair raises the UNION score most.

UNION was trained on four kinds of damage: repetition, substitution, reordering and negation. Each has a repair:
a repeated sentence goes, words that the reconstruction head would change are changed, two sentences change
places, a negation is taken back. The repair after which the score rises most names the likely error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from openmeva.spaces.alignment import align

KINDS = {
    "repeated": "It repeats itself",
    "reordered": "Things happen in the wrong order",
    "negated": "It contradicts itself",
    "substituted": "Words do not fit their surroundings",
    "unrelated": "A sentence does not belong",
}
_NEGATIONS = frozenset({"not", "n't", "never", "no", "nobody", "nothing", "cannot", "without"})
_NEGATION = re.compile(r"\b(?:not|never|no|nobody|nothing|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
# A story whose score rises by less than this has no error that is worth a name.
THRESHOLD = 0.1
_MOST_SWAPS = 15
_MOST_SENTENCES = 24


@dataclass(frozen=True)
class Diagnosis:
    """The likely kind of error.

    Attributes:
        kind: a key of `KINDS`.
        sentences: places of the sentences concerned, counted from 0.
        gain: how much the score rises after the repair, 0 to 1.
        repaired: the story after it.
    """

    kind: str
    sentences: tuple[int, ...]
    gain: float
    repaired: str


def diagnose(
    story: str,
    explanation: Mapping[str, Any],
    score: float,
    rescore: Callable[[Sequence[str]], Sequence[float]],
) -> Diagnosis | None:
    """The repair that helps most, or `None` where none helps by `THRESHOLD`.

    Args:
        story: as UNION saw it.
        explanation: UNION's of it.
        score: UNION's of it, 0 to 1.
        rescore: scores of other stories, all at once.
    """
    sentences = align(story, explanation)
    texts = ["".join(word.text for word in sentence.words) for sentence in sentences]
    if not 1 < len(texts) <= _MOST_SENTENCES:
        return None
    repairs = [
        *_without_repetition(texts),
        *_swapped(texts),
        *_mended(texts, [[(w.text, w.suggestion) for w in s.words] for s in sentences]),
        *_without_one(texts, [sentence.gain for sentence in sentences]),
    ]
    found = rescore([story for _, _, story in repairs]) if repairs else []
    diagnoses = [
        Diagnosis(kind, places, value - score, story)
        for (kind, places, story), value in zip(repairs, found, strict=True)
    ]
    best = max(diagnoses, key=lambda one: one.gain, default=None)
    # Leaving a sentence out mends whatever is wrong with it: a repair that says more goes first when as good.
    for one in sorted(diagnoses, key=lambda one: one.gain):
        telling = one.kind == "repeated" or (
            one.kind != "unrelated" and best is not None and best.kind == "unrelated"
        )
        if best is not None and telling and one.gain > 0.7 * best.gain:
            best = one
    return best if best is not None and best.gain >= THRESHOLD else None


Repair = tuple[str, tuple[int, ...], str]


def _joined(texts: Sequence[str]) -> str:
    return " ".join(text.strip() for text in texts)


def _without_repetition(texts: Sequence[str]) -> list[Repair]:
    """A sentence most of whose words an earlier one has goes."""
    words = [set(_WORD.findall(text.lower())) for text in texts]
    found: list[Repair] = []
    for late in range(1, len(texts)):
        for early in range(late):
            shared = len(words[late] & words[early])
            if shared >= 3 and shared >= 0.75 * min(len(words[late]), len(words[early])):
                found.append(("repeated", (early, late), _joined([*texts[:late], *texts[late + 1 :]])))
                break
    return found


def _swapped(texts: Sequence[str]) -> list[Repair]:
    """Two sentences change places; the first stays, neighbours come first where there are many."""
    pairs = sorted(combinations(range(1, len(texts)), 2), key=lambda pair: pair[1] - pair[0])[:_MOST_SWAPS]
    found: list[Repair] = []
    for first, second in pairs:
        order = list(texts)
        order[first], order[second] = order[second], order[first]
        found.append(("reordered", (first, second), _joined(order)))
    return found


def _mended(texts: Sequence[str], words: Sequence[Sequence[tuple[str, str | None]]]) -> list[Repair]:
    """The changes of UNION's reconstruction are made: of negations and of other words, by sentence and all."""
    mended: dict[str, dict[int, str]] = {"negated": {}, "substituted": {}}
    for place, sentence in enumerate(words):
        changed = [(old, new) for old, new in sentence if new is not None]
        if not changed:
            continue
        text = "".join(old if new is None else new for old, new in sentence)
        about = any(old.lower() in _NEGATIONS or (new or "").lower() in _NEGATIONS for old, new in changed)
        about = about or bool(_NEGATION.search(texts[place])) != bool(_NEGATION.search(text))
        mended["negated" if about else "substituted"][place] = text
    found: list[Repair] = []
    for kind, by_place in mended.items():
        choices = [(place,) for place in by_place] + ([tuple(by_place)] if len(by_place) > 1 else [])
        for places in choices:
            changed_texts = [by_place[i] if i in places else text for i, text in enumerate(texts)]
            found.append((kind, places, _joined(changed_texts)))
    return found


def _without_one(texts: Sequence[str], gains: Sequence[float]) -> list[Repair]:
    """The sentence that costs the story most goes, the first excepted."""
    worst = max(range(1, len(texts)), key=lambda place: gains[place])
    return [("unrelated", (worst,), _joined([*texts[:worst], *texts[worst + 1 :]]))]
