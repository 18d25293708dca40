"""The interface of a lexicon with inflection."""

from typing import Protocol


class Language(Protocol):
    """Lexicon and inflection; `training.text` in use, a small table in tests."""

    def lemma(self, word: str, tag: str) -> str:
        """The dictionary form of `word` as tagged."""
        ...

    def inflect(self, lemma: str, tag: str) -> str:
        """The form of `lemma` for a Penn Treebank tag."""
        ...

    def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
        """Surface forms that fit `tag` and stand in a negated relation to `word`, sorted."""
        ...

    def is_keyword(self, word: str, tag: str) -> bool:
        """Whether `word` is a content word that the lexicon knows."""
        ...
