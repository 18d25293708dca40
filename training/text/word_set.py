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


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """SMART's 570 stop words, as the package `python-rake` ships them."""
    import RAKE

    return frozenset(RAKE.SmartStopList())
