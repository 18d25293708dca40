"""Replaces a word and corrects the article before it."""

from openmeva.training.text.articles import article_for
from openmeva.training.text.edits import Edit
from openmeva.training.text.sentence import Sentence


def replace_word(sentence: Sentence, at: int, word: str, end: int | None = None) -> list[Edit]:
    """The edits that replace the token at `at` (to `end`) by `word`, and correct "a" or "an" before it."""
    edits = [sentence.replacement_edit(at, word, end)]
    if at and sentence.lowered[at - 1] in {"a", "an"}:
        article = article_for(word)
        if article != sentence.lowered[at - 1]:
            edits.append(sentence.replacement_edit(at - 1, article))
    return edits
