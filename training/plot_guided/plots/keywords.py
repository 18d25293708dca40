"""ROC's plots: a storyline of key phrases, by RAKE (Rose et al. 2010; Yao et al. 2019; section 5.1).

The settings were found by comparing with published plots; `python -m training.plot_guided.plots --corpus roc` measures them.
"""

from collections.abc import Sequence

import numpy as np

from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.text.word_set import stop_words

BREAKS = frozenset(["'s", "'m"])  # and all marks; not "'d", which the published plots hold
SIGNS = frozenset("$%&")  # are read as words, and break none
BREAKING_LENGTH = 3  # words of exactly so many characters break a phrase, as the stop words do
MINIMUM_CHARACTERS = 5
MAXIMUM_WORDS = 2
_NOUN_OR_VERB = ("NN", "VB")


def storyline(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None, rng: np.random.Generator
) -> Plot:
    """The key phrases of a story, each the first time it is said, in the order of the text.

    A phrase is a run of at most two words, five characters long or more, between stop words, punctuation and
    words of three characters. A sentence that is left without one gets one random noun or verb of its own.

    Args:
        sentences: lower-cased tokens of each sentence.
        tags: their Penn Treebank tags; without them a sentence may stay without a phrase.
        rng: of the random nouns and verbs.

    >>> storyline([["ann", "went", "camping", "."], ["she", "forgot", "her", "tent", "."]], None,
    ...           np.random.default_rng(0))
    [['camping'], ['forgot']]
    """
    plot: Plot = []
    used: set[str] = set()
    for row, words in enumerate(sentences):
        phrases = []
        for phrase in _candidates(words):
            if phrase not in used:
                used.add(phrase)
                phrases.append(phrase)
        if not phrases and tags is not None:
            phrases = _random_word(words, tags[row], rng)
        plot.append(phrases)
    return plot


def _candidates(words: Sequence[str]) -> list[str]:
    stops = stop_words()
    found, run = [], list[str]()
    for word in [*words, "."]:
        is_mark = word not in SIGNS and not any(map(str.isalnum, word))
        if is_mark or word in BREAKS or word in stops or len(word) == BREAKING_LENGTH:
            phrase = " ".join(run)
            if run and len(run) <= MAXIMUM_WORDS and len(phrase) >= MINIMUM_CHARACTERS:
                found.append(phrase)
            run = []
        else:
            run.append(word)
    return found


def _random_word(words: Sequence[str], tags: Sequence[str], rng: np.random.Generator) -> list[str]:
    choices = [w for w, tag in zip(words, tags, strict=True) if tag.startswith(_NOUN_OR_VERB) and w.isalpha()]
    return [choices[rng.integers(len(choices))]] if choices else []
