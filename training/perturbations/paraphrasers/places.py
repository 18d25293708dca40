"""Conditions on the context of a phrase, for replacing it.

Each takes a sentence, the phrase's first token and the one after its last.
"""

from itertools import pairwise, takewhile

from openmeva.training.perturbations.rules.phrase_table import Condition
from openmeva.training.perturbations.rules.times import TIME_NOUNS
from openmeva.training.text.inflection import FINITE_TAGS
from openmeva.training.text.negation.removal import AFTER_CANNOT
from openmeva.training.text.sentence import Sentence

_PARTICLES = frozenset(
    {"on", "up", "together", "at", "out", "in", "down", "inside", "outside", "over", "into"}
)
_LINKING = frozenset({"was", "were", "is", "are", "felt", "be", "been", "am", "so", "very"})
_LENGTH = 6  # tokens of an object with its modifiers
_COMPANIONS = frozenset(
    ["friend", "friends", "family", "mom", "dad", "mother", "father", "parents", "brother", "sister", "husband", "wife",
     "boyfriend", "girlfriend", "son", "daughter", "kids", "children", "class", "team", "cousin", "cousins"]
)  # fmt: skip
_PERMISSION = frozenset({"rule", "rules", "allowed", "law", "permission", "grounded"})
_PHRASE = frozenset({"DT", "PRP", "PRP$", "NN", "NNS", "NNP", "CD", "JJ", "POS", "RB", "VBN"})
_OBJECT = frozenset({"DT", "PRP", "PRP$", "NN", "NNS", "NNP", "CD", "JJ"})


def before_object(sentence: Sentence, start: int, end: int) -> bool:
    """An object follows: not a reflexive, and no pronoun with an infinitive or second object ("helped him move")."""
    tags = sentence.tags
    if end >= len(tags) or tags[end] not in _OBJECT or sentence.lowered[end].endswith(("self", "selves")):
        return False
    after = end + sum(1 for _ in takewhile(lambda tag: tag in _PHRASE, tags[end:]))
    if after < len(tags) and after > end and tags[after] in FINITE_TAGS | {"MD"}:
        return False  # a clause: "noticed the power had gone"
    return tags[end] != "PRP" or tags[end + 1 : end + 2] in ([], ["."], [","], ["IN"], ["CC"], ["RB"])


def object_without(*words: str) -> Condition:
    """As `before_object`, where none of `words` is among the next few: "threw a fit", "loved him very much"."""
    return lambda sentence, start, end: (
        before_object(sentence, start, end) and not {*words} & {*sentence.lowered[end : end + _LENGTH]}
    )


def object_with(*words: str) -> Condition:
    """As `before_object`, where one of `words` is among the next few: "joined a band"."""
    return lambda sentence, start, end: (
        before_object(sentence, start, end) and bool({*words} & {*sentence.lowered[end : end + _LENGTH]})
    )


def before_pause(sentence: Sentence, start: int, end: int) -> bool:
    """A pause or a conjunction follows: "smiled ." or "smiled and left"."""
    return sentence.tags[end : end + 1] in (["."], [","], ["CC"])


def before_gerund(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.tags[end : end + 1] == ["VBG"]


def before_duration(sentence: Sentence, start: int, end: int) -> bool:
    """A number and a unit of time follow: "for two hours"."""
    return sentence.tags[end : end + 1] == ["CD"] and not TIME_NOUNS.isdisjoint(
        sentence.lowered[end + 1 : end + 2]
    )


def before_time(sentence: Sentence, start: int, end: int) -> bool:
    return not TIME_NOUNS.isdisjoint(sentence.lowered[end : end + 1])


def before_companion(sentence: Sentence, start: int, end: int) -> bool:
    """A name, or a possessive with a noun, follows a verb of moving or doing, and then a pause: "went with her mom"."""
    tags, words = sentence.tags, sentence.words
    if tags[start - 1 : start] in (["NN"], ["JJ"], ["VBN"], ["NNS"]):
        return False  # "a talk with", "angry with"
    if end < len(words) and sentence.story.is_name(words[end]):
        return before_pause(sentence, start, end + 1)
    return (
        tags[end : end + 1] == ["PRP$"]
        and bool(_COMPANIONS & {*sentence.lowered[end + 1 : end + 2]})
        and before_pause(sentence, start, end + 2)
    )


def before_plural(sentence: Sentence, start: int, end: int) -> bool:
    """A determiner and a plural follow: "most of the guests"."""
    return sentence.tags[end : end + 1] in (["DT"], ["PRP$"]) and sentence.tags[end + 1 : end + 2] == ["NNS"]


def counted_object(sentence: Sentence, start: int, end: int) -> bool:
    """A number between a verb and a plural that is no time: "bought two cats"."""
    return (
        sentence.tags[start - 1 : start] in (["VBD"], ["VBN"])
        and sentence.tags[end : end + 1] == ["NNS"]
        and TIME_NOUNS.isdisjoint(sentence.lowered[end : end + 1])
    )


def simple_object(sentence: Sentence, start: int, end: int) -> bool:
    """An object follows, and nothing that says what it should be: not "needed his teeth clean"."""
    tags = sentence.tags[end : end + _LENGTH]
    return before_object(sentence, start, end) and not any(
        first.startswith("NN") and second.startswith(("JJ", "V", "TO")) for first, second in pairwise(tags)
    )


def before_infinitive(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.lowered[end : end + 1] == ["to"] and sentence.tags[end + 1 : end + 2] == ["VB"]


def before_that(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.lowered[end : end + 1] != [] and sentence.lowered[end] in {
        "that", "he", "she", "i", "they", "we",
    }  # fmt: skip


def is_predicate(sentence: Sentence, start: int, end: int) -> bool:
    """After a form of "be" or "feel", and before a pause, "and", "to", "that" or a preposition."""
    after = sentence.tags[end] if end < len(sentence) else "."
    if after.startswith(("NN", "JJ", "VB")):
        return False
    for at in range(start - 1, max(0, start - 3) - 1, -1):
        if sentence.lowered[at] in _LINKING:
            return True
        if sentence.tags[at].startswith("V") and sentence.lowered[at] not in {"getting", "feeling"}:
            return False  # an adverb: "was driving too fast"
    return False


def attribute_or_end(sentence: Sentence, start: int, end: int) -> bool:
    after = sentence.tags[end] if end < len(sentence) else "."
    return after.startswith(("NN", "JJ")) or not sentence.words[min(end, len(sentence) - 1)].isalnum()


def thing_or_predicate(sentence: Sentence, start: int, end: int) -> bool:
    return before_noun(sentence, start, end) or is_predicate(sentence, start, end)


def after_singular_subject(sentence: Sentence, start: int, end: int) -> bool:
    """Right after a singular subject, with which "was" and "is" agree."""
    if not start:
        return False
    if "CC" in sentence.tags[max(0, start - 4) : start]:
        return False  # "Sam and Nicole"
    return sentence.lowered[start - 1] in {"he", "she", "it"} or sentence.tags[start - 1] in {"NN", "NNP"}


def before_verb(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.tags[end : end + 1] == ["VB"]


def ends_phrasal(sentence: Sentence, start: int, end: int) -> bool:
    """No further particle and no verb follows ("got back on", "went to see"); "have to" needs a verb after it."""
    words = sentence.lowered
    if words[start] in {"have", "has", "had", "having"}:
        return True
    following = words[end] if end < len(words) else ""
    return not before_verb(sentence, start, end) and following not in _PARTICLES


def is_inability(sentence: Sentence, start: int, end: int) -> bool:
    """ "Could not" with a verb that one may be unable to do: not "could n't wait", "could n't leave until"."""
    if not after_singular_subject(sentence, start, end) or not before_verb(sentence, start, end):
        return False
    words = sentence.lowered
    forbidden = not _PERMISSION.isdisjoint(words)
    return words[end] not in AFTER_CANNOT | {"be"} and "until" not in words[end:] and not forbidden


def states_result(sentence: Sentence, start: int, end: int) -> bool:
    """A clause with a fact follows: no purpose, as in "so she would be rested"."""
    return before_clause(sentence, start, end) and "MD" not in sentence.tags[end : end + 3]


def is_simple_noun(sentence: Sentence, start: int, end: int) -> bool:
    """After an article or a possessive, and not part of a compound."""
    after = sentence.tags[end] if end < len(sentence) else "."
    before = sentence.tags[start - 1] if start else ""
    return (before in {"DT", "PRP$", "JJ"} or sentence.tags[start] == "NNS") and not after.startswith(
        ("NN", "POS")
    )


def affirmative(sentence: Sentence, start: int, end: int) -> bool:
    """No negation in the sentence: not "did not have numerous friends"."""
    return not {"not", "n't", "never"} & {*sentence.lowered}


def before_clause(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.tags[end : end + 1] != [] and sentence.tags[end] in {"PRP", "NNP", "DT", "PRP$", "EX"}


def before_noun(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.tags[end : end + 1] != [] and sentence.tags[end].startswith(("NNS", "JJ"))


def is_purpose_infinitive(sentence: Sentence, start: int, end: int) -> bool:
    """ "to" of purpose: "went to the store to buy milk"."""
    words, tags = sentence.lowered, sentence.tags
    moved = {"went", "goes", "go", "came", "stopped", "stayed", "used", "drove", "ran", "headed"}
    return (
        tags[start - 1 : start] in (["NN"], ["NNS"])
        and tags[end : end + 1] == ["VB"]
        and bool(moved & set(words[:start]))
    )
