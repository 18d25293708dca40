"""Edits between full forms and contractions: "it is" and "it's", "did not" and "didn't"."""

from openmeva.training.perturbations.rules.noun_phrases import noun_phrase
from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import FINITE_TAGS, inflect, lemma, with_case_of
from openmeva.training.text.negation.verbs import CUT_MODALS, after_adverbs, governor
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

_BEFORE_NT = word_set(
    """
    do does did is are was were have has had could would should must might need
    """
)
_CUT_OF = {"can": "ca", "will": "wo"}
_BE = {"am": "'m", "is": "'s", "are": "'re"}
_PRONOUN_BE = {
    "i": ("am",), "you": ("are",), "we": ("are",), "they": ("are",), "he": ("is",), "she": ("is",),
    "it": ("is",), "that": ("is",), "there": ("is",), "what": ("is",), "who": ("is",),
}  # fmt: skip
_HAVE = {"have": "'ve", "has": "'s", "had": "'d"}
_PERSONS = frozenset({"i", "you", "we", "they", "he", "she", "it"})
_THIRD = frozenset({"he", "she", "it"})
_EXPANSION = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}
_IS_HOSTS = frozenset(_PRONOUN_BE) | {"where", "here", "how", "when"}
# Words that were moved from after the verb to the front of the clause; the verb is then not contracted: "what he is now".
_FRONTED = word_set("where who what how than as whatever here there")
_MAY_BE_COMPLETE = word_set("where who how")  # "where he is the boss"
_NEAR = 15  # maximum distance in tokens to an "if" or a modal that disambiguates "'d"
_CLAUSE_STARTS = FINITE_TAGS | {"CC", "IN"}


def contractions(sentence: Sentence) -> list[Edit]:
    """The edits that contract a sentence's full forms."""
    words = sentence.lowered
    edits: list[Edit] = []
    taken = -1
    for at in range(len(words) - 1):
        if at <= taken:
            continue
        if words[at + 1] == "not" and (words[at] in _BEFORE_NT or words[at] in _CUT_OF):
            if words[at + 2 : at + 3] in (["only"], ["just"], ["to"]) or _is_infinitive(sentence, at):
                continue
            host = _CUT_OF.get(words[at])
            edits.append(
                _glued(sentence, at, "n't", sentence.replacement_edit(at, host).text if host else None)
            )
            taken = at + 1
            continue
        clitic = _clitic(sentence, at)
        if clitic and not _is_stranded(sentence, at + 1):
            edits.append(_glued(sentence, at, clitic))
            taken = at + 1
    return edits


def _glued(sentence: Sentence, at: int, clitic: str, host: str | None = None) -> Edit:
    """The edit that replaces the word after `at` by a clitic and, if given, the word at `at` by `host`."""
    clitic = clitic.upper() if sentence.words[at + 1].isupper() else clitic
    text = (" " if sentence.story.clitics_separate else "") + clitic.replace("'", sentence.story.apostrophe)
    start, end = sentence.spans[at]
    return Edit(end if host is None else start, sentence.spans[at + 1][1], (host or "") + text)


def _is_infinitive(sentence: Sentence, at: int) -> bool:
    """Whether have or do at `at` follows a modal or "to", so that it is not contracted: "could have not gone"."""
    before = governor(sentence.lowered, sentence.tags, at)
    after_modal = before >= 0 and (sentence.tags[before] == "MD" or sentence.lowered[before] == "to")
    return sentence.lowered[at] in {"have", "do"} and after_modal


def _is_stranded(sentence: Sentence, at: int) -> bool:
    """Whether the complement of the verb at `at` comes before its subject: "how old he is today", "than I am now"."""
    words, tags = sentence.lowered, sentence.tags
    start = at - 2
    while start >= 0 and words[start] not in _FRONTED:
        if tags[start] in _CLAUSE_STARTS or not words[start][:1].isalnum():
            return False
        start -= 1
    if start < 0:
        return False
    after = after_adverbs(words, tags, at + 1)
    if tags[after : after + 1] in (["VB"], ["VBG"], ["VBN"]):
        return False  # "where you are going"
    complete = tags[after : after + 1] == ["JJ"] or noun_phrase(sentence, after) is not None
    return not (words[start] in _MAY_BE_COMPLETE and complete)


def _clitic(sentence: Sentence, at: int) -> str | None:
    """The contraction of the word after the pronoun at `at`; None if it is not contracted."""
    words, tags = sentence.lowered, sentence.tags
    host, verb = words[at], words[at + 1]
    after = at + 2
    if after >= len(words) or not sentence.words[after][:1].isalnum():
        return None  # "yes he is."
    if words[after] in {"n't", "not"}:
        return None  # contracted on the other side
    if at and tags[at - 1] == "MD":
        return None
    if verb in _PRONOUN_BE.get(host, ()):
        return _BE[verb]
    if host not in _PERSONS:
        return None
    if verb == "will" and tags[at + 1] == "MD":
        return "'ll"
    if verb == "would" and host != "it":
        return "'d"
    verb_after = after
    while verb_after < len(tags) - 1 and tags[verb_after].startswith("RB"):
        verb_after += 1
    if verb in _HAVE and tags[verb_after] == "VBN" and words[verb_after] not in {"to"}:
        if verb == "has" and host not in _THIRD:
            return None
        return _HAVE[verb] if not (verb == "had" and host == "it") else None
    return None


def expansions(sentence: Sentence) -> list[Edit]:
    """The edits that expand a sentence's contractions."""
    words, tags = sentence.lowered, sentence.tags
    edits: list[Edit] = []
    for at in range(1, len(words)):
        word, host = words[at], words[at - 1]
        start, end = sentence.spans[at]
        if word == "n't":
            if host == "ai" or (tags[at + 1 : at + 2] and tags[at + 1] in {"PRP", "EX"}) or "?" in words:
                continue  # "didn't he": "did not he" is not English
            full = CUT_MODALS.get(host)
            if full:
                edits.append(Edit(sentence.spans[at - 1][0], end, _negated(sentence, at - 1, full)))
            else:
                edits.append(Edit(_gap(sentence, start), end, " " + with_case_of(sentence.words[at], "not")))
            continue
        full = _expanded(sentence, at)
        if full:
            edits.append(Edit(_gap(sentence, start), end, " " + with_case_of(sentence.words[at], full)))
    return edits


def _negated(sentence: Sentence, at: int, full: str) -> str:
    """ "will not"; "can not" if the text separates its clitics, otherwise "cannot"."""
    host, negation = sentence.replacement_edit(at, full).text, with_case_of(sentence.words[at + 1], "not")
    return host + ("" if full == "can" and not sentence.story.clitics_separate else " ") + negation


def _gap(sentence: Sentence, start: int) -> int:
    text = sentence.story.text
    while start and text[start - 1] == " ":
        start -= 1
    return start


def _depends_on_condition(sentence: Sentence, at: int) -> bool:
    """Whether an "if" or a modal in another clause shows that "'d" at `at` is "would"."""
    near = slice(max(0, at - _NEAR), at + _NEAR)
    words, tags = sentence.lowered[near], sentence.tags[near]
    if sentence.lowered[max(0, at - 2) : at - 1] == ["if"]:
        return False
    return "if" in words or any(tag == "MD" and word != "'d" for word, tag in zip(words, tags, strict=True))


def _expanded(sentence: Sentence, at: int) -> str | None:
    words, tags = sentence.lowered, sentence.tags
    word, host = words[at], words[at - 1]
    after = at + 1
    while after < len(tags) and tags[after].startswith("RB"):
        after += 1
    tag = tags[after] if after < len(tags) else ""
    if word in _EXPANSION and host in _PERSONS | {"who", "there", "that"}:
        return _EXPANSION[word]
    if word == "'d" and host in _PERSONS:
        if words[at + 1 : at + 2] == ["'ve"]:
            return "would"
        if tag.startswith("V") and inflect(words[after], "VBN") == words[after]:
            return "would" if _depends_on_condition(sentence, at) else None  # "she'd come": had or would
        is_past = after < len(tags) and tag.startswith("V") and lemma(words[after], "VBD") != words[after]
        if words[at + 1 : at + 2] == ["better"] or tag in {"VBN", "VBD"} or is_past:
            return "had"
        return "would" if tag in {"VB", "VBP"} else None
    if word == "'s":
        if host == "let":
            return "us"
        if host not in _IS_HOSTS:
            return None  # a possessive, or unclear
        if words[after : after + 1] == ["been"] or words[after : after + 1] == ["got"]:
            return "has"
        if tag in {"VBN", "VBD"}:
            return None  # "it's done": is or has
        return "is"
    return None
