"""Sets of words, written as text."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(word_set("the a an"))
    ['a', 'an', 'the']
    """
    return frozenset(text.split())
