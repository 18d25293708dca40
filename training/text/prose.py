"""Normalised words as prose ("Ann didn't swim."), the form of text that pretrained language models know best."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from nltk.tokenize.treebank import TreebankWordDetokenizer

from openmeva.metrics.core.text import PLACEHOLDERS
from openmeva.training.text.names import is_demonym, is_name
from openmeva.training.text.word_set import word_set

_CAPITALIZED = word_set(
    """
    i monday tuesday wednesday thursday friday saturday sunday january february april june july august september
    october november december christmas halloween thanksgiving easter america mr. mrs. ms. dr. mr mrs ms dr
    """
)  # "march" and "may" are also common words
_ABBREVIATIONS = {
    "tv": "TV",
    "dvd": "DVD",
    "pc": "PC",
    "ceo": "CEO",
    "usa": "USA",
    "u.s": "U.S",
    "u.s.": "U.S.",
}
_DETOKENIZER = TreebankWordDetokenizer()

# First names that each placeholder may stand for, all of them frequent and none of them also a common word.
NAMES = {
    "[MALE]": (
        "Tom",
        "John",
        "James",
        "David",
        "Kevin",
        "Dan",
        "Ben",
        "Adam",
        "Greg",
        "Charles",
        "Brian",
        "Eric",
    ),
    "[FEMALE]": (
        "Amy",
        "Anna",
        "Lisa",
        "Sarah",
        "Kate",
        "Emily",
        "Jane",
        "Laura",
        "Karen",
        "Susan",
        "Mary",
        "Lucy",
    ),
    "[NEUTRAL]": ("Alex", "Casey", "Jamie", "Sam", "Kelly", "Morgan"),
}


def prose(sentences: Iterable[Sequence[str]], names: Mapping[str, str] | None = None) -> str:
    """A text of normalised words in the usual spelling: capitals where a rule knows them, no blanks before marks.

    Normalising the result gives the words again, except where marks are ambiguous (quotation marks within a word).

    Args:
        sentences: normalised words of each sentence.
        names: the name that replaces each placeholder; default: placeholders are kept.

    >>> prose([["tom", "did", "n't", "swim", "."], ['"', "i", "ca", "n't", "!", '"', "he", "said", "."]])
    'Tom didn\\'t swim. "I can\\'t!" he said.'
    """
    return " ".join(_sentence_prose(sentence, names or {}) for sentence in sentences)


def cased_phrase(phrase: str, names: Mapping[str, str] | None = None) -> str:
    """The words of a phrase with capitals where they have them within a sentence.

    >>> cased_phrase("[MALE] met lisa", {"[MALE]": "Tom"})
    'Tom met Lisa'
    """
    return " ".join(_cased(word, names or {}) for word in phrase.split())


def _sentence_prose(words: Sequence[str], names: Mapping[str, str]) -> str:
    cased: list[str] = []
    opened = False
    for word in words:
        if word == '"':  # the detokenizer tells opening from closing marks by their form
            cased.append("''" if opened else "``")
            opened = not opened
        else:
            cased.append(_cased(word, names))
    first = next((index for index, word in enumerate(cased) if any(map(str.isalnum, word))), None)
    if first is not None:
        cased[first] = _capitalize(cased[first])
    text: str = _DETOKENIZER.detokenize(cased)
    return text


def _cased(word: str, names: Mapping[str, str]) -> str:
    if word in PLACEHOLDERS:
        return names.get(word, word)
    return _cased_word(word)


@lru_cache(maxsize=1 << 15)
def _cased_word(word: str) -> str:
    if word in _ABBREVIATIONS:
        return _ABBREVIATIONS[word]
    return _capitalize(word) if word in _CAPITALIZED or is_demonym(word) or is_name(word) else word


def _capitalize(word: str) -> str:
    return word[:1].upper() + word[1:]
