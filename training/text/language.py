"""The interface of a lexicon with inflection."""

from typing import Protocol


class Language(Protocol):
    """Lexicon and inflection: `training.text` in production, a small table in tests."""

    def lemma(self, word: str, tag: str) -> str:
        """The dictionary form of `word` with this tag."""
        ...

    def inflect(self, lemma: str, tag: str) -> str:
        """The form of `lemma` for a Penn Treebank tag."""
        ...

    def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
        """Surface forms that fit `tag` and are in a negated relation to `word`, sorted."""
        ...

    def is_keyword(self, word: str, tag: str) -> bool:
        """Whether `word` is a content word of the lexicon."""
        ...
