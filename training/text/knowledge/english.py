"""The `Language` of the shipped samplers: `training.text`'s lexicon and inflection."""

from openmeva.training.text import inflection
from openmeva.training.text.knowledge import lexicon


class English:
    """Forwards to `training.text`; it has no state, so it is cheap to send to other processes."""

    def lemma(self, word: str, tag: str) -> str:
        """The dictionary form of `word` with this tag."""
        return inflection.lemma(word, tag)

    def inflect(self, lemma: str, tag: str) -> str:
        """The form of `lemma` for a Penn Treebank tag."""
        return inflection.inflect(lemma, tag)

    def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
        """Words in a negated relation to `word` (WordNet, ConceptNet), inflected to `tag`, sorted."""
        return lexicon.antonyms(word, tag)

    def is_keyword(self, word: str, tag: str) -> bool:
        """Whether `word` is a content word of the lexicon."""
        return lexicon.is_keyword(word, tag)
