"""The speed row: rates of the batched tagger and of NLTK's, which `make bench` prints."""

import pytest

from openmeva.training.speed.sampling import tagging_speed


def test_batched_and_nltk_taggers_are_measured():
    rates = tagging_speed(80)
    assert set(rates) == {"batched", "nltk"}
    assert min(rates.values()) > 0
    with pytest.raises(ValueError, match="expected 1 or more"):
        tagging_speed(0)
