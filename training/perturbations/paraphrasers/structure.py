"""Other orders of the same words: moved subordinate clauses, passive voice."""

from openmeva.training.perturbations.rules.clause_order import (
    Joint,
    body_end,
    body_start,
    fronted_clause,
    trailing_clause,
)
from openmeva.training.perturbations.rules.noun_phrases import Clause, clauses
from openmeva.training.perturbations.rules.pronouns import subject_form
from openmeva.training.text.inflection import inflect, lemma
from openmeva.training.text.sentence import Sentence

_CONJUNCTIONS = frozenset({"because", "when", "after", "before", "while", "once", "if", "although", "though"})
_NO_PASSIVE = frozenset(
    [
        "have",
        "want",
        "like",
        "love",
        "need",
        "know",
        "think",
        "lack",
        "cost",
        "get",
        "become",
        "enjoy",
        "hope",
        "wish",
        "feel",
        "mean",
        "decide",
        "try",
        "start",
        "begin",
        "stop",
        "say",
        "tell",
        "ask",
        "let",
        "make",
        "help",
        "leave",
        "enter",
        "reach",
        "marry",
        "fit",
        "suit",
        "resemble",
        "lose",
        "win",
        "give",
        "take",
        "keep",
        "go",
        "do",
        "see",
    ]
)


def conjunction_size(sentence: Sentence, at: int) -> int:
    """1 if the word at `at` is a conjunction that may open a sentence; else 0."""
    return 1 if sentence.lowered[at] in _CONJUNCTIONS else 0


def move_clause(sentence: Sentence) -> str | None:
    """The sentence with its subordinate clause moved from the end to the front, or from the front to the end.

    None where there is no such clause, or where a pronoun would come before its antecedent.
    """
    joint = trailing_clause(sentence, conjunction_size)
    if joint:
        return _to_front(sentence, joint)
    joint = fronted_clause(sentence, conjunction_size)
    return _to_back(sentence, joint) if joint else None


def _to_front(sentence: Sentence, joint: Joint) -> str | None:
    main, conjunction, subordinate = joint
    if main[0] != 0 or subordinate[1] != body_end(sentence):
        return None
    if sentence.tags[main[0]] == "PRP" and sentence.lowered[subordinate[0]] != sentence.lowered[main[0]]:
        return None
    comma = " , " if sentence.story.tokenized else ", "
    clause = sentence.surface(conjunction[0], subordinate[1])
    return sentence.capitalize_start(clause) + comma + sentence.mid_sentence_text(*main) + _marks(sentence)


def _to_back(sentence: Sentence, joint: Joint) -> str | None:
    main, conjunction, subordinate = joint
    if conjunction[0] != 0 or body_start(sentence) != 0:
        return None
    if sentence.tags[main[0]] == "PRP" and sentence.lowered[subordinate[0]] != sentence.lowered[main[0]]:
        return None
    clause = sentence.mid_sentence_text(conjunction[0], subordinate[1])
    return sentence.capitalize_start(sentence.surface(*main)) + " " + clause + _marks(sentence)


def _marks(sentence: Sentence) -> str:
    """The final punctuation marks with the space before them."""
    end = body_end(sentence)
    return sentence.story.text[sentence.spans[end - 1][1] : sentence.end]


def to_passive(sentence: Sentence) -> str | None:
    """The sentence in the passive voice; None if it is not a single clause in a simple tense, or for "by him"."""
    candidates = [
        clause for clause in clauses(sentence) if clause.subject.start == 0 and not clause.subject.pronoun
    ]
    if not candidates or '"' in sentence.words:
        return None
    clause = candidates[0]
    tag = sentence.tags[clause.main_verb]
    if clause.verb_end - clause.verb_start != 1 or tag not in {"VBD", "VBZ", "VBP"}:
        return None
    base = lemma(sentence.lowered[clause.main_verb], tag)
    rest = range(clause.object.end, body_end(sentence))
    if sentence.tags[clause.object.end : clause.object.end + 1] in (["IN"], ["TO"]):
        return None  # "was completed by Lester in 25th place"
    if base in _NO_PASSIVE or any(sentence.tags[at][0] in "VMCW" or sentence.words[at] == "," for at in rest):
        return None
    thing = sentence.lowered[clause.object.start : clause.object.end]
    if "PRP$" in sentence.tags[clause.object.start : clause.object.end] or thing in (["it"], ["you"]):
        return None
    return _passive_text(sentence, clause, base, tag)


def _passive_text(sentence: Sentence, clause: Clause, base: str, tag: str) -> str:
    subject, thing = clause.subject, clause.object
    new_subject = subject_form(thing.pronoun) if thing.pronoun else sentence.surface(thing.start, thing.end)
    if new_subject == "i" and sentence.story.cased:
        new_subject = "I"
    agent = sentence.mid_sentence_text(subject.start, subject.end)
    person = subject_form(thing.subject)
    be = inflect("be", "VBD" if tag == "VBD" else "VBP", person)
    if tag != "VBD" and person in {"he", "she", "it"}:
        be = "is"
    words = [sentence.capitalize_start(new_subject), be, inflect(base, "VBN"), "by", agent]
    rest = sentence.surface(thing.end, body_end(sentence))
    return " ".join([*words, rest] if rest else words) + _marks(sentence)
