"""Sees to it that no word or phrase that paraphrases add gives them away by its share."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from openmeva.training.autos.builder import AutosBuilder, Made, Row
from openmeva.training.corpora.story_rows import StoryRow
from openmeva.training.perturbations.aspects.registry import ASPECTS, INVARIANCE_ASPECTS
from openmeva.training.text.phrases import Features, words_and_phrases

SHARE = 0.05  # of the perturbed stories that any phrase may mark,
MOST = 0.2  # and one that people use as often: the best rule by one phrase is then right in less than .6
FEWEST = 100  # perturbed stories of which a twentieth says something
_ROUNDS = 6  # of perturbing stories anew; what is too much after these is left out
PARAPHRASED = tuple(name for name, aspect in ASPECTS.items() if "paraphraser" in aspect.needs)


def evened(made: Made, stories: Sequence[StoryRow], human: Sequence[StoryRow], builder: AutosBuilder) -> Made:
    """What a stage made, its paraphrases evened: of each aspect's perturbed stories, no phrase marks too many.

    A phrase (one to three tokens) marks a perturbed story that has it while the original lacks it. It may mark a
    twentieth of them, or, up to a fifth, as large a share as that of the human stories that have it. Stories beyond that, by
    a hash of their ids, are perturbed anew with another paraphrase, or left out, in the invariance test with their
    originals, where there is none. Fewer than a hundred are left as they are.

    Args:
        made: of one stage, rows of any aspects.
        stories: that they were made of.
        human: all human stories of the set.
        builder: perturbs anew.
    """
    usual = shares(row["story"] for row in human)
    rows = made.rows
    for aspect in PARAPHRASED:
        found = {row["perturbed_from"]: row for row in rows if row["aspect"] == aspect and not row["label"]}
        if len(found) < FEWEST:
            continue
        left = _evened(found, {row["story_id"]: row for row in stories}, usual, builder)
        rows = [
            row if row["label"] or row["aspect"] != aspect else left[row["perturbed_from"]]
            for row in rows
            if row["aspect"] != aspect or _stays(row, left)
        ]
    return Made(rows, made.tried)


def shares(texts: Iterable[str]) -> dict[str, float]:
    """Of each word and phrase of up to three tokens the share of texts that have it, 0..1."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(words_and_phrases(text))
        total += 1
    return {phrase: count / total for phrase, count in counts.items()}


def marks(row: Row, original: str) -> Features:
    """The words and phrases of a perturbed story that its original lacks."""
    return words_and_phrases(row["story"]) - words_and_phrases(original)


def limits(marked: Iterable[Features], usual: Mapping[str, float]) -> dict[str, int]:
    """The phrases that mark too many stories, the worst first, each with the number that it may mark.

    Args:
        marked: the marks of each perturbed story.
        usual: the share of human stories that have a phrase.
    """
    every = list(marked)
    counts = Counter(phrase for found in every for phrase in found)
    allowed = {
        phrase: int(min(MOST, max(SHARE, usual.get(phrase, 0.0))) * max(FEWEST, len(every)))
        for phrase, count in counts.items()
        if count > SHARE * len(every)
    }
    over = {phrase: counts[phrase] - most for phrase, most in allowed.items() if counts[phrase] > most}
    return {phrase: allowed[phrase] for phrase in sorted(over, key=lambda one: (-over[one], one))}


def _evened(
    found: Mapping[str, Row],
    stories: Mapping[str, StoryRow],
    usual: Mapping[str, float],
    builder: AutosBuilder,
) -> dict[str, Row]:
    """The perturbed stories of one aspect by their originals' ids: some made anew, some left out."""
    left = dict(found)
    avoided: Features = frozenset()
    for number in range(len(found)):
        marked = {source: marks(row, stories[source]["story"]) for source, row in left.items()}
        most = limits(marked.values(), usual)
        if not most:
            break
        avoided |= most.keys()
        surplus = _surplus(marked, most)
        redone = [stories[source] for source in surplus] if number < _ROUNDS else []
        aspect, origin = (next(iter(found.values()))[key] for key in ("aspect", "origin"))
        anew = {row["perturbed_from"]: row for row in builder.anew(redone, aspect, origin, avoided)}
        left = {
            source: anew.get(source, row)
            for source, row in left.items()
            if source in anew or source not in surplus
        }
    return left


def _surplus(marked: Mapping[str, Features], most: Mapping[str, int]) -> set[str]:
    """Of the stories that a phrase marks those beyond its limit, in the order of a hash of their ids."""
    order = sorted(
        marked, key=lambda source: hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
    )
    chosen: set[str] = set()
    for phrase, limit in most.items():
        chosen.update([one for one in order if phrase in marked[one] and one not in chosen][limit:])
    return chosen


def _stays(row: Row, left: Mapping[str, Row]) -> bool:
    """Whether a row of an aspect stays: a coherent example of the discrimination test always does."""
    if not row["label"]:
        return row["perturbed_from"] in left
    return row["aspect"] not in INVARIANCE_ASPECTS or row["story_id"] in left
