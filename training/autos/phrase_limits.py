"""Limits how often paraphrases add the same word or phrase, so that no phrase identifies perturbed stories."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from openmeva.training.autos.builder import AutosBuilder, BuiltRows, Row
from openmeva.training.corpora.story_rows import StoryRow
from openmeva.training.perturbations.aspects.registry import ASPECTS, INVARIANCE_ASPECTS
from openmeva.training.text.phrases import Features, phrases_and_openings

USUAL_SHARE = 0.05  # share of the perturbed stories that may have an added phrase
# The same for phrases as frequent in human stories: the best one-phrase rule then has an accuracy of at most .6.
MAX_SHARE = 0.2
MIN_PERTURBED = 50  # perturbed stories; with fewer, a share of a twentieth is not meaningful
_ROUNDS = 6  # of perturbing stories again; stories that still exceed the limit are excluded
PARAPHRASED_ASPECTS = tuple(name for name, aspect in ASPECTS.items() if "paraphraser" in aspect.needs)


def limit_phrases(
    made: BuiltRows, stories: Sequence[StoryRow], human: Sequence[StoryRow], builder: AutosBuilder
) -> BuiltRows:
    """The rows of a stage after limiting the phrases that paraphrases add, so that no phrase marks too many stories.

    A phrase (one to three tokens, anywhere or at the start of a sentence) marks a perturbed story if the story has it and its
    original does not. It may mark a
    twentieth of an aspect's perturbed stories. If more human stories than that contain it, the limit is their share, up to a
    fifth. Stories above the limit, in the order of a hash of their ids, are perturbed again with another paraphrase. If there
    is none, they are excluded, in the invariance test with their originals. Aspects with fewer than fifty perturbed
    stories are unchanged.

    Args:
        made: rows of one stage, of any aspects.
        stories: the stories from which the rows were made.
        human: all human stories of the set.
        builder: perturbs stories again.
    """
    usual = phrase_shares(row["story"] for row in human)
    rows = made.rows
    for aspect in PARAPHRASED_ASPECTS:
        perturbed = {
            row["perturbed_from"]: row for row in rows if row["aspect"] == aspect and not row["label"]
        }
        if len(perturbed) < MIN_PERTURBED:
            continue
        remaining = _limit_phrases_of_aspect(
            perturbed, {row["story_id"]: row for row in stories}, usual, builder
        )
        rows = [
            row if row["label"] or row["aspect"] != aspect else remaining[row["perturbed_from"]]
            for row in rows
            if row["aspect"] != aspect or _is_kept(row, remaining)
        ]
    return BuiltRows(rows, made.unfiltered_counts)


def phrase_shares(texts: Iterable[str]) -> dict[str, float]:
    """Word, phrase (up to three tokens) or opening to the share of texts that contain it, 0..1."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(phrases_and_openings(text))
        total += 1
    return {phrase: count / total for phrase, count in counts.items()}


def added_phrases(row: Row, original: str) -> Features:
    """The words, phrases and openings of a perturbed story that are not in its original."""
    return phrases_and_openings(row["story"]) - phrases_and_openings(original)


def exceeded_limits(marked: Iterable[Features], usual: Mapping[str, float]) -> dict[str, int]:
    """The phrases that mark too many stories, the largest excess first, to the number of stories that they may mark.

    Args:
        marked: the result of `added_phrases` for each perturbed story.
        usual: phrase to the share of human stories that contain it.
    """
    every = list(marked)
    counts = Counter(phrase for phrases in every for phrase in phrases)
    allowed = {
        phrase: int(min(MAX_SHARE, max(USUAL_SHARE, usual.get(phrase, 0.0))) * max(MIN_PERTURBED, len(every)))
        for phrase, count in counts.items()
        if count > USUAL_SHARE * len(every)
    }
    over = {phrase: counts[phrase] - most for phrase, most in allowed.items() if counts[phrase] > most}
    return {phrase: allowed[phrase] for phrase in sorted(over, key=lambda text: (-over[text], text))}


def _limit_phrases_of_aspect(
    perturbed: Mapping[str, Row],
    stories: Mapping[str, StoryRow],
    usual: Mapping[str, float],
    builder: AutosBuilder,
) -> dict[str, Row]:
    """The perturbed stories of one aspect by their originals' ids: some perturbed again, some excluded."""
    remaining = dict(perturbed)
    avoided: Features = frozenset()
    for number in range(len(perturbed)):
        marked = {source: added_phrases(row, stories[source]["story"]) for source, row in remaining.items()}
        most = exceeded_limits(marked.values(), usual)
        if not most:
            break
        avoided |= most.keys()
        surplus = _surplus(marked, most)
        redone = [stories[source] for source in surplus] if number < _ROUNDS else []
        aspect, origin = (next(iter(perturbed.values()))[key] for key in ("aspect", "origin"))
        anew = {row["perturbed_from"]: row for row in builder.perturb_again(redone, aspect, origin, avoided)}
        remaining = {
            source: anew.get(source, row)
            for source, row in remaining.items()
            if source in anew or source not in surplus
        }
    return remaining


def _surplus(marked: Mapping[str, Features], most: Mapping[str, int]) -> set[str]:
    """The stories that exceed the limit of a phrase, in the order of a hash of their ids."""
    order = sorted(
        marked, key=lambda source: hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
    )
    chosen: set[str] = set()
    for phrase, limit in most.items():
        chosen.update(
            [story_id for story_id in order if phrase in marked[story_id] and story_id not in chosen][limit:]
        )
    return chosen


def _is_kept(row: Row, remaining: Mapping[str, Row]) -> bool:
    """Whether a row of an aspect is kept; coherent examples of the discrimination test always are."""
    if not row["label"]:
        return row["perturbed_from"] in remaining
    return row["aspect"] not in INVARIANCE_ASPECTS or row["story_id"] in remaining
