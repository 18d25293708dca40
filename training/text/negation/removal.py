"""From negative to affirmative: the negation is removed and the verb form restored (appendix A)."""

from collections.abc import Sequence
from itertools import pairwise

from openmeva.training.text.language import Language
from openmeva.training.text.negation.verbs import (
    CUT_MODALS,
    DO_TAGS,
    NEGATIONS,
    POLARITY_ITEMS,
    after_adverbs,
)
from openmeva.training.text.rewrite import Rewrite, Token

Words = Sequence[str]
AFTER_CANNOT = frozenset({"wait", "help", "stand", "believe"})
NOT_REMOVABLE_BEFORE = frozenset({"only", "until", "not", "n't"})  # "not only" is already affirmative


def removal_sites(words: Words, tags: Words) -> list[int]:
    """The negations of a sentence that can be removed.

    Not removed: "ai n't", which has no affirmative; "not only" and "not until"; a "not" that represents
    a clause ("or not", "why not"); one on which a later word depends ("did n't see anyone", "could n't wait").

    >>> removal_sites("i do n't know why not .".split(), "PRP VBP RB VB WRB RB .".split())
    [2]
    """
    return [at for at, word in enumerate(words) if word in NEGATIONS and is_removable(words, tags, at)]


def is_removable(words: Words, tags: Words, at: int) -> bool:
    """Whether the negation at `at` can be removed."""
    host = words[at - 1] if at else ""
    following = words[at + 1] if at + 1 < len(words) else "."
    if needs_negation(words, at + 1) or (host in {"ca", "could", "can"} and following in AFTER_CANNOT):
        return False
    if host == "ai" or host in NEGATIONS or following in NOT_REMOVABLE_BEFORE:
        return False
    if words[at] == "n't":
        return bool(host)
    on_verb = at > 0 and (tags[at - 1].startswith("VB") or tags[at - 1] in {"MD", "PRP"})
    ends_clause = not any(map(str.isalnum, following))
    return on_verb or not (ends_clause or host in {"or", "if", "why", "whether"})


def needs_negation(words: Words, start: int) -> bool:
    """Whether a word from `start` on is grammatical only with a negation before it: "any", "at all".

    >>> needs_negation("he did n't see anyone .".split(), 3), needs_negation("he did n't go .".split(), 3)
    (True, False)
    """
    later = words[start:]
    return not POLARITY_ITEMS.isdisjoint(later) or ("at", "all") in pairwise(later)


def rewrite_without_negation(words: Words, tags: Words, at: int, language: Language) -> Rewrite:
    """Remove the negation at `at`, an index from `removal_sites`, and restore the verb form.

    If only the negation is removed, the touched token is the one before it, or, at the start of a sentence,
    the one after it.
    """
    if at == 0:
        return Rewrite(0, 2, (Token(words[1], tags[1], 1),))
    host, tag = words[at - 1], tags[at - 1]
    if words[at] == "n't" and host in CUT_MODALS:
        return Rewrite(at - 1, at + 1, (Token(CUT_MODALS[host], "MD", at - 1),))
    if host in DO_TAGS:
        verb = after_adverbs(words, tags, at + 1)
        if verb < len(words) and tags[verb] in {"VB", "VBP", "VBD"}:
            return without_do(words, tags, at, verb, language)
    return Rewrite(at - 1, at + 1, (Token(host, tag, at - 1),))


def without_do(words: Words, tags: Words, at: int, verb: int, language: Language) -> Rewrite:
    """did not + v -> past, does not + v -> third person, do not + v -> v; also for both verbs of "eat or drink"."""
    finite = DO_TAGS[words[at - 1]]
    tokens = [Token(words[k], tags[k], k, touched=False) for k in range(at + 1, verb)]
    tokens.append(finite_form(words[verb], tags[verb], finite, verb, language))
    end = verb + 1
    if end + 1 < len(words) and words[end] in {"or", "and"} and tags[end + 1] == "VB":
        tokens.append(Token(words[end], tags[end], end, touched=False))
        tokens.append(finite_form(words[end + 1], "VB", finite, end + 1, language))
        end += 2
    return Rewrite(at - 1, end, tuple(tokens))


def finite_form(word: str, tag: str, finite: str, at: int, language: Language) -> Token:
    """The base form `word` in the tense that the removed auxiliary had.

    A form that is already finite does not change ("did n't arrived" occurs in stories).
    """
    is_base = tag == "VB" or (tag == "VBP" and language.lemma(word, finite) == word)
    return Token(language.inflect(word, finite) if is_base and finite != "VBP" else word, finite, at)
