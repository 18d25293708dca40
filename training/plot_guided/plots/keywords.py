"""ROC's plots: a storyline of key phrases, by RAKE (Rose et al. 2010; Yao et al. 2019; section 5.1).

The settings were chosen by comparison with published plots: `python -m training.plot_guided.plots --corpus roc`.
"""

from collections.abc import Sequence

import numpy as np

from openmeva.training.plot_guided.plots.plot import Plot
from openmeva.training.text.word_set import stop_words

BREAKS = frozenset(["'s", "'m"])  # in addition to punctuation; not "'d", which occurs in the published plots
SIGNS = frozenset("$%&")  # count as words and do not break a phrase
BREAKING_LENGTH = 3  # words of exactly this many characters break a phrase, like stop words
MINIMUM_CHARACTERS = 5
MAXIMUM_WORDS = 2
_NOUN_OR_VERB = ("NN", "VB")


def storyline(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None, rng: np.random.Generator
) -> Plot:
    """The key phrases of a story in text order, each at its first occurrence only.

    A phrase has at most two consecutive words and at least five characters, between stop words, punctuation and words
    of three characters. A sentence without a phrase gets one of its nouns or verbs at random.

    Args:
        sentences: lower-cased tokens of each sentence.
        tags: their Penn Treebank tags; None: a sentence may have no phrase.
        rng: random generator for these nouns and verbs.

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
    phrases, run = [], list[str]()
    for word in [*words, "."]:
        is_mark = word not in SIGNS and not any(map(str.isalnum, word))
        if is_mark or word in BREAKS or word in stops or len(word) == BREAKING_LENGTH:
            phrase = " ".join(run)
            if run and len(run) <= MAXIMUM_WORDS and len(phrase) >= MINIMUM_CHARACTERS:
                phrases.append(phrase)
            run = []
        else:
            run.append(word)
    return phrases


def _random_word(words: Sequence[str], tags: Sequence[str], rng: np.random.Generator) -> list[str]:
    choices = [w for w, tag in zip(words, tags, strict=True) if tag.startswith(_NOUN_OR_VERB) and w.isalpha()]
    return [choices[rng.integers(len(choices))]] if choices else []
