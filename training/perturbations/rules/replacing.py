"""Replaces a word and corrects the article before it."""

import re

from openmeva.training.text.edits import Edit
from openmeva.training.text.sentence import Sentence

_VOWEL_SOUND = re.compile(r"[aeiou]|hour|honest|honou?r|heir", re.IGNORECASE)
_CONSONANT_SOUND = re.compile(r"uni(?!n|m)|us[eua]|eu|one\b|once|ut[ei]|ufo", re.IGNORECASE)


def article_for(word: str) -> str:
    """ "a" or "an", by the first sound of `word`.

    >>> article_for("apple"), article_for("hour"), article_for("union"), article_for("dog")
    ('an', 'an', 'a', 'a')
    """
    return "an" if _VOWEL_SOUND.match(word) and not _CONSONANT_SOUND.match(word) else "a"


def replace_word(sentence: Sentence, at: int, word: str, end: int | None = None) -> list[Edit]:
    """The edits that replace the token at `at` (to `end`) by `word`, and correct "a" or "an" before it."""
    edits = [sentence.replacement_edit(at, word, end)]
    if at and sentence.lowered[at - 1] in {"a", "an"}:
        article = article_for(word)
        if article != sentence.lowered[at - 1]:
            edits.append(sentence.replacement_edit(at - 1, article))
    return edits
