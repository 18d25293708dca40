"""The speed row: rates of the batched tagger and of NLTK's, which `make bench` prints."""

import pytest

from openmeva.training.speed.sampling import tagging_speed

SENTENCES = (
    "[MALE] wanted a dog .",
    "he asked his mother every day for a whole year .",
    "in the end she took him to the shelter and he chose a small brown one .",
)
STORY = [sentence.split() for sentence in SENTENCES]


def test_batched_and_nltk_taggers_are_measured():
    rates = tagging_speed(80, [STORY])
    assert set(rates) == {"batched", "nltk"}
    assert min(rates.values()) > 0


@pytest.mark.parametrize(("n_stories", "stories"), [(0, [STORY]), (5, [])])
def test_bad_input(n_stories, stories):
    with pytest.raises(ValueError, match="expected"):
        tagging_speed(n_stories, stories)
