"""Edits between full forms and contractions: "it is" and "it's", "did not" and "didn't"."""

from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import lemma
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

_BEFORE_NT = word_set(
    """
    do does did is are was were have has had could would should must might need
    """
)
_CUT = {"ca": "can", "wo": "will", "sha": "shall"}
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


def contractions(sentence: Sentence) -> list[Edit]:
    """The edits that contract a sentence's full forms."""
    words = sentence.lowered
    edits: list[Edit] = []
    taken = -1
    for at in range(len(words) - 1):
        if at <= taken:
            continue
        if words[at + 1] == "not" and (words[at] in _BEFORE_NT or words[at] in _CUT_OF):
            if words[at + 2 : at + 3] in (["only"], ["just"], ["to"]):
                continue
            host = _CUT_OF.get(words[at])
            start = sentence.spans[at][1]
            if host:
                first = sentence.replaced(at, host)
                edits.append(Edit(first.start, sentence.spans[at + 1][1], _glue(sentence, first.text, "n't")))
            else:
                edits.append(Edit(start, sentence.spans[at + 1][1], _glue(sentence, "", "n't")))
            taken = at + 1
            continue
        clitic = _clitic(sentence, at)
        if clitic:
            edits.append(Edit(sentence.spans[at][1], sentence.spans[at + 1][1], _glue(sentence, "", clitic)))
            taken = at + 1
    return edits


def _glue(sentence: Sentence, before: str, clitic: str) -> str:
    return before + (" " if sentence.story.clitics_apart else "") + clitic


def _clitic(sentence: Sentence, at: int) -> str | None:
    """What the word after the pronoun at `at` is contracted to; None where it stays."""
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
    """The edits that write a sentence's contractions in full."""
    words, tags = sentence.lowered, sentence.tags
    edits: list[Edit] = []
    for at in range(1, len(words)):
        word, host = words[at], words[at - 1]
        start, end = sentence.spans[at]
        if word == "n't":
            if host == "ai" or (tags[at + 1 : at + 2] and tags[at + 1] in {"PRP", "EX"}) or "?" in words:
                continue  # "didn't he": "did not he" is no English
            full = _CUT.get(host)
            if full:
                edits.append(Edit(sentence.spans[at - 1][0], end, _negated(sentence, at - 1, full)))
            else:
                edits.append(Edit(_gap(sentence, start), end, " not"))
            continue
        full = _expanded(sentence, at)
        if full:
            edits.append(Edit(_gap(sentence, start), end, " " + full))
    return edits


def _negated(sentence: Sentence, at: int, full: str) -> str:
    """ "will not", "can not" where the text has its clitics apart, "cannot" elsewhere."""
    host = sentence.replaced(at, full).text
    return f"{host}not" if full == "can" and not sentence.story.clitics_apart else f"{host} not"


def _gap(sentence: Sentence, start: int) -> int:
    text = sentence.story.text
    while start and text[start - 1] == " ":
        start -= 1
    return start


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
