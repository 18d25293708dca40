"""Which 4-grams lexical repetition repeats."""

import numpy as np
import pytest

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations import PerturbationMaterial, Story
from openmeva.training.perturbations.aspects.lexical_repetition import repeat_ngram, repeat_sentence
from openmeva.training.text.edits import apply_edits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He went to see Ann, and then left.", "He went to see Ann and went to see Ann, and then left."),
        ("He went to see her, and then left.", None),  # "her" may begin another phrase
    ],
)
def test_repeated_phrase_ends_with_a_whole_phrase(text: str, expected: str | None) -> None:
    rng = BufferedRandom(np.random.default_rng(0))
    edits = repeat_ngram(Story(text), rng, PerturbationMaterial(keep=0))
    assert (edits and apply_edits(text, edits)[0]) == expected


def test_sentence_is_repeated_in_its_own_paragraph() -> None:
    text = "He ran.\n\nShe sat."
    for seed in range(4):
        rng = BufferedRandom(np.random.default_rng(seed))
        edits = repeat_sentence(Story(text), rng, PerturbationMaterial(keep=0))
        assert edits is not None
        assert apply_edits(text, edits)[0] in {"He ran. He ran.\n\nShe sat.", "He ran.\n\nShe sat. She sat."}
