"""Events, and pairs of which the second presupposes the first."""

import pytest

from openmeva.training.perturbations import Story
from openmeva.training.perturbations.rules.events import refers_back, reports_event, resolves


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He sold the car.", True),
        ("He was sad.", False),  # a state
        ("She decided to go.", False),  # a thought
        ("She always sold cars.", False),  # a habit
        ("He sold the car, too.", False),  # one of several events
        ("He could sell the car.", False),
        ("He did not sell the car.", False),
        ("A car!", False),
    ],
)
def test_clause_reports_an_event(text: str, expected: bool) -> None:
    (sentence,) = Story(text).sentences
    assert reports_event(sentence, 0, len(sentence)) == expected


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        ("He baked a cake.", "He ate it.", True),
        ("He slept for a week.", "He ate it.", False),  # a time
        ("He baked a cake.", "He ate the cake.", True),
        ("He baked cakes.", "He ate his cakes.", True),
        ("He baked the cake.", "He ate the cake.", False),  # both know it
        ("He baked a cake.", "He ate cake.", False),  # any cake
        ("He baked a cake.", "He went home.", False),
    ],
)
def test_later_event_refers_to_a_thing_of_the_earlier_one(earlier: str, later: str, expected: bool) -> None:
    first, second = Story(f"{earlier} {later}").sentences
    assert refers_back(second, (0, len(second)), first, (0, len(first))) == expected


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        ("He searched for hours.", "He found the key.", True),
        ("He slept for hours.", "He found the key.", False),
        ("He searched for hours.", "He went home.", False),
    ],
)
def test_event_ends_efforts(earlier: str, later: str, expected: bool) -> None:
    first, second = Story(f"{earlier} {later}").sentences
    assert resolves(second, 0, first) == expected
