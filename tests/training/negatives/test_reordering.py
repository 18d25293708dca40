"""Reordering."""

from collections import Counter

import pytest

from openmeva.training.negatives import EditedStory
from openmeva.training.negatives.reordering import reorder_sentences


def test_golden_reordering(ken, make_rng, material, text):
    edited = reorder_sentences(ken, make_rng(4), material)
    assert text(edited) == [
        "[MALE] was out jogging one morning .",
        "the weather was good and cool .",
        "he went several miles .",
        "he did n't walk home .",
        "[MALE] felt hot .",
    ]
    assert edited.origins[2] == [24, 25, 26, 27, 28]
    assert edited.operations == [[""] * len(words) for words in edited.words]
    # the fourth sentence kept its position
    assert [sentence.moved for sentence in edited.sentences] == [False, False, True, False, True]
    assert [tuple(edit) for edit in edited.edits()] == [
        ("reordering", "sentence", 14, 19),
        ("reordering", "sentence", 25, 29),
    ]


def test_all_other_orders_are_equally_likely(story, make_rng, material):
    four = EditedStory.start(story("w/UH .", "a/UH .", "b/UH .", "c/UH ."))
    orders = Counter(
        "".join(words[0] for words in reorder_sentences(four, make_rng(seed), material).words)
        for seed in range(5000)
    )
    assert set(orders) == {"wacb", "wbac", "wbca", "wcab", "wcba"}
    for count in orders.values():
        assert count == pytest.approx(1000, abs=130)  # four standard deviations are 113


def test_two_sentences_are_swapped(story, make_rng, material, text):
    three = EditedStory.start(story("she/PRP left/VBD .", "he/PRP ran/VBD .", "it/PRP fell/VBD ."))
    for seed in range(20):
        edited = reorder_sentences(three, make_rng(seed), material)
        assert text(edited) == ["she left .", "it fell .", "he ran ."]
        assert edited.origins == [[0, 1, 2], [6, 7, 8], [3, 4, 5]]
        assert [tuple(edit) for edit in edited.edits()] == [
            ("reordering", "sentence", 3, 6),
            ("reordering", "sentence", 6, 9),
        ]


def test_exchanging_identical_sentences_is_no_change(story, make_rng, material, text):
    same = EditedStory.start(story("she/PRP left/VBD .", *["he/PRP ran/VBD ."] * 3))
    assert reorder_sentences(same, make_rng(0), material) is None
    mixed = EditedStory.start(story("she/PRP left/VBD .", *["he/PRP ran/VBD ."] * 3, "it/PRP fell/VBD ."))
    for seed in range(30):
        assert text(reorder_sentences(mixed, make_rng(seed), material)) != text(mixed)


def test_one_sentence_cannot_be_reordered(story, make_rng, material):
    two = EditedStory.start(story("she/PRP left/VBD .", "he/PRP ran/VBD ."))
    assert reorder_sentences(two, make_rng(0), material) is None
