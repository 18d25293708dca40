"""Everyday words and phrases of stories by others that mean the same there; written for this project."""

from openmeva.training.perturbations.rules.phrase_table import (
    Condition,
    Counterpart,
    PhraseTable,
    both,
    not_following,
)
from openmeva.training.text.inflection import inflect
from openmeva.training.text.sentence import Sentence

_VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
_OBJECT = frozenset({"DT", "PRP", "PRP$", "NN", "NNS", "NNP", "CD", "JJ"})


def _before_object(sentence: Sentence, start: int, end: int) -> bool:
    """An object follows, and no infinitive or second object after a pronoun ("helped him move")."""
    tags = sentence.tags
    if end >= len(tags) or tags[end] not in _OBJECT:
        return False
    if any(tag in {"VBD", "VBZ", "VBP", "MD"} for tag in tags[end : end + 4]):
        return False  # a clause: "noticed the power had gone"
    return tags[end] != "PRP" or tags[end + 1 : end + 2] in ([], ["."], [","], ["IN"], ["CC"], ["RB"])


def _before_infinitive(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.lowered[end : end + 1] == ["to"] and sentence.tags[end + 1 : end + 2] == ["VB"]


def _before_that(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.lowered[end : end + 1] != [] and sentence.lowered[end] in {
        "that", "he", "she", "i", "they", "we",
    }  # fmt: skip


def _predicate(sentence: Sentence, start: int, end: int) -> bool:
    """After a form of be or feel, with nothing but a pause, "and", "to", "that" or a preposition after."""
    before = sentence.lowered[max(0, start - 3) : start]
    after = sentence.tags[end] if end < len(sentence) else "."
    linked = {"was", "were", "is", "are", "felt", "be", "been", "am", "so", "very"} & set(before)
    return bool(linked) and not after.startswith(("NN", "JJ", "VB"))


def _attribute_or_end(sentence: Sentence, start: int, end: int) -> bool:
    after = sentence.tags[end] if end < len(sentence) else "."
    return after.startswith(("NN", "JJ")) or not sentence.words[min(end, len(sentence) - 1)].isalnum()


def _thing_or_predicate(sentence: Sentence, start: int, end: int) -> bool:
    return _before_noun(sentence, start, end) or _predicate(sentence, start, end)


def _third_person(sentence: Sentence, start: int, end: int) -> bool:
    """A singular subject stands right before: "was" and "is" agree with it."""
    if not start:
        return False
    return sentence.lowered[start - 1] in {"he", "she", "it"} or sentence.tags[start - 1] in {"NN", "NNP"}


def _opens(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.opens(start)


def _before_verb(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.tags[end : end + 1] == ["VB"]


def _no_verb_next(sentence: Sentence, start: int, end: int) -> bool:
    """No "went to see": "have to" wants a verb, the other phrases none."""
    return sentence.lowered[start] in {"have", "has", "had", "having"} or not _before_verb(
        sentence, start, end
    )


def _own(sentence: Sentence, start: int, end: int) -> bool:
    """After an article or a possessive, and no part of a compound."""
    after = sentence.tags[end] if end < len(sentence) else "."
    before = sentence.tags[start - 1] if start else ""
    return (before in {"DT", "PRP$", "JJ"} or sentence.tags[start] == "NNS") and not after.startswith(
        ("NN", "POS")
    )


def _before_clause(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.tags[end : end + 1] != [] and sentence.tags[end] in {"PRP", "NNP", "DT", "PRP$", "EX"}


def _before_noun(sentence: Sentence, start: int, end: int) -> bool:
    return sentence.tags[end : end + 1] != [] and sentence.tags[end].startswith(("NNS", "JJ"))


def _purpose(sentence: Sentence, start: int, end: int) -> bool:
    """ "to" of purpose: "went to the store to buy milk"."""
    words, tags = sentence.lowered, sentence.tags
    moved = {"went", "goes", "go", "came", "stopped", "stayed", "called", "used", "drove", "ran", "headed"}
    return (
        tags[start - 1 : start] in (["NN"], ["NNS"])
        and tags[end : end + 1] == ["VB"]
        and bool(moved & set(words[:start]))
    )


# Verbs by base form: what they become, and what must follow.
_VERBS: dict[str, tuple[str, Condition]] = {
    "want": ("wish", _before_infinitive),
    "decide": ("choose", _before_infinitive),
    "begin": ("start", not_following("with", "his", "her")),
    "start": ("begin", _before_infinitive),
    "try": ("attempt", _before_infinitive),
    "need": ("have", _before_infinitive),
    "buy": ("purchase", _before_object),
    "find": ("discover", both(_before_object, not_following("it", "him", "her", "out"))),
    "love": ("adore", _before_object),
    "like": ("enjoy", _before_object),
    "enjoy": ("like", _before_object),
    "hate": ("detest", _before_object),
    "finish": ("complete", _before_object),
    "fix": ("repair", _before_object),
    "yell": ("shout", not_following("out")),
    "scream": ("shriek", not_following("out")),
    "cry": ("weep", not_following("out")),
    "happen": ("occur", not_following("to")),
    "realize": ("discover", _before_that),
    "walk": ("stroll", not_following("out", "up", "in", "his", "her", "the", "away", "off", "by", "dogs")),
    "throw": ("toss", _before_object),
    "grab": ("seize", _before_object),
    "receive": ("get", _before_object),
    "choose": ("select", _before_object),
    "build": ("construct", _before_object),
    "require": ("need", _before_object),
    "invite": ("ask", _before_object),
    "search": ("look", lambda s, a, b: s.lowered[b : b + 1] == ["for"]),
    "hire": ("employ", _before_object),
    "reply": ("answer", not_following("to")),
    "permit": ("allow", _before_object),
    "assist": ("help", _before_object),
}
# Longer wordings, each of a verb before an object or an infinitive; the first word is inflected.
_LONGER: dict[str, tuple[str, Condition]] = {
    "like": ("be fond of", _before_object),
    "love": ("be very fond of", _before_object),
    "need": ("be in need of", _before_object),
    "see": ("catch sight of", both(_before_object, not_following("that", "how"))),
    "want": ("wish for", _before_object),
    "try": ("make an attempt", _before_infinitive),
    "find": ("come across", both(_before_object, not_following("out", "himself", "herself"))),
    "watch": ("take a look at", _before_object),
    "argue": ("have an argument", not_following("that", "about", "over", "and")),
    "fight": ("have a fight", lambda s, a, b: s.tags[b : b + 1] in (["."], ["IN"], ["RB"])),
    "cry": ("burst into tears", lambda s, a, b: s.tags[b : b + 1] in (["."], [","], ["CC"])),
    "laugh": ("burst out laughing", lambda s, a, b: s.tags[b : b + 1] in (["."], [","], ["CC"])),
    "remember": ("recall", _before_object),
    "forget": ("fail to remember", both(_before_object, not_following("about"))),
    "visit": ("pay a visit to", _before_object),
    "arrive": ("get there", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "leave": ("go away", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "agree": ("say yes", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "refuse": ("say no", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "sleep": ("be asleep", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "use": ("make use of", _before_object),
    "teach": ("give lessons to", lambda s, a, b: s.tags[b : b + 2] in (["PRP", "."], ["NNS", "."])),
    "practice": ("go through exercises", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "notice": ("become aware of", _before_object),
    "attempt": ("make an effort", _before_infinitive),
    "own": ("be the owner of", _before_object),
    "discuss": ("have a talk about", _before_object),
    "win": ("come first in", lambda s, a, b: s.lowered[b : b + 2] in (["the", "race"], ["the", "contest"])),
}
# The same of verbs with a particle or preposition; the counterpart's first word is inflected.
_PHRASAL: dict[str, str] = {
    "go back": "return",
    "come back": "return",
    "get back": "return",
    "go home": "head home",
    "come home": "get home",
    "go to": "head to",
    "look for": "search for",
    "look at": "gaze at",
    "end up": "wind up",
    "find out": "learn",
    "wake up": "awake",
    "show up": "turn up",
    "live in": "reside in",
    "arrive at": "reach",
    "ask for": "request",
    "think about": "consider",
    "fall asleep": "doze off",
    "pass away": "die",
    "pick out": "choose",
    "hang out": "spend time",
    "work out": "exercise",
    "take care of": "look after",
    "get ready": "prepare",
    "make sure": "see to it",
    "have to": "need to",
}
_NOUNS: dict[str, str] = {
    "mom": "mother", "dad": "father", "mother": "mom", "father": "dad", "kid": "child", "friend": "pal",
    "store": "shop", "movie": "film", "present": "gift", "gift": "present", "boss": "manager", "picture": "photo",
    "doctor": "physician", "teacher": "instructor", "baby": "infant", "bike": "bicycle", "plane": "airplane",
    "trash": "garbage", "grandma": "grandmother", "grandpa": "grandfather", "student": "pupil", "test": "exam",
    "trip": "journey", "house": "home", "car": "automobile", "attorney": "lawyer", "lawyer": "attorney",
    "guy": "man", "phone": "telephone", "couch": "sofa", "street": "road", "woman": "lady", "photo": "picture",
    "road": "street", "party": "celebration", "job": "position", "idea": "thought", "error": "mistake",
    "mistake": "error", "meal": "dinner", "money": "cash", "fight": "quarrel", "noise": "sound", "cop": "policeman",
    "bathroom": "restroom", "yard": "garden", "crowd": "throng", "neighborhood": "area", "flat": "apartment",
}  # fmt: skip
_PREDICATES: dict[str, str] = {
    "happy": "glad", "sad": "unhappy", "scared": "frightened", "tired": "weary", "excited": "thrilled",
    "nervous": "anxious", "angry": "furious", "sick": "ill", "surprised": "astonished", "afraid": "scared",
    "upset": "distressed", "ready": "prepared", "hard": "difficult", "difficult": "hard", "easy": "simple",
    "worried": "anxious", "glad": "happy", "shocked": "stunned", "wrong": "mistaken", "mad": "angry",
    "disappointed": "let down", "embarrassed": "ashamed", "delighted": "overjoyed", "relieved": "reassured",
    "amazed": "astonished", "thrilled": "delighted", "proud": "very proud", "bored": "weary",
}  # fmt: skip
_ADJECTIVES: dict[str, str] = {
    "big": "large", "large": "big", "beautiful": "lovely", "nice": "pleasant", "great": "wonderful",
    "terrible": "awful", "delicious": "tasty", "smart": "clever", "whole": "entire", "expensive": "costly",
    "huge": "enormous", "strange": "odd", "funny": "amusing", "rich": "wealthy", "small": "little",
    "wonderful": "marvelous", "awful": "terrible", "new": "brand new", "loud": "noisy",
    "favorite": "best-loved", "entire": "whole", "weird": "strange", "tiny": "very small", "lovely": "beautiful",
    "important": "significant", "cheap": "inexpensive", "quiet": "silent", "famous": "well-known",
}  # fmt: skip
_OTHERS: dict[str, Counterpart] = {
    "very": Counterpart("really", holds=not_following("much", "own")),
    "really": Counterpart("truly"),
    "finally": Counterpart("at last"),
    "suddenly": Counterpart("all of a sudden"),
    "quickly": Counterpart("rapidly"),
    "soon": Counterpart("before long", holds=both(_opens, not_following("after", "as"))),
    "then": Counterpart("after that", holds=_opens),
    "eventually": Counterpart("in time"),
    "luckily": Counterpart("fortunately"),
    "fortunately": Counterpart("luckily"),
    "unfortunately": Counterpart("sadly"),
    "sadly": Counterpart("unfortunately", holds=_opens),
    "immediately": Counterpart(
        "right away", holds=lambda s, a, b: not "".join(s.tags[b : b + 1]).startswith("V")
    ),
    "fast": Counterpart("quick", frozenset({"JJ"}), _thing_or_predicate),  # no "drove quick"
    "often": Counterpart("frequently"),
    "usually": Counterpart("normally"),
    "however": Counterpart("nevertheless", holds=_opens),
    "almost": Counterpart("nearly"),
    "again": Counterpart("once more", holds=lambda s, a, b: "never" not in s.lowered),
    "maybe": Counterpart("perhaps"),
    "because": Counterpart("since", holds=_before_clause),
    "while": Counterpart("as", holds=_before_clause),
    "although": Counterpart("though"),
    "until": Counterpart("till"),
    "near": Counterpart("close to", frozenset({"IN"})),
    "during": Counterpart("in the course of"),
    "a lot of": Counterpart("plenty of"),
    "lots of": Counterpart("plenty of"),
    "several": Counterpart("a number of", holds=_before_noun),
    "many": Counterpart("numerous", holds=_before_noun),
    "a few": Counterpart("several", holds=_before_noun),
    "every day": Counterpart("each day"),
    "one day": Counterpart("on one occasion", holds=_opens),
    "the next day": Counterpart("the following day"),
    "the following day": Counterpart("the next day"),
    "someone": Counterpart("somebody"),
    "everyone": Counterpart("everybody"),
    "anyone": Counterpart("anybody"),
    "nobody": Counterpart("no one"),
    "somebody": Counterpart("someone"),
    "everybody": Counterpart("everyone"),
    "a while": Counterpart("some time"),
    "was able to": Counterpart("managed to"),
    "were able to": Counterpart("managed to"),
    "so that": Counterpart("in order that"),
    "instead of": Counterpart("rather than"),
    "as well": Counterpart("too"),
    "for the first time": Counterpart("for the very first time"),
    "all the time": Counterpart("constantly"),
    "right away": Counterpart("at once"),
    "at once": Counterpart("right away"),
    "out loud": Counterpart("aloud"),
    "to": Counterpart("in order to", frozenset({"TO"}), _purpose),
    "in order to": Counterpart("to"),
    "there was a": Counterpart("there happened to be a", holds=_opens),
    "could not": Counterpart(
        "was not able to", holds=both(_third_person, lambda s, a, b: s.tags[b : b + 1] == ["VB"])
    ),
    "could n't": Counterpart(
        "was unable to", holds=both(_third_person, lambda s, a, b: s.tags[b : b + 1] == ["VB"])
    ),
    "had to": Counterpart("was forced to", holds=both(_third_person, _before_verb)),
    "had a good time": Counterpart("enjoyed it"),
    "told him": Counterpart("let him know", holds=_before_that),
    "told her": Counterpart("let her know", holds=_before_that),
    "told me": Counterpart("let me know", holds=_before_that),
    "told them": Counterpart("let them know", holds=_before_that),
    "said": Counterpart("stated", holds=_before_that),
    "talked to": Counterpart("had a talk with"),
    "went to the": Counterpart(
        "made a trip to the", holds=not_following("bathroom", "door", "kitchen", "hospital")
    ),
    "it was": Counterpart(
        "it turned out to be", holds=both(_opens, lambda s, a, b: s.tags[b : b + 1] == ["DT"])
    ),
    "the end of": Counterpart("the close of"),
    "as soon as": Counterpart("the moment"),
    "so": Counterpart(
        "and for that reason", holds=both(_before_clause, lambda s, a, b: s.lowered[a - 1 : a] == [","])
    ),
    "but": Counterpart("yet", holds=_before_clause),
}


def _entries() -> dict[str, Counterpart]:
    entries: dict[str, Counterpart] = dict(_OTHERS)
    for base, (new, holds) in _VERBS.items():
        for tag in _VERB_TAGS:
            form = inflect(base, tag)
            if form not in entries or tag == "VBD":
                # forms that two tags share ("wanted") are decided by the first; both give the same word but
                # for irregular counterparts, so the past goes before the participle
                entries[form] = Counterpart(inflect(new, tag), _tags_of(base, form), holds)
    for phrase, new in _PHRASAL.items():
        first, rest = phrase.split(" ", 1)
        new_first, _, new_rest = new.partition(" ")
        for tag in ("VBD", "VB", "VBZ", "VBG"):
            form = f"{inflect(first, tag)} {rest}"
            counterpart = f"{inflect(new_first, tag)} {new_rest}".strip()
            if form not in entries:
                entries[form] = Counterpart(counterpart, _tags_of(first, inflect(first, tag)), _no_verb_next)
    for base, (new, holds) in _LONGER.items():
        new_first, _, new_rest = new.partition(" ")
        for tag in ("VBD", "VBZ"):
            form = inflect(base, tag)
            counterpart = (
                f"{inflect(new_first, tag) if new_first != 'be' or tag == 'VBD' else 'is'} {new_rest}"
            )
            guard = both(holds, _third_person) if new_first == "be" else holds
            entries[form] = Counterpart(counterpart.strip(), frozenset({tag}), guard)
    for word, new in _NOUNS.items():
        entries[word] = Counterpart(new, frozenset({"NN"}), _own)
        plural = inflect(word, "NNS")
        if plural not in entries:
            entries[plural] = Counterpart(inflect(new, "NNS"), frozenset({"NNS"}), _own)
    for word, new in _PREDICATES.items():
        entries[word] = Counterpart(new, holds=_predicate)
    for word, new in _ADJECTIVES.items():
        entries[word] = Counterpart(new, frozenset({"JJ"}), _attribute_or_end)
    return entries


def _tags_of(base: str, form: str) -> frozenset[str]:
    return frozenset(tag for tag in _VERB_TAGS if inflect(base, tag) == form) - {"VBN"}


def phrase_table() -> PhraseTable:
    """The table; building it takes some milliseconds."""
    return PhraseTable(_entries())
