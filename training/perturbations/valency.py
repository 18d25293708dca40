"""Whether a verb fits where another stands, by WordNet's sentence frames."""

from functools import lru_cache

from training.language.lexicon import wordnet

from .sentence import Sentence
from .word_set import word_set

# Numbers of WordNet's frames ("8 Somebody ----s something").
_WITH_OBJECT = frozenset({8, 9, 10, 11})
_ALONE = frozenset({1, 2, 3})
_WITH_PREPOSITION = frozenset({4, 12, 13, 22, 27})
_OBJECT_STARTS = frozenset(
    {"DT", "PRP", "PRP$", "NN", "NNS", "NNP", "NNPS", "CD", "JJ", "JJS", "PDT", "WP", "EX"}
)
_SUBJECTS = frozenset({"i", "he", "she", "we", "they"})
# Verbs whose meaning hangs on what follows; a substitute never fits.
LIGHT_VERBS = word_set(
    """
    be have do get go come take make let keep put give set turn become seem try use need want start
    begin stop happen run hold bring help look feel say tell ask
    """
)


def frames_wanted(sentence: Sentence, at: int) -> frozenset[int]:
    """The frames of which one must be a verb's that takes the place of the one at `at`; empty: none fits."""
    words, tags = sentence.lowered, sentence.tags
    before = at - 1
    while before >= 0 and (tags[before].startswith("RB") or words[before] == "n't"):
        before -= 1
    if (
        tags[at] == "VBN"
        and before >= 0
        and words[before] in {"is", "are", "was", "were", "be", "been", "being"}
    ):
        return _WITH_OBJECT
    after = at + 1
    while after < len(tags) and tags[after].startswith("RB"):
        after += 1
    if after == len(tags):
        return _ALONE
    tag, word = tags[after], words[after]
    if tag == "TO" or word == "to":
        is_infinitive = after + 1 < len(tags) and tags[after + 1] == "VB"
        return frozenset({28}) if is_infinitive else frozenset({12, 22, 27})
    if tag == "RP" or word in {"up", "out", "off", "down", "away", "back", "over"}:
        return frozenset()
    if word == "that" or word in _SUBJECTS:
        return frozenset({26})
    if tag == "VBG":
        return frozenset({33})
    if tag in {"IN", "WRB"}:
        return _WITH_PREPOSITION
    if tag in {"JJR", "VB", "VBN"} or (tag == "JJ" and _ends_phrase(tags, after + 1)):
        return frozenset()
    if tag in _OBJECT_STARTS:
        return _WITH_OBJECT
    return _ALONE


def _ends_phrase(tags: list[str], at: int) -> bool:
    return at >= len(tags) or not tags[at].startswith(("NN", "JJ", "CD"))


@lru_cache(maxsize=1 << 15)
def frames_of(base: str) -> frozenset[int]:
    """The frames of all senses of a verb, which must be a lemma."""
    found: set[int] = set()
    for synset in wordnet().synsets(base, "v"):
        found.update(synset.frame_ids())
        for entry in synset.lemmas():
            if entry.name().lower() == base:
                found.update(entry.frame_ids())
    return frozenset(found)


def verb_fits(sentence: Sentence, at: int, base: str) -> bool:
    """Whether the verb `base` can take the place of the verb at `at` without breaking the sentence."""
    return bool(frames_wanted(sentence, at) & frames_of(base))
