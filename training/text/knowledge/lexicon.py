"""Opposites and synonyms of words, and which words carry a story: WordNet, with ConceptNet where fetched.

Everything is looked up by word and Penn Treebank tag, and comes back inflected to that tag. WordNet is
required (`make resources`); ConceptNet's negated relations are added where `.resources/conceptnet` has them.
Results are sorted and cached: they depend on the word and on which of the two resources are there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from nltk.corpus.reader.wordnet import Lemma

from openmeva.training.text.inflection import inflect, lemma, with_case_of
from openmeva.training.text.knowledge import resources
from openmeva.training.text.knowledge.conceptnet_files import NEGATED_RELATIONS, load
from openmeva.training.text.knowledge.senses import PARTS, senses, words_of
from openmeva.training.text.knowledge.wordnet_reader import wordnet

CONTENT_CLASSES = {
    "NN": "n",
    "NNS": "n",
    "JJ": "a",
    "JJR": "a",
    "JJS": "a",
    "RB": "r",
    "RBR": "r",
    "RBS": "r",
} | dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "v")
AUXILIARIES = frozenset({"be", "have", "do"})
_FUNCTION_WORDS = """
    about all also any anymore anyway as away back both down each either else enough especially even ever few
    first get gon got here however how in instead just last least less let lot many maybe more most much n't
    na neither next no nor not now off often on one only other otherwise out over own perhaps please quite
    rather really same several so some someone something somewhat still such than that then there thing though
    thus today together too up upon very well when where why yet
"""
# Tagged as nouns, verbs, adjectives or adverbs, these hold a sentence together and name nothing in it.
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())


def antonyms(word: str, tag: str) -> tuple[str, ...]:
    """Opposites of a word: WordNet's direct antonyms, and what ConceptNet's negated relations lead to.

    The relations are UNION's (section 3.2): Antonym, NotDesires, NotCapableOf, NotHasProperty, looked up by
    the word and by its lemma. Only single words that WordNet knows in the same part of speech are kept.

    Args:
        word: a token in any case.
        tag: its Penn Treebank tag.

    Returns:
        Surface words inflected to `tag` and cased as `word`, sorted; empty for other than content words.

    Raises:
        MissingResourceError: WordNet has not been fetched.

    Example:
        >>> "hated" in antonyms("loved", "VBD"), "worse" in antonyms("better", "JJR"), antonyms("the", "DT")
        (True, True, ())
    """
    return tuple(with_case_of(word, found) for found in _antonyms(word.lower(), tag))


def synonyms(word: str, tag: str) -> tuple[str, ...]:
    """Words of the same meaning by WordNet, in the senses that the word is mostly used in.

    A sense counts when SemCor, whose counts come with WordNet, has it at least half as often as the word's
    most frequent one; a synonym, when SemCor has it in that sense: "dog" is also "frump", "go" "locomote".

    Args, Returns, Raises:
        As for `antonyms`.

    Example:
        >>> "hasten" in synonyms("rush", "VB"), "rapidly" in synonyms("quickly", "RB")
        (True, True)
    """
    return tuple(with_case_of(word, found) for found in _synonyms(word.lower(), tag))


@lru_cache(maxsize=1 << 17)
def is_keyword(word: str, tag: str) -> bool:
    """Whether a word is a noun, verb, adjective or adverb that WordNet or ConceptNet knows, and no stop word.

    UNION takes every word of ConceptNet for a keyword (section 3.2). Here WordNet decides, whose entries have
    a part of speech, and the words of ConceptNet's negated relations beside it: ConceptNet as a whole has
    first names too and no part of speech that shows a wrong tag. Proper nouns, placeholders of names,
    auxiliaries and modals are none.

    Raises:
        MissingResourceError: WordNet has not been fetched.

    Example:
        >>> is_keyword("dogs", "NNS"), is_keyword("was", "VBD"), is_keyword("very", "RB")
        (True, False, False)
    """
    part = CONTENT_CLASSES.get(tag)
    lowered = word.lower()
    if part is None or len(word) < 2 or not word.isalpha() or lowered in STOP_WORDS:
        return False
    base = lemma(lowered, tag)
    if base in AUXILIARIES or base in STOP_WORDS:
        return False
    vocabulary = _conceptnet_words()
    return lowered in vocabulary or base in vocabulary or wordnet().morphy(lowered, part) is not None


@lru_cache(maxsize=1 << 16)
def _antonyms(word: str, tag: str) -> tuple[str, ...]:
    part = CONTENT_CLASSES.get(tag)
    if part is None or not word.isalpha():
        return ()
    base = lemma(word, tag)
    direct = (opposite.name().lower() for own in _own_lemmas(base, part) for opposite in own.antonyms())
    negated = _negated_concepts()
    related = (known_lemma(tail, tag) for key in (word, base) for tail in negated.get(key, ()))
    return surface_forms({*direct, *(found for found in related if found)}, word, base, tag)


@lru_cache(maxsize=1 << 16)
def _synonyms(word: str, tag: str) -> tuple[str, ...]:
    part = CONTENT_CLASSES.get(tag)
    if part is None or not word.isalpha():
        return ()
    base = lemma(word, tag)
    own = senses(base, part)
    most = max((sense.mentions for sense in own), default=0)
    frequent = [sense for rank, sense in enumerate(own) if 2 * sense.mentions >= max(most, 1) or rank == 0]
    return surface_forms(
        {other for sense in frequent for other in words_of(part, sense.synset)}, word, base, tag
    )


def _own_lemmas(base: str, part: str) -> list[Lemma]:
    """WordNet's entries for exactly this lemma, the most frequent sense first."""
    synsets = wordnet().synsets(base, part)
    return [entry for synset in synsets for entry in synset.lemmas() if entry.name().lower() == base]


@lru_cache(maxsize=1 << 16)
def known_lemma(word: str, tag: str) -> str | None:
    """The lemma of a word of ConceptNet, which has no parts of speech, as the part of speech of `tag`.

    None where WordNet doesn't know it as that, or where SemCor has it more often as another: "dog" is a verb
    too, and no neighbour of "love".
    """
    part = CONTENT_CLASSES[tag]
    base = lemma(word, tag)
    if wordnet().morphy(base, part) != base:
        found = wordnet().morphy(word, part)
        if found is None:
            return None
        base = found
    counts = _semcor_mentions().get(base, {})
    return base if counts.get(part, 0) == max(counts.values(), default=0) else None


def surface_forms(lemmas: Iterable[str], word: str, base: str, tag: str) -> tuple[str, ...]:
    """Single words for lemmas, inflected to a tag, without the word itself."""
    forms = {inflect(found, tag) for found in lemmas if found.isalpha() and found != base}
    return tuple(sorted(form for form in forms if form.isalpha() and form != word))


@lru_cache(maxsize=1)
def _semcor_mentions() -> Mapping[str, Mapping[str, int]]:
    """How often SemCor has a lemma, by part of speech."""
    by_part: defaultdict[str, Counter[str]] = defaultdict(Counter)
    with wordnet().open("cntlist.rev") as file:
        for line in file.read().splitlines():
            key, _, count = line.split(" ")  # "dog%1:05:00:: 1 42"
            base, _, sense = key.partition("%")
            by_part[base][PARTS[sense[0]]] += int(count)
    return by_part


@lru_cache(maxsize=1)
def _negated_concepts() -> Mapping[str, tuple[str, ...]]:
    """Single-word tails of the negated relations by their single-word heads; empty without ConceptNet."""
    path = resources.find("conceptnet")
    tails: defaultdict[str, set[str]] = defaultdict(set)
    for relation, head, tail in load(path) if path else ():
        if relation in NEGATED_RELATIONS and head.isalpha() and tail.isalpha():
            tails[head].add(tail)
    return {head: tuple(sorted(found)) for head, found in tails.items()}


@lru_cache(maxsize=1)
def _conceptnet_words() -> frozenset[str]:
    negated = _negated_concepts()
    return frozenset(negated).union(*negated.values())
