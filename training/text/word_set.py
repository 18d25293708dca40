"""Sets of words: written as text, and the stop words that are taken from a list."""

from functools import lru_cache


def word_set(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(word_set("the a an"))
    ['a', 'an', 'the']
    """
    return frozenset(text.split())


NEGATIVE_WORDS = word_set(
    "no none never nobody nothing nowhere neither hardly scarcely barely seldom cannot"
)  # beside "not" and "n't", which the rules of negation take away


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """SMART's 570 stop words, as the package `python-rake` ships them."""
    import RAKE

    return frozenset(RAKE.SmartStopList())
