"""The indefinite article of a word, by its first sound."""

import re

_VOWEL_SOUND = re.compile(r"[aeiou]|hour|honest|honou?r|heir", re.IGNORECASE)
_CONSONANT_SOUND = re.compile(r"uni(?!n|m)|us[eua]|eu|one\b|once|ut[ei]|ufo", re.IGNORECASE)


def article_for(word: str) -> str:
    """ "a" or "an", by the first sound of `word`.

    >>> article_for("apple"), article_for("hour"), article_for("union"), article_for("dog")
    ('an', 'an', 'a', 'a')
    """
    return "an" if _VOWEL_SOUND.match(word) and not _CONSONANT_SOUND.match(word) else "a"
