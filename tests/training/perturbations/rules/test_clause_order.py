"""Which clauses around a conjunction are exchanged."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.aspects import causal_relationship, temporal_relationship
from openmeva.training.perturbations.rules.causal_words import OPPOSITES
from openmeva.training.perturbations.rules.clause_order import (
    exchange_clauses,
    exchanged_sentences,
    trailing_clause,
)
from openmeva.training.perturbations.rules.time_words import OPPOSITES as TIME_OPPOSITES
from openmeva.training.perturbations.rules.time_words import sequence_opener
from openmeva.training.text.edits import apply_edits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He slept after he ate.", "He ate after he slept."),
        ("He slept just after he ate.", None),  # "just" belongs to the conjunction
        ("He slept two hours after he ate.", None),
        ("He slept because he was tired.", "He was tired because he slept."),
        ("He slept only because he was tired.", None),
        ("He was tired, so he slept.", "He slept, so he was tired."),
        ("He was tired and so he slept.", None),
        ("He slept until she ate.", None),  # he may have slept until then, or not
        ("He slept since he was tired.", "He was tired since he slept."),
        ("He has slept since he was tired.", None),  # of time, not a reason
    ],
)
def test_clauses_are_exchanged(text: str, expected: str | None) -> None:
    (sentence,) = Story(text).sentences
    joints = (
        trailing_clause(sentence, size)
        for size in (temporal_relationship.conjunction_size, causal_relationship.conjunction_size)
    )
    joint = next(filter(None, joints), None)
    edits = exchange_clauses(sentence, joint) if joint else None
    assert (edits and apply_edits(text, edits)[0]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He ate. Then he slept.", "He slept. Then he ate."),
        ("But he ate. Then he slept.", None),
        ("Then he ate. Then he slept.", None),
        ("First he ate. Then he slept.", None),
        ("He slept. Then he slept.", None),
        ('He ate "it". Then he slept.', None),
    ],
)
def test_linked_sentences_are_exchanged(text: str, expected: str | None) -> None:
    first, second = Story(text).sentences
    edits = exchanged_sentences(first, second, 1)
    assert (edits and apply_edits(text, edits)[0]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He ate a cake. She slept.", "She slept. He ate a cake."),
        ("he ate a cake. She slept.", "she slept. He ate a cake."),
        ("he ate a cake . she slept .", "she slept . he ate a cake ."),
        ("My mom ate a cake. She slept.", "She slept. My mom ate a cake."),
    ],
)
def test_exchanged_sentences_begin_as_their_places_did(text: str, expected: str) -> None:
    first, second = Story(text).sentences
    edits = exchanged_sentences(first, second, 0)
    assert edits is not None
    assert apply_edits(text, edits)[0] == expected


@pytest.mark.parametrize(
    ("text", "sites"), [("He slept because he was ill.", 1), ("He slept probably because he was ill.", 0)]
)
def test_adverb_before_because_prevents_replacement(text: str, sites: int) -> None:
    assert len(OPPOSITES.sites(Story(text).sentences[0])) == sites


@pytest.mark.parametrize(
    ("text", "sites"),
    [
        ("He left shortly after the game.", 1),
        ("He left shortly after ten minutes.", 0),
        ("He left shortly after 30 minutes.", 0),
        ("He left shortly after a few hours.", 0),
    ],
)
def test_after_a_duration_has_no_opposite(text: str, sites: int) -> None:
    assert len(TIME_OPPOSITES.sites(Story(text).sentences[0])) == sites


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("After that he slept.", 2),
        ("After that day he slept.", 0),
        ("Next, he slept.", 1),
        ("Next time he slept.", 0),
        ("The next day he slept.", 3),
    ],
)
def test_length_of_sequence_opener(text: str, size: int) -> None:
    assert sequence_opener(Story(text).sentences[0]) == size
