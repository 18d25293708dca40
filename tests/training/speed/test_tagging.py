"""The speed row: rates, and the batched tagger ahead by far."""

import pytest

from openmeva.training.speed.sampling import tagging_speed

SENTENCES = (
    "[MALE] wanted a dog .",
    "he asked his mother every day for a whole year .",
    "in the end she took him to the shelter and he chose a small brown one .",
)
STORY = [sentence.split() for sentence in SENTENCES]


def test_batches_are_faster_than_single_sentences():
    rates = tagging_speed(800, [STORY])
    assert set(rates) == {"batched", "nltk"}
    assert rates["batched"] > 2 * rates["nltk"] > 0


@pytest.mark.parametrize(("n_stories", "stories"), [(0, [STORY]), (5, [])])
def test_bad_input(n_stories, stories):
    with pytest.raises(ValueError, match="expected"):
        tagging_speed(n_stories, stories)
