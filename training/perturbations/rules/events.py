"""Events: clauses that report one, and pairs of which the second presupposes the first."""

from collections.abc import Iterator

from openmeva.training.perturbations.rules.nominals import article_of
from openmeva.training.perturbations.rules.times import TIME_NOUNS
from openmeva.training.text.inflection import FINITE_TAGS, lemma
from openmeva.training.text.knowledge.lexicon import STOP_WORDS
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

STATES = word_set(
    """
    be have know want need like love hate feel think believe seem look remember own belong understand wish hope
    mean live sound smell taste matter deserve cost prefer fear see hear care doubt enjoy stay wait sit stand
    lie contain hold weigh agree expect adore detest reside raise
    """
)
"""Verbs of states, perceptions and postures, by base form."""

_THOUGHTS = word_set("decide realize choose plan notice learn wonder worry cry laugh smile weep")
_EFFORT = word_set(
    """
    try tried trying search searched searching look looked looking beg begged asked struggled struggle practiced
    practice worked waited attempt attempts attempted shopped studied saved shook pulled pushed knocked
    """
)
_RESOLVING = word_set("find stop arrive reach finish succeed catch solve fix repair open answer agree")
# Words of habits and lists, in which the order of events does not matter, and of abilities.
_UNORDERED = word_set(
    """
    always never usually often sometimes also too even still now today once again able can could may might would
    should must 'd will everyday
    """
)


def reports_event(sentence: Sentence, start: int, end: int) -> bool:
    """Whether tokens `start` to `end` report an event: no state, thought or ability, and not one of several of a list."""
    if _UNORDERED & {*sentence.lowered[start:end]}:
        return False
    for at in range(start, end):
        tag = sentence.tags[at]
        if tag in FINITE_TAGS or (tag == "VBN" and at > start and sentence.tags[at - 1] == "PRP"):
            is_negated = not {"not", "n't"}.isdisjoint(sentence.lowered[at : at + 3])
            return not is_negated and lemma(sentence.lowered[at], tag) not in STATES | _THOUGHTS
    return False


def resolves(later: Sentence, start: int, earlier: Sentence) -> bool:
    """Whether the event from `start` on ends the efforts of an earlier sentence: "searched", "found"."""
    verbs = (
        lemma(later.lowered[at], later.tags[at])
        for at in range(start, len(later))
        if later.tags[at] in FINITE_TAGS
    )
    return next(verbs, "") in _RESOLVING and bool(_EFFORT & {*earlier.lowered})


def refers_back(
    later: Sentence, later_range: tuple[int, int], earlier: Sentence, earlier_range: tuple[int, int]
) -> bool:
    """Whether the later tokens refer to a thing that the earlier ones introduce: "found a key", "used it".

    So they do if they repeat a noun with "the" or a possessive that the earlier ones have without, or if they have "it"
    where the earlier ones have "a" and a thing. Such clauses rarely make sense in the other order.
    """
    if {"it", "its"} & {*later.lowered[slice(*later_range)]} and _introduces_thing(earlier, *earlier_range):
        return True
    introduced = {lemma(word, tag) for word, tag in _nouns(earlier, *earlier_range, known=False)}
    known = {lemma(word, tag) for word, tag in _nouns(later, *later_range, known=True)}
    return not introduced.isdisjoint(known)


def _introduces_thing(sentence: Sentence, start: int, end: int) -> bool:
    """Whether "a" or "an" stands before a noun that is no time or amount."""
    for at in range(start, end):
        if sentence.lowered[at] in {"a", "an"}:
            nouns = (word for word, tag in _tagged(sentence, at + 1, end) if tag in {"NN", "NNS"})
            if next(nouns, "time") not in TIME_NOUNS | {"lot", "bit", "couple", "few"}:
                return True
    return False


def _tagged(sentence: Sentence, start: int, end: int) -> Iterator[tuple[str, str]]:
    return zip(sentence.lowered[start:end], sentence.tags[start:end], strict=True)


def _nouns(sentence: Sentence, start: int, end: int, known: bool) -> Iterator[tuple[str, str]]:
    """Nouns with their tags, except times and parts of compounds: those with "the" or a possessive, or those without."""
    for at in range(start, end):
        if sentence.tags[at] in {"NN", "NNS"} and sentence.tags[at + 1 : at + 2] not in (["NN"], ["NNS"]):
            word = sentence.lowered[at]
            if word not in TIME_NOUNS | STOP_WORDS and (article_of(sentence, at) == "the") == known:
                yield word, sentence.tags[at]
