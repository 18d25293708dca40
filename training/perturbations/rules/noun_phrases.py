"""Base noun phrases, and clauses of subject, verb and object, by tags."""

from typing import NamedTuple

from openmeva.training.perturbations.rules.pronouns import PLURAL, PRONOUNS
from openmeva.training.perturbations.rules.times import TIME_NOUNS, TIMES_WITHOUT_PREPOSITION
from openmeva.training.text.inflection import inflect, lemma
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

_BEFORE_NOUN = frozenset({"JJ", "JJR", "JJS", "CD", "VBN", "NN", "NNP", "NNS"})
_REFLEXIVE = ("self", "selves")
_BE = frozenset({"be", "is", "are", "was", "were", "am", "been", "being", "'s", "'m", "'re"})
_COPULAS = word_set(
    """
    become became becomes seem seemed seems feel felt feels look looked looks stay stayed get got gets
    remain remained turn turned go went goes come came comes weigh weighed cost
    """
)
_CLAUSE_OPENERS = frozenset({"CC", "WRB", "WDT", "WP"})
# "In" or "of" do not open a clause. The second group are also prepositions: "after the party Tom sang".
_CONJUNCTIONS = frozenset(
    {"because", "that", "while", "if", "although", "though", "when", "unless", "whether"}
)
_CONJUNCTIONS_OR_PREPOSITIONS = frozenset({"as", "since", "until", "before", "after"})
_BEFORE_TIME = frozenset({"the", "that", "this", "one", "last", "next", "every", "each"})


class NounPhrase(NamedTuple):
    """Tokens `start` to `end` (excluded) of a sentence: a pronoun, or a noun with its determiner and modifiers."""

    start: int
    end: int
    plural: bool
    pronoun: str  # in lower case; "" for a noun

    @property
    def subject(self) -> str:
        """A pronoun for the phrase, which determines agreement."""
        return self.pronoun or ("they" if self.plural else "it")


class Clause(NamedTuple):
    """Subject, verb group (`verb_start` to `verb_end`, excluded) and direct object of a clause."""

    subject: NounPhrase
    verb_start: int
    verb_end: int
    main_verb: int
    object: NounPhrase


def noun_phrase(sentence: Sentence, at: int) -> NounPhrase | None:
    """The base noun phrase that starts at `at`; None where there is none.

    Time expressions and adverbial nouns ("two hours", "home") are excluded: they are seldom subjects or objects.
    """
    words, tags = sentence.lowered, sentence.tags
    if at >= len(tags):
        return None
    if tags[at] == "PRP" and words[at] in PRONOUNS and not words[at].endswith(_REFLEXIVE):
        return NounPhrase(at, at + 1, words[at] in PLURAL or words[at] in {"us", "them"}, words[at])
    end = at
    determined = tags[end] in {"DT", "PRP$", "CD"} and words[end] not in {"there", "both", "all", "any", "no"}
    if determined:
        end += 1
    while end < len(tags):
        if tags[end] == "POS" and end > at and tags[end - 1].startswith("NN"):
            determined = True
        elif tags[end] == "VBN" and end > at and tags[end - 1].startswith("NN"):
            break  # "the doctor treated"
        elif end > at and words[end - 1] in TIME_NOUNS and _is_name(sentence, end):
            return None  # "the next day Tom"
        elif tags[end] not in _BEFORE_NOUN and not tags[end].startswith("NN"):
            break
        end += 1
    if (
        words[at] in {"any", "no"}
        or end == at
        or not tags[end - 1].startswith("NN")
        or words[end - 1] in TIMES_WITHOUT_PREPOSITION
    ):
        return None
    if not all(word[0].isalnum() or word[0] in "['" for word in words[at:end]):
        return None
    is_name = _is_name(sentence, end - 1)
    plural = tags[end - 1] in {"NNS", "NNPS"} and not is_name
    if tags[at - 1 : at] in (["NN"], ["JJ"]) and not (determined or words[at - 1] in TIME_NOUNS):
        return None  # the rest of a longer phrase
    if not (determined or plural or is_name):
        return None  # "ate pizza": a bare noun is rarely a good subject
    if is_name and not tags[at].startswith("NN") and end - at == 1:
        return None
    return NounPhrase(at, end, plural, "")


def _is_name(sentence: Sentence, at: int) -> bool:
    return sentence.tags[at].startswith("NNP") or sentence.story.is_name(sentence.words[at])


def _follows_time(sentence: Sentence, at: int) -> bool:
    """Whether the sentence up to `at` is a time expression: "the next day"."""
    return (
        1 < at <= 4
        and sentence.words[at - 1].lower() in TIME_NOUNS
        and (
            sentence.lowered[0] in _BEFORE_TIME
            and all(tag in {"DT", "JJ", "CD", "IN"} for tag in sentence.tags[: at - 1])
        )
    )


def clauses(sentence: Sentence, prepositions: frozenset[str] = frozenset()) -> list[Clause]:
    """Clauses with a simple subject, an active verb and a simple object after it.

    Args:
        sentence: any.
        prepositions: those allowed between the verb and its object.
    """
    words, tags = sentence.lowered, sentence.tags
    result = []
    for at in range(len(tags)):
        opens = (
            sentence.is_first_word(at)
            or tags[at - 1] in _CLAUSE_OPENERS
            or words[at - 1] in _CONJUNCTIONS | _CONJUNCTIONS_OR_PREPOSITIONS
            or words[at - 1] in {",", '"', ";"}
            or _follows_time(sentence, at)
        )
        if not opens or (at and tags[at - 1] == "CC" and not _joins_clauses(sentence, at - 1)):
            continue
        subject = noun_phrase(sentence, at)
        if subject is None or (subject.pronoun and subject.pronoun in {"him", "her", "me", "us", "them"}):
            continue
        if at and words[at - 1] in _CONJUNCTIONS_OR_PREPOSITIONS and _holds_two(sentence, subject):
            continue
        verbs = _verb_group(sentence, subject.end)
        if verbs is None:
            continue
        verb_end, main_verb = verbs
        start = verb_end
        if start < len(words) and words[start] in prepositions:
            start += 1
        thing = noun_phrase(sentence, start)
        if thing is None or not _ends_object(sentence, thing.end):
            continue
        if thing.pronoun and thing.pronoun in {"he", "she", "i", "we", "they"}:
            continue
        result.append(Clause(subject, subject.end, verb_end, main_verb, thing))
    return result


def _joins_clauses(sentence: Sentence, at: int) -> bool:
    """Whether the conjunction at `at` may join clauses: a verb came before."""
    return any(tag.startswith("V") for tag in sentence.tags[:at])


def _holds_two(sentence: Sentence, phrase: NounPhrase) -> bool:
    """Whether a phrase may be two phrases, the second a name: "the party Tom"."""
    return any(
        _is_name(sentence, at) and sentence.tags[at - 1].startswith("NN") and not _is_name(sentence, at - 1)
        for at in range(phrase.start + 1, phrase.end)
    )


def _verb_group(sentence: Sentence, at: int) -> tuple[int, int] | None:
    """End of an active verb group that starts at `at`, and its main verb; None for other groups and for "be"."""
    words, tags = sentence.lowered, sentence.tags
    end, main = at, -1
    while end < len(tags):
        if tags[end] == "MD" or tags[end].startswith("VB"):
            if main >= 0 and tags[end] == "VBG" and words[main] not in _BE:
                return None
            main = end
        elif not (tags[end].startswith("RB") or words[end] == "n't"):
            break
        end += 1
    if main < 0 or tags[main] == "MD" or words[main] in _BE | _COPULAS:
        return None
    if main != end - 1 or tags[end - 1].startswith("RB"):
        return None  # an adverb between verb and object
    group = [word for word, tag in zip(words[at:end], tags[at:end], strict=True) if tag[0] in "VM"]
    if tags[main] == "VBN" and any(word in _BE for word in group[:-1]):
        return None  # passive
    if tags[main] in {"VBG", "VB"} and len(group) == 1:
        return None
    if tags[main] == "VBN" and len(group) == 1 and inflect(lemma(words[main], "VBN"), "VBD") != words[main]:
        return None  # otherwise a past tense mistagged as a participle
    return end, main


def _ends_object(sentence: Sentence, at: int) -> bool:
    """Whether an object phrase may end before `at`: no second object and no relative clause follows."""
    words, tags = sentence.lowered, sentence.tags
    if at >= len(tags):
        return True
    word, tag = words[at], tags[at]
    if tag == "CC":  # "a dog and a cat": a longer phrase, unless a verb comes next
        following = noun_phrase(sentence, at + 1)
        bare = at + 1 < len(tags) and tags[at + 1].startswith(("NN", "JJ"))
        return not bare and (following is None or tags[following.end : following.end + 1] in _VERBS)
    if word in {"of", "that", "who", "whom", "which", "'s", "'", '"', "named", "called"}:
        return False
    return tag in {"IN", "TO", "RB", ".", ",", ":", "WRB"} or not word[0].isalnum()


_VERBS = (["VBD"], ["VBZ"], ["VBP"], ["MD"])
