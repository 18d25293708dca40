"""Temporal relationship: two consecutive events are exchanged, or time words replaced by their opposites."""

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.engine.aspect import DISCRIMINATION, Aspect
from openmeva.training.perturbations.engine.material import PerturbationMaterial
from openmeva.training.perturbations.rules.clause_order import (
    Joint,
    body_end,
    exchange_one,
    opens_with_time,
)
from openmeva.training.perturbations.rules.events import refers_back, reports_event, resolves
from openmeva.training.perturbations.rules.phrase_table import substitute_one
from openmeva.training.perturbations.rules.time_words import OPPOSITES, is_time_word, sequence_opener
from openmeva.training.perturbations.rules.times import TIME_NOUNS
from openmeva.training.text.edits import Edit
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.story import Story

_CONJUNCTIONS = frozenset({"after", "before", "once"})


def is_example(story: Story, material: PerturbationMaterial) -> bool:
    """Stories with time words (Table 12)."""
    return any(is_time_word(word) for sentence in story.sentences for word in sentence.lowered)


def conjunction_size(sentence: Sentence, at: int) -> int:
    """Number of tokens at `at` that are a conjunction between consecutive events; 0 for none.

    "after", "before", "once", "as soon as", "and then". Not "until", before which there is often a state.
    """
    words = sentence.lowered
    word = words[at]
    if word in _CONJUNCTIONS:
        idiom = words[at + 2 : at + 3] == ["knew"]  # "before he knew it"
        if idiom or words[at - 1 : at] == ["even"] or _bare_pronoun(sentence, at + 1):
            return 0
        return 0 if words[0] == "it" and at and words[at - 1] in TIME_NOUNS else 1  # "it was days before"
    if word == "as" and words[at : at + 3] == ["as", "soon", "as"]:
        return 3
    if word == "and" and words[at + 1 : at + 2] == ["then"]:
        return 2
    return 0


def _bare_pronoun(sentence: Sentence, at: int) -> bool:
    """Whether "that" or "this" at `at` refers to an event: "after that and told me" contains no clause."""
    following = sentence.tags[at + 1] if at + 1 < len(sentence) else "."
    return sentence.lowered[at : at + 1] in (["that"], ["this"]) and not following.startswith(
        ("NN", "JJ", "CD")
    )


def _fronted_size(sentence: Sentence, at: int) -> int:
    return conjunction_size(sentence, at) if sentence.lowered[at] != "and" else 0


def _link(first: Sentence, second: Sentence) -> int | None:
    """As `link` of `exchange_one`: both sentences report an event, and the second presupposes the first."""
    size = sequence_opener(second)
    if sequence_opener(first) or opens_with_time(first) or (not size and opens_with_time(second)):
        return None
    events = (0, body_end(first)), (size, body_end(second))
    if not (reports_event(first, *events[0]) and reports_event(second, *events[1])):
        return None
    follows = refers_back(second, events[1], first, events[0])
    return size if follows or (size and resolves(second, size, first)) else None


def _are_ordered(sentence: Sentence, joint: Joint) -> bool:
    """Whether both clauses report an event, and one refers to a thing that the other introduces."""
    clauses = joint.main, joint.other
    return all(reports_event(sentence, *clause) for clause in clauses) and any(
        refers_back(sentence, later, sentence, earlier) for later, earlier in (clauses, clauses[::-1])
    )


def exchange_events(story: Story, rng: BufferedRandom, material: PerturbationMaterial) -> list[Edit] | None:
    """Exchanges two events: clauses around a time conjunction, or sentences of which the second begins with one."""
    return exchange_one(
        story.sentences[material.keep :], rng, conjunction_size, _fronted_size, _link, _are_ordered
    )


def substitute_time_words(
    story: Story, rng: BufferedRandom, material: PerturbationMaterial
) -> list[Edit] | None:
    """Replaces one time word or phrase by its opposite."""
    return substitute_one(OPPOSITES, story.sentences[material.keep :], rng)


ASPECT = Aspect(
    name="temporal_relationship",
    kind=DISCRIMINATION,
    title="Temporal relationship",
    meaning="Two events are exchanged, or “before” becomes “after”.",
    techniques={"event_exchange": exchange_events, "antonym_substitution": substitute_time_words},
    selects=is_example,
)
