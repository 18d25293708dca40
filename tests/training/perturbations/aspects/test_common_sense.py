"""Which words may replace another one to violate common sense."""

import pytest

from openmeva.training.perturbations.aspects.common_sense import breaks_common_sense


@pytest.mark.parametrize(
    ("word", "new", "tag", "expected"),
    [
        ("smiled", "copulated", "VBD", False),  # coarse
        ("road", "prostitution", "NN", False),
        ("people", "junkies", "NNS", False),
        ("road", "bread", "NN", True),
        ("dog", "animal", "NN", False),  # a hypernym
        ("afternoon", "day", "NN", False),  # times
        ("ate", "lunched", "VBD", False),  # a noun
    ],
)
def test_breaks_common_sense(word: str, new: str, tag: str, expected: bool, everyday_facts: None) -> None:
    assert breaks_common_sense(word, new, tag) is expected
