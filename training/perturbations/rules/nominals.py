"""Whether a noun can replace another, by its article."""

from functools import lru_cache

from openmeva.training.text.knowledge.lexicon import wordnet
from openmeva.training.text.knowledge.senses import senses
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

_DETERMINERS = frozenset({"DT", "PDT", "PRP$", "CD", "POS", "WP$", "WDT"})
_INSIDE = frozenset({"JJ", "JJR", "JJS", "VBN", "VBG", "RB", "NN", "NNP"})
# WordNet's lexicographer files whose nouns are mostly countable, and those whose nouns mostly are not.
_COUNTED = frozenset(
    f"noun.{name}"
    for name in (
        *("person", "animal", "artifact", "plant", "body", "object", "location", "group", "time", "event"),
        *("shape", "quantity", "communication", "act", "Tops"),
    )
)
_UNCOUNTED = frozenset(f"noun.{name}" for name in "substance feeling phenomenon".split())
_MASS = word_set(
    """
    fun furniture homework housework money cash advice news traffic weather luck music bread milk food
    information research equipment luggage trash garbage clothing jewelry mail evidence progress
    knowledge work baseball football basketball soccer tennis golf hockey rice butter meat cheese
    alcohol guilt laundry art stuff scenery poetry machinery pollution
    power internet relaxation attention countryside transportation stress weight fart
    """
)


def article_of(sentence: Sentence, at: int) -> str:
    """The article type of the noun at `at`: "a" (or "an"), "bare", else "the".

    "bare" is without a determiner, or after "some", "any", "all" or "no".
    """
    words, tags = sentence.lowered, sentence.tags
    before = at - 1
    while before >= 0 and tags[before] in _INSIDE:
        before -= 1
    if before >= 0 and words[before] in {"a", "an", "another", "each", "every"}:
        return "a"
    if before >= 0 and words[before] in {"some", "any", "all", "no"}:
        return "bare"
    return "the" if before >= 0 and tags[before] in _DETERMINERS else "bare"


def noun_fits(sentence: Sentence, at: int, base: str) -> bool:
    """Whether the noun `base` can replace the noun at `at`: countable after "a" and in the plural, a mass noun without article."""
    if sentence.tags[at] != "NN":
        return sentence.tags[at] != "NNS" or _is_counted(base)
    article = article_of(sentence, at)
    return article == "the" or (_is_counted(base) if article == "a" else _is_mass(base))


@lru_cache(maxsize=1 << 14)
def _is_counted(base: str) -> bool:
    return base not in _MASS and not base.endswith("ness") and lexicographer_file(base) not in _UNCOUNTED


@lru_cache(maxsize=1 << 14)
def _is_mass(base: str) -> bool:
    return base in _MASS or lexicographer_file(base) not in _COUNTED


@lru_cache(maxsize=1 << 14)
def lexicographer_file(base: str, part: str = "n") -> str:
    """WordNet's lexicographer file of a lemma's first sense as a noun (or `part`): "noun.food"; empty for none."""
    own = senses(base, part)
    return str(wordnet().synset_from_pos_and_offset(part, own[0].synset).lexname()) if own else ""
