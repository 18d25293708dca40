"""The repairs that a diagnosis tries on a story with a low score."""

import pytest

from openmeva.spaces.story_scorer.diagnosis import (
    StoryError,
    _repairs,
    _Sentence,
    _swapped,
    _Version,
    _with_changes,
    _without_one,
    _without_repetition,
)


def version(*texts: str, gains: tuple[float, ...] = (), corrected: dict[int, str] | None = None) -> _Version:
    return tuple(
        _Sentence(10 * index, text, (corrected or {}).get(index), gains[index] if gains else 0.0)
        for index, text in enumerate(texts)
    )


def texts(changed: _Version) -> list[str]:
    return [sentence.text for sentence in changed]


@pytest.mark.parametrize(
    ("late", "is_repeated"),
    [
        ("The tired dog ran home.", True),  # all of four words, of five
        ("The dog ran off today.", True),  # three of four
        ("The dog ate a large old bone.", False),  # two of four
        ("She slept.", False),
    ],
)
def test_sentence_that_shares_three_quarters_of_its_words_is_dropped(late: str, is_repeated: bool) -> None:
    story = version("Ann sat.", "The dog ran home.", late)
    repairs = list(_without_repetition(story))
    expected = [(StoryError("repeated", (10, 20)), story[:2])] if is_repeated else []
    assert repairs == expected


def test_two_shared_words_are_no_repetition() -> None:
    assert not list(_without_repetition(version("Ann ran.", "Ann ran.")))


def test_repetition_names_the_first_sentence_that_is_like_it() -> None:
    story = version("Ann ran home.", "Bo ate a pie.", "Ann ran home.", "Ann ran home.")
    assert [error.sentences for error, _ in _without_repetition(story)] == [(0, 20), (0, 30)]


def test_exchanges_leave_the_first_sentence_and_begin_with_neighbours() -> None:
    repairs = [(error.sentences, texts(changed)) for error, changed in _swapped(version(*"abcd"))]
    assert repairs == [
        ((10, 20), list("acbd")),
        ((20, 30), list("abdc")),
        ((10, 30), list("adcb")),
    ]
    exchanged = [error.sentences for error, _ in _swapped(version(*"abcdefghij"))]
    assert [(late - early) // 10 for early, late in exchanged] == [1] * 8 + [2] * 7  # at most fifteen


def test_edits_are_tried_alone_and_together_negations_apart() -> None:
    story = version(
        "He was not sad.", "She cried.", "A dog barked.", "It hid.",
        corrected={0: "He was sad.", 2: "A dog slept.", 3: "It ran."},
    )  # fmt: skip
    repairs = [(error.error_type, error.sentences, texts(changed)) for error, changed in _with_changes(story)]
    assert repairs == [
        ("negated", (0,), ["He was sad.", "She cried.", "A dog barked.", "It hid."]),
        ("substituted", (20,), ["He was not sad.", "She cried.", "A dog slept.", "It hid."]),
        ("substituted", (30,), ["He was not sad.", "She cried.", "A dog barked.", "It ran."]),
        ("substituted", (20, 30), ["He was not sad.", "She cried.", "A dog slept.", "It ran."]),
    ]
    (_, once), *_ = _with_changes(story)
    assert once[0].corrected is None, "an edit is not applied twice"


def test_costliest_sentences_are_dropped_but_never_the_first() -> None:
    story = version(*"abcdefghij", gains=(9.0, 0.1, 0.8, 0.2, 0.7, 0.6, 0.5, 0.4, 0.3, 0.0))
    dropped = [error.sentences[0] // 10 for error, _ in _without_one(story)]
    assert dropped == [2, 4, 5, 6, 7, 8]
    assert texts(next(_without_one(story))[1]) == list("abdefghij")
    assert not list(_without_one(version("a", "b")))


def test_all_kinds_of_repairs_are_tried() -> None:
    story = version("Ann ran home.", "Ann ran home.", "She was happy.", corrected={2: "She was not happy."})
    kinds = [error.error_type for error, _ in _repairs(story)]
    assert kinds == ["repeated", "reordered", "negated", "unrelated", "unrelated"]
