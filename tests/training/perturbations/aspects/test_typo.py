"""Typos: what counts as a word that they must not give."""

from openmeva.training.perturbations.aspects.typo import is_word


def test_numerals_count_as_words() -> None:
    assert is_word("three"), "a typo of 'there'"
