"""METEOR by NLTK, and the WordNet that its synonyms come from."""

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import Any

import nltk
from nltk.corpus import wordnet
from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import meteor_score


class _Remembered:
    """Stems and synsets of words, each looked up once: stories use the same words again and again.

    NLTK reads WordNet from files that it keeps open: threads take turns, and a forked process opens its own, or it would
    move the place that the others read at.
    """

    def __init__(self) -> None:
        self.reading = RLock()
        self.stem = lru_cache(maxsize=100_000)(PorterStemmer().stem)
        self.synsets = lru_cache(maxsize=100_000)(self._synsets)

    def _synsets(self, word: str) -> list[Any]:
        with self.reading:
            return list(wordnet.synsets(word))


_WORDS: Any = _Remembered()


def _begin_anew() -> None:
    _WORDS.__init__()
    vars(wordnet).get("_data_file_map", {}).clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
NEEDS = "METEOR needs WordNet, which was not found"
FETCH = "run `make resources` in the checkout, or `python -c \"import nltk; nltk.download('wordnet')\"`"


def has_wordnet() -> bool:
    """Whether NLTK finds WordNet, beside its own folders in the checkout's `.resources`."""
    fetched = str(Path.cwd() / ".resources" / "nltk_data")
    for folder in ([], [fetched]):
        nltk.data.path += [path for path in folder if path not in nltk.data.path]
        for name in ("corpora/wordnet", "corpora/wordnet.zip"):
            try:
                nltk.data.find(name)
                return True
            except LookupError:
                continue
    return False


def find_wordnet() -> None:
    """As `has_wordnet`, with an error in place of False.

    Raises:
        ValueError: WordNet was not found (the message names the command that fetches it).
    """
    if not has_wordnet():
        raise ValueError(f'{NEEDS}: {FETCH}; scores=["bleu", "rouge1", "rouge2", "rougeL"] does without it')


def meteor(prediction: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """METEOR (Banerjee and Lavie 2005) of words, 0 to 1, higher is more alike; the best of the references.

    Words are aligned exactly, by Porter's stems, then by WordNet's synonyms. The harmonic mean weighs recall
    nine times precision (alpha .9), less a penalty for scattered matches (beta 3, gamma .5): the paper's own
    values, NLTK's defaults. Matches rest on lower case. WordNet has to be there: `find_wordnet`.
    """
    return float(
        meteor_score([list(words) for words in references], list(prediction), stemmer=_WORDS, wordnet=_WORDS)
    )
