"""Opposites and synonyms of words, and keywords: WordNet, plus ConceptNet if fetched.

Words are looked up by form and Penn Treebank tag, and results are inflected to that tag. WordNet is
required (`make resources`); ConceptNet's negated relations are added if `.resources/conceptnet` has them.
Results are sorted and cached. They depend on the word and on the available resources.
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
from openmeva.training.text.word_set import COARSE_WORDS

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
# Function words that are tagged as nouns, verbs, adjectives or adverbs.
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())


def antonyms(word: str, tag: str) -> tuple[str, ...]:
    """Opposites of a word: WordNet's direct antonyms, and the tails of ConceptNet's negated relations.

    The relations are UNION's (section 3.2): Antonym, NotDesires, NotCapableOf, NotHasProperty, looked up by
    the word and by its lemma. Only single words in WordNet with the same part of speech are kept.

    Args:
        word: a token in any case.
        tag: its Penn Treebank tag.

    Returns:
        Surface words inflected to `tag` and cased as `word`, sorted; empty for words other than content words.

    Raises:
        MissingResourceError: WordNet has not been fetched.

    Example:
        >>> "hated" in antonyms("loved", "VBD"), "worse" in antonyms("better", "JJR"), antonyms("the", "DT")
        (True, True, ())
    """
    return tuple(with_case_of(word, antonym) for antonym in _antonyms(word.lower(), tag))


def synonyms(word: str, tag: str) -> tuple[str, ...]:
    """WordNet's synonyms in the most frequent senses of the word.

    A sense counts if it is WordNet's first one, or if SemCor, whose counts are part of WordNet, has it at least half as
    often as the word's most frequent sense. A synonym counts if SemCor has it in that sense; this excludes "frump" for
    "dog" and "locomote" for "go".

    Args, Returns, Raises:
        As for `antonyms`.

    Example:
        >>> "hasten" in synonyms("rush", "VB"), "rapidly" in synonyms("quickly", "RB")
        (True, True)
    """
    return tuple(with_case_of(word, synonym) for synonym in _synonyms(word.lower(), tag))


@lru_cache(maxsize=1 << 17)
def is_keyword(word: str, tag: str) -> bool:
    """Whether a word is a noun, verb, adjective or adverb of WordNet or ConceptNet, and not a stop word.

    In UNION, every word of ConceptNet is a keyword (section 3.2). Here the keywords are those of WordNet, whose entries
    have a part of speech, and the words of ConceptNet's negated relations. ConceptNet as a whole also has first names,
    and no parts of speech that would reveal a wrong tag. Proper nouns, placeholders of names, auxiliaries and modals
    are not keywords.

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
    return surface_forms(
        {*direct, *(related_lemma for related_lemma in related if related_lemma)}, word, base, tag
    )


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
    """WordNet's entries for exactly this lemma, by decreasing frequency of the sense."""
    synsets = wordnet().synsets(base, part)
    return [entry for synset in synsets for entry in synset.lemmas() if entry.name().lower() == base]


@lru_cache(maxsize=1 << 16)
def known_lemma(word: str, tag: str) -> str | None:
    """The lemma of a word of ConceptNet, which has no parts of speech, with the part of speech of `tag`.

    None if WordNet does not have it with this part of speech, or if SemCor has it more often with another one: "dog" is
    also a verb, but not a neighbour of the verb "love".
    """
    part = CONTENT_CLASSES[tag]
    base = lemma(word, tag)
    if wordnet().morphy(base, part) != base:
        morphy_lemma = wordnet().morphy(word, part)
        if morphy_lemma is None:
            return None
        base = morphy_lemma
    counts = _semcor_mentions().get(base, {})
    return base if counts.get(part, 0) == max(counts.values(), default=0) else None


def surface_forms(lemmas: Iterable[str], word: str, base: str, tag: str) -> tuple[str, ...]:
    """Surface forms of the single-word lemmas, inflected to a tag, without the word itself."""
    forms = {inflect(form_lemma, tag) for form_lemma in lemmas if form_lemma.isalpha() and form_lemma != base}
    return tuple(sorted(form for form in forms if form.isalpha() and form != word))


@lru_cache(maxsize=1)
def _semcor_mentions() -> Mapping[str, Mapping[str, int]]:
    """Frequencies of lemmas in SemCor, by part of speech."""
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
    path = resources.find_resource("conceptnet")
    tails: defaultdict[str, set[str]] = defaultdict(set)
    for relation, head, tail in load(path) if path else ():
        if relation in NEGATED_RELATIONS and head.isalpha() and tail.isalpha() and not is_coarse(tail):
            tails[head].add(tail)
    return {head: tuple(sorted(concepts)) for head, concepts in tails.items()}


def is_coarse(word: str) -> bool:
    """Whether a word is a form of one of `COARSE_WORDS`, which must not be written into a story."""
    return not COARSE_WORDS.isdisjoint({word, *(lemma(word, tag) for tag in ("NNS", "VBD", "VBG"))})


@lru_cache(maxsize=1)
def _conceptnet_words() -> frozenset[str]:
    negated = _negated_concepts()
    return frozenset(negated).union(*negated.values())
