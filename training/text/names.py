"""Recognises first names, and words that are never first names."""

import json
from functools import lru_cache

from openmeva.training.paths import NAMES_FILE
from openmeva.training.text.word_set import word_set

PLACEHOLDERS = frozenset({"[MALE]", "[FEMALE]", "[NEUTRAL]"})

FUNCTION_WORDS = word_set(
    """
    a about after again all also although an and another any anyone anything are as at because before
    both but by can did do does each either even every everybody everyone everything few for from had
    has have he her here him his how however i if in instead into is it its just many me meanwhile more
    most my nearly next no nobody none not nothing now of off on once one only or other our out over
    several she since so some somebody someone something sometimes soon still such suddenly than that
    the their them then there these they this those though through to today together tomorrow tonight
    too two under until up upon was we were what when where whether which while who whose why will with
    within without would yesterday yet you your finally luckily sadly unfortunately eventually
    afterwards later
    """
)

_KIN = word_set(
    """
    mom mommy momma mum mummy mama mother dad daddy papa father grandma grandpa grandmother grandfather
    granny nana auntie
    """
)
_DEMONYMS = word_set(
    """
    african american arab arabic asian australian brazilian british canadian chinese danish dutch egyptian
    english european finnish french german greek hawaiian hindi hungarian indian irish israeli italian
    japanese jewish korean latin latino mexican muslim christian norwegian persian portuguese
    roman russian scottish spanish swedish swiss texan thai tibetan turkish ukrainian vietnamese welsh
    """
)


def always_capitalized(word: str) -> bool:
    """Whether a lower-case word is capitalised in any position: relatives when addressed, demonyms.

    >>> always_capitalized("dad"), always_capitalized("americans"), always_capitalized("dog")
    (True, True, False)
    """
    return word in _KIN or is_demonym(word)


def is_demonym(word: str) -> bool:
    """Whether a lower-case word names a nationality or the like, also in the plural.

    >>> is_demonym("americans"), is_demonym("dad")
    (True, False)
    """
    return word.removesuffix("s") in _DEMONYMS or word in _DEMONYMS


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    if not NAMES_FILE.is_file():
        raise FileNotFoundError(
            f"{NAMES_FILE} is missing: restore it from the repository, or write it with"
            " `python -m training.encoder.names --data DIR`"
        )
    lists = json.loads(NAMES_FILE.read_text(encoding="utf-8"))
    all_names = {name for kind in ("male", "female", "neutral") for name in lists[kind]}
    return frozenset(all_names - set(lists["capitalized_only"]) - FUNCTION_WORDS)


@lru_cache(maxsize=1 << 15)
def is_name(word: str) -> bool:
    """Whether a word is a first name or a placeholder for one, ignoring case; not if it is also a common word.

    >>> is_name("tom"), is_name("[MALE]"), is_name("will"), is_name("Table")
    (True, True, False, False)
    """
    return word in PLACEHOLDERS or word.lower() in _names()
