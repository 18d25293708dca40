"""Agreement of a verb with a new subject."""

from openmeva.training.text.inflection import inflect, lemma

_BE_PAST = frozenset({"was", "were"})
_BE_PRESENT = {"am": "be", "is": "be", "are": "be", "'m": "be", "'re": "be"}
_THIRD = frozenset({"he", "she", "it"})


def agree_with_subject(verb: str, tag: str, subject: str) -> str:
    """The form of the finite verb `verb` that agrees with a subject; other past tenses than "be" and modals do not change.

    Args:
        verb: in lower case.
        tag: its Penn Treebank tag.
        subject: a subject pronoun in lower case; it may represent a noun phrase.

    >>> agree_with_subject("was", "VBD", "they"), agree_with_subject("likes", "VBZ", "i")
    ('were', 'like')
    >>> agree_with_subject("ate", "VBP", "she"), agree_with_subject("read", "VBP", "she")
    ('ate', 'reads')
    """
    if verb in _BE_PAST:
        return "were" if subject in {"we", "you", "they"} else "was"
    if verb in _BE_PRESENT:
        return "am" if subject == "i" else "is" if subject in _THIRD else "are"
    if tag not in {"VBZ", "VBP"} or verb.startswith("'"):
        return verb
    base = lemma(verb, tag)
    if tag == "VBZ" and not verb.endswith("s"):
        return verb  # also a past tense: "she shut"
    if tag == "VBP" and lemma(verb, "VBD") != base:
        return verb  # a past tense mistagged as a present tense: "they ate"
    return inflect(base, "VBZ") if subject in _THIRD else base
