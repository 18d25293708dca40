"""Prose is what normalised words were before, and normalises to the same words."""

import pytest

from openmeva.metrics.core.text import Normalizer
from openmeva.training.paths import NAMES_FILE
from openmeva.training.text.prose import NAMES, cased_phrase, prose

TEXTS = [
    "Tom didn't swim. \"I can't!\" he said.",
    "On Monday, Anna's dog ran home. She'd won $10 (really).",
    "Lisa met an American at 10:30 a.m. They won't go.",
]


@pytest.mark.parametrize("text", TEXTS)
def test_prose_is_the_text_before_normalisation(text: str) -> None:
    assert prose(Normalizer().sentences(text)) == text


def test_names_replace_placeholders_and_normalise_to_them() -> None:
    normalizer = Normalizer.load(NAMES_FILE)
    for placeholder, names in NAMES.items():
        for name in names:
            text = prose(
                [[placeholder, "ran", "."], ["then", placeholder, "'s", "dog", "sat", "."]],
                {placeholder: name},
            )
            assert text == f"{name} ran. Then {name}'s dog sat."
            assert normalizer(text) == f"{placeholder} ran . then {placeholder} 's dog sat ."


def test_placeholders_without_names_are_kept() -> None:
    assert prose([["[MALE]", "ran", "."]]) == "[MALE] ran."
    assert cased_phrase("[MALE] met tom in may") == "[MALE] met Tom in may"
