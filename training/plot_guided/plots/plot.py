"""The type of a plot, and its text form."""

from collections.abc import Sequence

Plot = list[list[str]]
"""Phrases (words joined by blanks) of each sentence; a sentence may have no phrases."""

SENTENCE_MARK = ";"
PHRASE_MARK = ","


def plot_text(plot: Sequence[Sequence[str]]) -> str:
    """The plot as input of the generator: phrases separated by commas, sentences by semicolons.

    >>> plot_text([["ann hungry"], ["made sandwich", "ate"]])
    'ann hungry ; made sandwich , ate'
    """
    return f" {SENTENCE_MARK} ".join(f" {PHRASE_MARK} ".join(phrases) for phrases in plot)
