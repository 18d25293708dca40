"""Direct antonyms of a word in its frequent senses, by WordNet only.

UNION's antonyms (`training.text.knowledge.lexicon.antonyms`) include all of ConceptNet's negated relations. The
consistency test is narrower: "happy" and "unhappy", not what a dog does not desire.
"""

from functools import lru_cache

from nltk.corpus.reader.wordnet import Lemma

from openmeva.training.text.inflection import lemma, with_case_of
from openmeva.training.text.knowledge.lexicon import CONTENT_CLASSES, STOP_WORDS, surface_forms, wordnet
from openmeva.training.text.knowledge.senses import senses
from openmeva.training.text.word_set import word_set

_SENSES = 3  # WordNet orders senses by frequency; antonyms of rare senses are confusing
_LEAST_SHARE = 0.11  # of a word's mentions that have the sense
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "mis")
# Words whose antonyms in WordNet do not read as opposites, or that occur in fixed phrases.
_NOT_OPPOSITE = word_set(
    """
    man woman men women boy girl he she husband wife male female mother father day night brother sister
    time back front thing way lot people person mom dad king queen uncle aunt son daughter right left
    little whole free blind color foot head pro con certain single middle lie evitable
    experience inexperience addition due tie freeze boil tough stay change supply service miss follow hard soft
    walk ride stable unstable work idle fair unfair stand sit
    """
)


@lru_cache(maxsize=1 << 15)
def _opposites(word: str, tag: str) -> tuple[str, ...]:
    part = CONTENT_CLASSES.get(tag)
    base = lemma(word, tag)
    if part is None or not word.isalpha() or base in STOP_WORDS or base in _NOT_OPPOSITE:
        return ()
    mentions = sum(sense.mentions for sense in senses(base, part))
    candidates = {
        opposite.name().lower()
        for rank, synset in enumerate(wordnet().synsets(base, part)[:_SENSES])
        for entry in synset.lemmas()
        if entry.name().lower() == base
        for opposite in entry.antonyms()
        if _in_use(opposite)
        and (rank == 0 or entry.count() >= _LEAST_SHARE * mentions > 0)
        and (opposite.count() or not entry.count())
    }
    return surface_forms(candidates - STOP_WORDS - _NOT_OPPOSITE, word, base, tag)


def _in_use(entry: Lemma) -> bool:
    """Whether a word is in use by its mentions in SemCor: "unhappy", not "unangry", nor "nondriver" with one mention."""
    name = entry.name().lower()
    return not name.startswith(_PREFIXES) or entry.count() > name.startswith("non")


def opposites(word: str, tag: str) -> tuple[str, ...]:
    """Antonyms inflected to `tag` and cased as `word`, sorted; empty for words that are not content words.

    >>> opposites("happy", "JJ"), opposites("agreed", "VBD"), opposites("driver", "NN")
    (('unhappy',), ('disagreed',), ())
    """
    return tuple(with_case_of(word, opposite) for opposite in _opposites(word.lower(), tag))


def negated_by_prefix(word: str, tag: str) -> tuple[str, ...]:
    """Antonyms that differ from `word` only by a negating prefix, added or removed."""
    low = word.lower()
    return tuple(
        new
        for new in opposites(word, tag)
        if any(low == prefix + new.lower() or new.lower() == prefix + low for prefix in _PREFIXES)
    )


def has_negating_prefix(word: str, tag: str) -> bool:
    """Whether `word` is an antonym formed by a prefix: "unhappy", not "under"."""
    low = word.lower()
    return low.startswith(_PREFIXES) and any(
        low == prefix + new.lower() for prefix in _PREFIXES for new in negated_by_prefix(word, tag)
    )
