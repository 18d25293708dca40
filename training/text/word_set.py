"""Sets of words: from a text, and the stop words of a list."""

from functools import lru_cache


def word_set(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(word_set("the a an"))
    ['a', 'an', 'the']
    """
    return frozenset(text.split())


NEGATIVE_WORDS = word_set(
    "no none never nobody nothing nowhere neither hardly scarcely barely seldom cannot"
)  # in addition to "not" and "n't", which the negation rules remove


COARSE_WORDS = word_set(
    """
    shit fuck piss cunt bitch whore slut nigger penis vagina semen rape porn ass dick cock sex orgasm
    prostitute prostitution erection intercourse copulate copulation junkie
    """
)  # lemmas of ConceptNet that are never written into a story


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """SMART's 570 stop words, as the package `python-rake` ships them."""
    import RAKE

    return frozenset(RAKE.SmartStopList())
