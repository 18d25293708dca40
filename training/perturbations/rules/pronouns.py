"""Personal pronouns (Table 13), their forms, and which verbs agree with them."""

from collections.abc import Sequence

from openmeva.training.perturbations.rules.times import TIMES_WITHOUT_PREPOSITION
from openmeva.training.text.inflection import FINITE_TAGS, lemma
from openmeva.training.text.knowledge.lexicon import senses
from openmeva.training.text.negation.verbs import BE, DO_TAGS, HAVE
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

COLUMNS = ("subject", "object", "possessive", "possessive_noun", "reflexive")
# One row per person; "you" has two, which differ in the reflexive.
PERSONS: tuple[tuple[str, ...], ...] = (
    ("i", "me", "my", "mine", "myself"),
    ("we", "us", "our", "ours", "ourselves"),
    ("you", "you", "your", "yours", "yourself"),
    ("you", "you", "your", "yours", "yourselves"),
    ("he", "him", "his", "his", "himself"),
    ("she", "her", "her", "hers", "herself"),
    ("it", "it", "its", "its", "itself"),
    ("they", "them", "their", "theirs", "themselves"),
)
# Both rows of "you" are one person.
_PERSON_OF = {form: row[0] for row in PERSONS for form in row}
PRONOUNS = frozenset(_PERSON_OF)
_TO_OBJECT = {row[0]: row[1] for row in PERSONS}
_TO_SUBJECT = {row[1]: row[0] for row in PERSONS}
PLURAL = frozenset({"we", "you", "they"})
# Verbs with two objects, after which "her" is ambiguous: "gave her dog a bone", "gave her bones".
_TAKES_TWO = word_set(
    "give show tell buy bring send teach offer hand ask make call find get let help see watch hear name consider keep"
)
# Forms that a subject may follow: "did you see it?".
_AUXILIARIES = BE | (HAVE - {"having"}) | frozenset(DO_TAGS)
_BEFORE_NOUN = ("NN", "JJ", "CD", "VBG", "VBN", "RBS")  # tags after a possessive


def person_of(word: str) -> str | None:
    """The subject form of the person that a pronoun belongs to; None for other words.

    >>> person_of("hers"), person_of("yourselves"), person_of("dog")
    ('she', 'you', None)
    """
    return _PERSON_OF.get(word)


def object_form(word: str) -> str:
    """The object form of a subject pronoun; other words do not change."""
    return _TO_OBJECT.get(word, word)


def subject_form(word: str) -> str:
    """The subject form of an object pronoun; other words do not change."""
    return _TO_SUBJECT.get(word, word)


def column_of(sentence: Sentence, at: int) -> str | None:
    """The column of Table 13 for the pronoun at `at`; None for other words and ambiguous pronouns."""
    words, tags = sentence.lowered, sentence.tags
    word = words[at]
    if word not in PRONOUNS or not sentence.words[at].isalpha():
        return None
    columns = {COLUMNS[index] for row in PERSONS for index, form in enumerate(row) if form == word}
    if len(columns) == 1:
        return columns.pop()
    following = tags[at + 1] if at + 1 < len(tags) else "."
    if word == "her":
        return _object_or_possessive(sentence, at)
    if word in {"his", "its"}:
        if following.startswith(_BEFORE_NOUN):
            return "possessive"
        return "possessive_noun" if following in {".", ",", "IN", "TO"} else None
    return _subject_or_object(words, tags, at)


def _object_or_possessive(sentence: Sentence, at: int) -> str | None:
    """The column of "her": "made her happy", "her old car"; None for ambiguous cases: "took her home", "gave her flowers".

    Its tag does not help, since taggers tag many possessives as objects.
    """
    words, tags = sentence.lowered, sentence.tags
    following = tags[at + 1] if at + 1 < len(tags) else "."
    if following.startswith("RB"):
        return None
    end = at + 1
    while end < len(tags) and tags[end].startswith(_BEFORE_NOUN):
        end += 1
    nouns = {
        word
        for word, tag in zip(words[at + 1 : end], tags[at + 1 : end], strict=True)
        if tag.startswith("NN") and senses(lemma(word, "NNS"), "n")
    }
    if not nouns:
        may_be_noun = any(
            tag.startswith("NN") and not any(senses(word, part) for part in "avr")
            for word, tag in zip(words[at + 1 : end], tags[at + 1 : end], strict=True)
        )  # one that is not in WordNet: "her coworkers"
        return None if following == "VBG" or may_be_noun else "object"
    verb = lemma(words[at - 1], tags[at - 1]) if at and tags[at - 1].startswith("V") else ""
    return "possessive" if nouns - TIMES_WITHOUT_PREPOSITION and verb not in _TAKES_TWO else None


def _subject_or_object(words: Sequence[str], tags: Sequence[str], at: int) -> str | None:
    """The column of "you" and "it", by the context."""
    before = tags[at - 1] if at else ""
    after = _past_adverbs(words, tags, at, 1)
    following = tags[after] if after < len(tags) else "."
    if _may_be_inverted(words, tags, at, following):
        return None
    if following in FINITE_TAGS:
        return "subject" if before not in {"VB", "TO"} else None
    if before.startswith("VB") or before in {"IN", "TO", "RP"}:
        return "object"
    return None


def _past_adverbs(words: Sequence[str], tags: Sequence[str], at: int, step: int) -> int:
    """The next place after `at` (before it with a step of -1) that has neither an adverb nor "n't"."""
    at += step
    while 0 <= at < len(tags) and (tags[at].startswith("RB") or words[at] == "n't"):
        at += step
    return at


def _may_be_inverted(words: Sequence[str], tags: Sequence[str], at: int, following: str) -> bool:
    """Whether the pronoun at `at` may be the subject of the auxiliary before it: "how are you", "so did it".

    It is the object if do or have follows its own subject, "to" or another verb: "he did it", "will have you".
    """
    verb = _past_adverbs(words, tags, at, -1)
    if verb < 0 or words[verb] not in _AUXILIARIES:
        return False
    if words[verb] in BE - HAVE:
        return True
    start = _past_adverbs(words, tags, verb, -1)
    before = tags[start] if start >= 0 else ""
    if before in {"PRP", "MD", "TO"} or before.startswith("VB"):
        return False
    joined = before == "CC" and start == verb - 1 and "?" not in words
    return not (joined or before.startswith("NN")) or following.startswith("VB")


def fitting_subjects(sentence: Sentence, at: int) -> frozenset[str]:
    """Subject pronouns that agree with the verb after the one at `at`; empty for an unclear clause."""
    words, tags = sentence.lowered, sentence.tags
    after = at + 1
    while after < len(tags) and tags[after].startswith("RB") and words[after] != "n't":
        after += 1
    verb = words[after] if after < len(tags) else ""
    tag = tags[after] if after < len(tags) else ""
    third, first, plural = {"he", "she", "it"}, {"i"}, set(PLURAL)
    if verb in {"was"}:
        return frozenset(third | first)
    if verb in {"were", "are", "'re"}:
        return frozenset(plural)
    if verb in {"am", "'m"}:
        return frozenset(first)
    if verb in {"is", "'s", "has", "does"}:
        return frozenset(third)
    if verb in {"'ve", "have", "do"}:
        return frozenset(first | plural)
    if tag == "VBZ":
        return frozenset(third)
    if tag == "VBP":
        return frozenset(first | plural)
    if tag in {"VBD", "MD"}:
        return frozenset(third | first | plural)
    return frozenset()  # an inverted or unclear clause
