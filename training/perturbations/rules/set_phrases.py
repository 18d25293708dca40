"""Set phrases and similar constructions, in which a word cannot be replaced separately."""

from functools import lru_cache

from openmeva.training.perturbations.rules.times import TIME_NOUNS
from openmeva.training.text.inflection import lemma
from openmeva.training.text.knowledge.lexicon import wordnet
from openmeva.training.text.knowledge.senses import senses
from openmeva.training.text.sentence import Sentence

_MEASURES = TIME_NOUNS | {"foot", "feet", "inch", "inches", "meter", "meters", "mile", "miles", "pounds"}
_AFTER_TIME = frozenset({"later", "ago", "before", "after", "earlier", "long", "old", "away"})
_BEFORE_NOUN = frozenset({"DT", "PDT", "CD", "JJ", "JJS", "RBS", "PRP$", "NNP"})
_IN_TIME = frozenset({"next", "last", "very", "few", "only", "half", "past", "every", "about", "almost"})
# Set phrases that are not in WordNet.
_PHRASES = frozenset(
    """
    as_a_result as_a_consequence as_a_rule as_a_whole in_case in_charge in_shape in_trouble no_avail
    had_better 'd_better such_as on_foot on_top on_edge by_accident by_mistake for_fun for_real no_idea first_place first_time
    on_one's_way in_one's_way on_one's_own
    """.split()
)
_LONGEST = 4


def in_set_phrase(sentence: Sentence, at: int) -> bool:
    """Whether the word at `at` is part of a phrase with an entry in WordNet, or of another set phrase.

    "hot dog", "took place", "looked for", "as a result", "lost her temper".
    """
    words, tags = sentence.lowered, sentence.tags
    for start in range(max(0, at - _LONGEST + 1), at + 1):
        verb = tags[start] if tags[start].startswith("V") else ""
        for end in range(max(at + 1, start + 2), min(len(words), start + _LONGEST) + 1):
            if not words[end - 1].isalpha():
                break
            phrase = (
                "one's" if tag == "PRP$" else word
                for word, tag in zip(words[start:end], tags[start:end], strict=True)
            )
            if _is_entry("_".join(phrase), verb):
                return True
    return False


@lru_cache(maxsize=1 << 17)
def _is_entry(phrase: str, verb: str) -> bool:
    """Whether a phrase is one entry; `verb` is the tag of its first word, where that is a verb."""
    if phrase in _PHRASES or phrase in _entries(""):
        return True
    first, _, rest = phrase.partition("_")
    return bool(verb) and f"{lemma(first, verb)}_{rest}" in _entries("v")


@lru_cache(maxsize=2)
def _entries(part: str) -> frozenset[str]:
    return frozenset(name for name in wordnet().all_lemma_names(part or None) if "_" in name)


def is_adverbial(sentence: Sentence, at: int) -> bool:
    """Whether the noun at `at` is adverbial without a preposition: "the next day", "two hours later", "home".

    Such a noun phrase by itself says when, how long or where.
    """
    words, tags = sentence.lowered, sentence.tags
    if words[at] == "home":
        return at == 0 or tags[at - 1] not in _BEFORE_NOUN
    if words[at] not in TIME_NOUNS:
        return False
    if at + 1 < len(words) and words[at + 1] in _AFTER_TIME:
        return True
    before = at - 1
    while before >= 0 and (tags[before] in _BEFORE_NOUN or words[before] in _IN_TIME):
        before -= 1
    if words[before + 1 : at] and words[at - 1] in {"next", "last", "every"}:
        return True
    return before < 0 or tags[before] not in {"IN", "TO"}


def is_paired_with_adjective(sentence: Sentence, at: int) -> bool:
    """Whether a word tagged as an adverb must be an adjective: "shiny and pretty"."""
    words, tags = sentence.lowered, sentence.tags
    following = tags[at + 1] if at + 1 < len(tags) else "."
    return (
        tags[at] == "RB"
        and at >= 2
        and words[at - 1] in {"and", "but", "or", ","}
        and tags[at - 2].startswith("JJ")
        and not following.startswith(("JJ", "RB", "V", "MD"))
    )


def is_measure(sentence: Sentence, at: int) -> bool:
    """Whether a noun only measures the one after "of": "a bunch of grapes"."""
    words = sentence.lowered
    return (
        sentence.tags[at] == "NN"
        and words[at - 1 : at] in (["a"], ["an"])
        and words[at + 1 : at + 2] == ["of"]
    )


def follows_measure(sentence: Sentence, at: int) -> bool:
    """Whether an adjective only names the dimension of a measure before it: "two years old"."""
    words = sentence.lowered
    measured = words[at] in {"old", "long", "tall", "high", "wide", "deep", "heavy"}
    return measured and at > 0 and words[at - 1] in _MEASURES


def is_replaceable(sentence: Sentence, at: int) -> bool:
    """Whether a word can be replaced: it is not part of a compound or set phrase, whose meaning would be lost.

    Nor is it a time or place without a preposition ("the next day"), or likely to be mistagged.
    """
    tags = sentence.tags
    if in_set_phrase(sentence, at) or is_paired_with_adjective(sentence, at) or follows_measure(sentence, at):
        return False
    if not tags[at].startswith("NN"):
        return True
    if is_adverbial(sentence, at) or is_measure(sentence, at) or _may_be_infinitive(sentence, at):
        return False
    before = tags[at - 1] if at else ""
    after = tags[at + 1] if at + 1 < len(tags) else ""
    return not before.startswith("NN") and not after.startswith("NN") and after != "POS"


def _may_be_infinitive(sentence: Sentence, at: int) -> bool:
    """Whether a noun after a bare "to" may be a mistagged verb."""
    return sentence.lowered[at - 1 : at] == ["to"] and bool(senses(sentence.lowered[at], "v"))
