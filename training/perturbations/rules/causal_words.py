"""Causal words (Table 12), and their opposites."""

from openmeva.training.perturbations.rules.clause_order import OF_CONJUNCTION, ends_in_be
from openmeva.training.perturbations.rules.phrase_table import (
    Counterpart,
    PhraseTable,
    both,
    following,
    not_following,
    not_preceded,
)
from openmeva.training.text.inflection import FINITE_TAGS, inflect
from openmeva.training.text.knowledge.senses import senses
from openmeva.training.text.negation.verbs import BE
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

CAUSAL_WORDS = word_set(
    """
    because since therefore why cause causes caused causing reason reasons result results resulted
    resulting effect effects purpose purposes aim aims sake consequence consequences consequently causal
    thus hence
    """
)
_SUBJECTS = frozenset({"PRP", "NNP", "NN", "NNS", "DT", "PRP$", "EX"})
_NOUN = frozenset({"NN"})
_NOUNS = frozenset({"NNS"})


def is_causal_so(sentence: Sentence, at: int) -> bool:
    """Whether "so" at `at` introduces a consequence: before a subject, not "so much", "so that", "or so"."""
    words, tags = sentence.lowered, sentence.tags
    if (
        words[at] != "so"
        or at + 2 >= len(words)
        or (at and words[at - 1] in {"or", "do", "did", "even", "said"})
    ):
        return False
    if (
        at
        and words[at - 1] not in {",", ";"}
        and tags[at - 1].startswith(("VB", "RB"))
        and words[at - 1]
        in {
            "is",
            "was",
            "were",
            "are",
            "be",
            "felt",
            "been",
            "'s",
            "became",
            "got",
            "looked",
            "seemed",
            "not",
            "n't",
        }
    ):
        return False
    if words[at + 1] in {"that", "much", "many", "this"}:
        return words[at + 1] == "this" and tags[at + 2].startswith("V")
    if tags[at + 1] not in _SUBJECTS:
        return False
    return any(tag in FINITE_TAGS for tag in tags[at + 2 : at + 8])


def is_causal_since(sentence: Sentence, at: int) -> bool:
    """Whether "since" at `at` gives a reason: a clause follows, and no perfect tense comes before."""
    words, tags = sentence.lowered, sentence.tags
    if words[at] != "since" or at + 2 >= len(words) or words[at - 1 : at] == ["ever"]:
        return False
    if any(word in {"have", "has", "had", "'ve", "been"} for word in words[:at]):
        return False
    return tags[at + 1] in _SUBJECTS and any(tag in FINITE_TAGS for tag in tags[at + 2 : at + 6])


def _clause_follows(sentence: Sentence, start: int, end: int) -> bool:
    tags = sentence.tags
    return (
        end < len(tags)
        and tags[end] in _SUBJECTS
        and any(tag in FINITE_TAGS for tag in tags[end + 1 : end + 7])
    )


def _inside_with_clause(sentence: Sentence, start: int, end: int) -> bool:
    if sentence.is_first_word(start) or ends_in_be(sentence, 0, start):
        return False  # "it was because"
    if sentence.lowered[start - 1] in OF_CONJUNCTION:
        return False  # "probably because"
    return _clause_follows(sentence, start, end)


def _so(sentence: Sentence, start: int, end: int) -> bool:
    return is_causal_so(sentence, start) and not sentence.is_first_word(start)


def _object_to_verb(sentence: Sentence, start: int, end: int) -> bool:
    return "to" in sentence.lowered[end : end + 5]


def _no_infinitive(sentence: Sentence, start: int, end: int) -> bool:
    return not _object_to_verb(sentence, start, end) and end < len(sentence) and sentence.tags[end] != "IN"


def _noun_of_its_own(sentence: Sentence, start: int, end: int) -> bool:
    """ "The reason was", "a good reason.", not "the reason he left"."""
    if end >= len(sentence):
        return True
    return sentence.tags[end].startswith("V") or sentence.words[end] in {".", ",", "!", "?"}


def _cause_follows(sentence: Sentence, start: int, end: int) -> bool:
    """ "Due to the rain", not "is due to arrive" or "was due to him"."""
    if end >= len(sentence) or sentence.tags[end] == "VB":
        return False
    if not start or sentence.lowered[start - 1] not in BE:
        return True
    may_be_verb = sentence.tags[end] == "NN" and senses(sentence.lowered[end], "v")
    return sentence.tags[end] != "PRP" and not may_be_verb


def _opens_or_after_comma(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.is_first_word(start) or sentence.words[start - 1] == ","


_HAS_CAUSE = both(
    following("of", "were", "was"),
    not_preceded("side", "special", "sound", "in", "into", "take", "takes", "took"),
)
_ENTRIES = {
    "just because": Counterpart("even though", holds=_inside_with_clause),
    "because of": Counterpart("despite"),
    "because": Counterpart("so", holds=_inside_with_clause),
    "so": Counterpart("because", holds=_so),
    "since": Counterpart(
        "so", holds=lambda s, start, end: not s.is_first_word(start) and is_causal_since(s, start)
    ),
    "therefore": Counterpart("nevertheless"),
    "thus far": Counterpart(""),
    "thus": Counterpart("nevertheless"),
    "hence": Counterpart("nevertheless"),
    "consequently": Counterpart("nevertheless"),
    "as a result of": Counterpart("in spite of"),
    "as a result": Counterpart("in spite of this", holds=not_following("of")),
    "as a consequence": Counterpart("in spite of this", holds=not_following("of")),
    "for this reason": Counterpart("in spite of this"),
    "for that reason": Counterpart("in spite of that"),
    "due to": Counterpart("in spite of", holds=_cause_follows),
    "thanks to": Counterpart("in spite of", holds=_opens_or_after_comma),
    "for the sake of": Counterpart("in spite of"),
    "on purpose": Counterpart("by accident"),
    "for no reason": Counterpart("to no effect"),
    "reason": Counterpart("result", _NOUN, _noun_of_its_own),
    "reasons": Counterpart("results", _NOUNS, _noun_of_its_own),
    "result": Counterpart("cause", _NOUN, not_following("in")),
    "results": Counterpart("causes", _NOUNS, following("of", "were", "was")),
    "effect": Counterpart("cause", _NOUN, _HAS_CAUSE),
    "effects": Counterpart("causes", _NOUNS, _HAS_CAUSE),
    "cause": Counterpart("effect", _NOUN),
    "causes": Counterpart("effects", _NOUNS),
    "consequence": Counterpart("cause", _NOUN),
    "consequences": Counterpart("causes", _NOUNS),
    **{
        inflect("cause", tag): Counterpart(inflect("prevent", tag), frozenset({tag}), _no_infinitive)
        for tag in ("VBD", "VBZ", "VBG")
    },
}
# Openers of a second sentence that mark it as a consequence of the first.
RESULT_OPENERS = (
    ("as", "a", "result"),
    ("as", "a", "consequence"),
    ("because", "of", "this"),
    ("because", "of", "that"),
    ("for", "this", "reason"),
    ("for", "that", "reason"),
    ("due", "to", "this"),
    ("therefore",),
    ("consequently",),
    ("thus",),
    ("hence",),
)
OPPOSITES = PhraseTable(_ENTRIES)


def is_causal(sentence: Sentence, at: int) -> bool:
    """Whether the word at `at` is causal."""
    word = sentence.lowered[at]
    if word == "so":
        return is_causal_so(sentence, at)
    return word in CAUSAL_WORDS


def result_opener(sentence: Sentence) -> int:
    """Number of tokens at the start of a sentence that mark it as a consequence; 0 for none."""
    words = sentence.lowered
    for opener in RESULT_OPENERS:
        if tuple(words[: len(opener)]) == opener and words[len(opener) : len(opener) + 1] != ["far"]:
            return len(opener)
    return 1 if is_causal_so(sentence, 0) else 0
