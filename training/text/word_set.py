"""Sets of words: written as text, and the stop words that are taken from a list."""

from functools import lru_cache


def word_set(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(word_set("the a an"))
    ['a', 'an', 'the']
    """
    return frozenset(text.split())


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """SMART's 571 stop words, as the package `python-rake` ships them."""
    import RAKE

    return frozenset(RAKE.SmartStopList())
