"""METEOR by NLTK, and finding the WordNet data for its synonyms."""

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

from openmeva.metrics.core.files import user_cache


class _CachingWordNet:
    """A cache of the stems and synsets of words, since stories repeat words.

    NLTK keeps WordNet's files open. So threads take turns, and a forked process opens its own files; otherwise it would
    move the file positions of the others.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.stem = lru_cache(maxsize=100_000)(PorterStemmer().stem)
        self.synsets = lru_cache(maxsize=100_000)(self._synsets)

    def _synsets(self, word: str) -> list[Any]:
        with self.lock:
            return list(wordnet.synsets(word))


_WORDS: Any = _CachingWordNet()


def _reset_after_fork() -> None:
    _WORDS.__init__()
    vars(wordnet).get("_data_file_map", {}).clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
WORDNET_MISSING = "METEOR needs WordNet, which was not found"
WORDNET_HINT = "run `make resources` in a checkout, `openmeva resources --wordnet-only`, or `python -c \"import nltk; nltk.download('wordnet')\"`"


def _resource_folders() -> list[Path]:
    """Where the project's commands put resources: in a checkout, or in the user's cache."""
    return [Path(__file__).resolve().parents[2] / ".resources", user_cache() / "resources"]


def has_wordnet() -> bool:
    """Whether NLTK finds WordNet, in its own folders or where this project's commands put it."""
    for folder in ([], *([str(path / "nltk_data")] for path in _resource_folders())):
        nltk.data.path += [path for path in folder if path not in nltk.data.path]
        for name in ("corpora/wordnet", "corpora/wordnet.zip"):
            try:
                nltk.data.find(name)
                return True
            except LookupError:
                continue
    return False


def find_wordnet() -> None:
    """Like `has_wordnet`, but raises an error instead of returning False.

    Raises:
        ValueError: WordNet was not found (the message names the command that fetches it).
    """
    if not has_wordnet():
        raise ValueError(
            f'{WORDNET_MISSING}: {WORDNET_HINT}; scores=["bleu", "rouge1", "rouge2", "rougeL"] works without it'
        )


def meteor(prediction: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """METEOR (Banerjee and Lavie 2005) of words, 0 to 1, higher is more similar; the best of the references.

    Words are aligned if they are equal, then by Porter stems, then by WordNet synonyms. The harmonic mean weights
    recall nine times as much as precision (alpha .9). A penalty lowers it for fragmented matches (beta 3, gamma .5).
    These are the paper's values and NLTK's defaults. Words are compared in lower case. Needs WordNet: see
    `find_wordnet`.
    """
    return float(
        meteor_score([list(words) for words in references], list(prediction), stemmer=_WORDS, wordnet=_WORDS)
    )
