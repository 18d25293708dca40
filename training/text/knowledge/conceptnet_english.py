"""The `Language` of UNION's keyword rules as in the paper: keywords and antonyms from ConceptNet only."""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from openmeva.training.text.inflection import in_dictionary, inflect, lemma
from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.conceptnet_files import NEGATED_RELATIONS, load
from openmeva.training.text.knowledge.english import English
from openmeva.training.text.knowledge.lexicon import is_coarse
from openmeva.training.text.word_set import NEGATIVE_WORDS, stop_words


class ConceptNetEnglish(English):
    """Keywords are all words of ConceptNet except stop words; antonyms are tails of negated relations (section 3.2).

    Negative words are not stop words here, and their antonyms may be stop words: "nobody" becomes "somebody"
    (appendix A).

    `English` also has WordNet's words and antonyms, and uses parts of speech. Here a word is looked up by its form and
    by its lemma, regardless of its tag; an antonym is inflected like the word if the result is in the dictionary ("weak"
    becomes "weaker", "indecisive" stays). "All words" are those of the relations that the project keeps of ConceptNet
    (`conceptnet_files.KEPT_RELATIONS`).

    Raises:
        MissingResourceError: ConceptNet has not been fetched.
    """

    def __init__(self) -> None:
        resources.require_resource("conceptnet")

    def antonyms(self, word: str, tag: str) -> tuple[str, ...]:
        """Keywords in a negated relation to `word`, inflected to `tag`, sorted."""
        return _antonyms(word, tag)

    def is_keyword(self, word: str, tag: str) -> bool:
        """Whether `word` or its lemma is a single-word head or tail of ConceptNet and not a stop word."""
        return _is_keyword(word, tag)


@lru_cache(maxsize=1 << 16)
def _antonyms(word: str, tag: str) -> tuple[str, ...]:
    base = lemma(word, tag)
    tails = {tail for key in (word, base) for tail in _negated().get(key, ())} - {word, base}
    if word not in NEGATIVE_WORDS:
        tails -= _stop_words()
    forms = {_inflected(tail, tag) for tail in tails} - {word}
    return tuple(sorted(form for form in forms if form.isalpha()))


def _inflected(tail: str, tag: str) -> str:
    """The tail with the form of `tag`; unchanged if its form is not a word, since ConceptNet has no parts of speech."""
    form = inflect(lemma(tail, tag), tag)
    return form if in_dictionary(form) else tail


@lru_cache(maxsize=1 << 17)
def _is_keyword(word: str, tag: str) -> bool:
    base = lemma(word, tag)
    if not word.isalpha() or {word, base} & _stop_words():
        return False
    return word in _words() or base in _words()


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return stop_words() - NEGATIVE_WORDS


@lru_cache(maxsize=1)
def _negated() -> Mapping[str, frozenset[str]]:
    """Single-word tails of the negated relations by their single-word heads."""
    tails: defaultdict[str, set[str]] = defaultdict(set)
    for relation, head, tail in load(resources.require_resource("conceptnet")):
        if relation in NEGATED_RELATIONS and head.isalpha() and tail.isalpha() and not is_coarse(tail):
            tails[head].add(tail)
    return {head: frozenset(concepts) for head, concepts in tails.items()}


@lru_cache(maxsize=1)
def _words() -> frozenset[str]:
    """All single words that are heads or tails."""
    assertions = load(resources.require_resource("conceptnet"))
    return frozenset(word for _, head, tail in assertions for word in (head, tail) if word.isalpha())
