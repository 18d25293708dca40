"""The type of a plot, and its text form."""

from collections.abc import Sequence

Plot = list[list[str]]
"""Phrases (words joined by blanks) of each sentence; a sentence may have none."""

SENTENCE_MARK = ";"
PHRASE_MARK = ","


def plot_text(plot: Sequence[Sequence[str]]) -> str:
    """The plot as the generator reads it: phrases parted by commas, sentences by semicolons.

    >>> plot_text([["ann hungry"], ["made sandwich", "ate"]])
    'ann hungry ; made sandwich , ate'
    """
    return f" {SENTENCE_MARK} ".join(f" {PHRASE_MARK} ".join(phrases) for phrases in plot)


def phrases_of(plot: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """The places (sentence, phrase) of all phrases of a plot, in order.

    >>> phrases_of([["a"], [], ["b", "c"]])
    [(0, 0), (2, 0), (2, 1)]
    """
    return [(row, place) for row, phrases in enumerate(plot) for place in range(len(phrases))]
