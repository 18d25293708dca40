"""Everyday words and phrases of stories, and replacements with the same meaning; written for this project."""

from openmeva.training.perturbations.paraphrasers.nouns_and_adjectives import (
    ADJECTIVES,
    NOUNS,
    OF_SET_PHRASES,
    PREDICATES,
)
from openmeva.training.perturbations.paraphrasers.places import (
    affirmative,
    after_singular_subject,
    attribute_or_end,
    before_clause,
    before_infinitive,
    before_noun,
    before_object,
    before_that,
    before_verb,
    ends_phrasal,
    is_inability,
    is_predicate,
    is_purpose_infinitive,
    is_simple_noun,
    object_without,
    simple_object,
    states_result,
    thing_or_predicate,
)
from openmeva.training.perturbations.rules.phrase_table import (
    Condition,
    Counterpart,
    PhraseTable,
    both,
    following,
    not_following,
    not_preceded,
    opens,
)
from openmeva.training.perturbations.rules.times import TIME_NOUNS
from openmeva.training.text.inflection import inflect

_VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")

_FOUND = ("home", "house", "apartment", "job", "work", "way", "place", "time")
_DEGREES = ("much", "more", "most", "better", "best", "dearly", "deeply", "lot")
_MEALS = ("bite", "breakfast", "lunch", "dinner", "snack", "food", "drink", "coffee", "beer", "seat", "hold")
_WATCHED = (
    "movie", "movies", "film", "play", "show", "game", "concert", "doctor", "dentist", "therapist", "vet", "results",
    "difference", "point", "sense", "friends", "family",
)  # fmt: skip
# Verbs by base form: replacement, and condition on what follows.
_VERBS: dict[str, tuple[str, Condition]] = {
    "want": ("wish", before_infinitive),
    "decide": ("choose", before_infinitive),
    "begin": ("start", not_following("with", "his", "her")),
    "start": ("begin", before_infinitive),
    "try": ("attempt", before_infinitive),
    "need": ("have", before_infinitive),
    "buy": ("purchase", before_object),
    "love": ("adore", before_object),
    "hate": ("detest", before_object),
    "finish": ("complete", before_object),
    "fix": ("repair", both(before_object, not_following("it", "this", "things", "everything"))),
    "yell": ("shout", not_following("out")),
    "scream": ("shriek", not_following("out")),
    "cry": ("weep", not_following("out")),
    "happen": ("occur", not_following("to")),
    "realize": ("discover", before_that),
    "throw": ("toss", object_without("fit", "tantrum", "party", "punch", "punches", "shower", "bash")),
    "grab": ("seize", object_without(*_MEALS)),
    "receive": ("get", before_object),
    "choose": ("select", before_object),
    "build": ("construct", before_object),
    "require": ("need", before_object),
    "search": ("look", lambda s, a, b: s.lowered[b : b + 1] == ["for"]),
    "hire": ("employ", before_object),
    "reply": ("answer", not_following("to")),
    "permit": ("allow", before_object),
    "assist": ("help", before_object),
}
# Longer replacements of verbs; the first word is inflected.
_LONGER: dict[str, tuple[str, Condition]] = {
    "like": ("be fond of", object_without(*_DEGREES)),
    "need": ("be in need of", simple_object),
    "see": ("catch sight of", both(object_without(*_WATCHED), not_following("that", "how"))),
    "want": ("wish for", before_object),
    "try": ("make an attempt", before_infinitive),
    "find": (
        "come across",
        both(simple_object, object_without(*_FOUND), not_following("out", "himself", "herself")),
    ),
    "argue": ("have an argument", not_following("that", "about", "over", "and")),
    "fight": ("have a fight", lambda s, a, b: s.tags[b : b + 1] in (["."], ["IN"], ["RB"])),
    "cry": ("burst into tears", lambda s, a, b: s.tags[b : b + 1] in (["."], [","], ["CC"])),
    "remember": ("recall", before_object),
    "forget": ("fail to remember", both(before_object, not_following("about"))),
    "visit": ("pay a visit to", object_without("everyday", "again", "often")),
    "arrive": ("get there", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "leave": ("go away", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "agree": ("say yes", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "refuse": ("say no", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "sleep": ("be asleep", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "use": ("make use of", before_object),
    "teach": ("give lessons to", lambda s, a, b: s.tags[b : b + 2] in (["PRP", "."], ["NNS", "."])),
    "practice": ("go through exercises", lambda s, a, b: s.tags[b : b + 1] == ["."]),
    "notice": ("become aware of", before_object),
    "attempt": ("make an effort", before_infinitive),
    "own": ("be the owner of", before_object),
    "discuss": ("have a talk about", before_object),
    "win": ("come first in", lambda s, a, b: s.lowered[b : b + 2] in (["the", "race"], ["the", "contest"])),
}
# Verbs with a particle or preposition; the first word of the replacement is inflected.
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
    "fall asleep": "doze off",
    "pass away": "die",
    "pick out": "choose",
    "work out": "exercise",
    "take care of": "look after",
    "get ready": "prepare",
    "make sure that": "see to it that",
    "have to": "need to",
}
_OBJECTS = ("him", "her", "me", "them")
_OTHERS: dict[str, Counterpart] = {
    "very": Counterpart(
        "really", holds=both(not_following("much", "own"), not_preceded("the", "this", "that"))
    ),
    "really": Counterpart("truly"),
    "finally": Counterpart("at last"),
    "suddenly": Counterpart("all of a sudden"),
    "quickly": Counterpart("rapidly"),
    "soon": Counterpart("before long", holds=both(opens, not_following("after", "as"))),
    "then": Counterpart("after that", holds=opens),
    "eventually": Counterpart("in time"),
    "luckily": Counterpart("fortunately"),
    "fortunately": Counterpart("luckily"),
    "unfortunately": Counterpart("sadly"),
    "sadly": Counterpart("unfortunately", holds=opens),
    "immediately": Counterpart(
        "right away", holds=lambda s, a, b: not "".join(s.tags[b : b + 1]).startswith("V")
    ),
    "fast": Counterpart("quick", frozenset({"JJ"}), thing_or_predicate),  # no "drove quick"
    "often": Counterpart("frequently"),
    "usually": Counterpart("normally"),
    "however": Counterpart("nevertheless", holds=opens),
    "almost": Counterpart("nearly"),
    "again": Counterpart(
        "once more",
        holds=both(
            not_preceded("once", "and", "over", "yet"),
            not_following("and"),
            lambda s, a, b: "never" not in s.lowered,
        ),
    ),
    "maybe": Counterpart("perhaps"),
    "because": Counterpart("since", holds=before_clause),
    "while": Counterpart("as", holds=before_clause),
    "although": Counterpart("though"),
    "until": Counterpart("till"),
    "near": Counterpart(
        "close to",
        frozenset({"IN"}),
        both(not_preceded("right", "too", "so", "very"), lambda s, a, b: "end" not in s.lowered[b : b + 2]),
    ),
    "during": Counterpart("in the course of"),
    "a lot of": Counterpart("plenty of", holds=affirmative),
    "lots of": Counterpart("plenty of", holds=affirmative),
    "several": Counterpart("a number of", holds=both(before_noun, not_following(*TIME_NOUNS))),
    "many": Counterpart(
        "numerous", holds=both(before_noun, affirmative, not_preceded("so", "too", "how", "as", "very"))
    ),
    "a few": Counterpart("several", holds=before_noun),
    "every day": Counterpart("each day"),
    "one day": Counterpart("on one occasion", holds=opens),
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
    "as well": Counterpart("too", holds=not_following("as")),
    "for the first time": Counterpart("for the very first time"),
    "all the time": Counterpart("constantly"),
    "right away": Counterpart("at once"),
    "at once": Counterpart("right away"),
    "out loud": Counterpart("aloud"),
    "to": Counterpart("in order to", frozenset({"TO"}), is_purpose_infinitive),
    "in order to": Counterpart("to"),
    "there was a": Counterpart("there happened to be a", holds=opens),
    "could not": Counterpart("was not able to", holds=is_inability),
    "could n't": Counterpart("was unable to", holds=is_inability),
    "had to": Counterpart("was forced to", holds=both(after_singular_subject, before_verb)),
    "had a good time": Counterpart("enjoyed it"),
    **{f"told {who}": Counterpart(f"let {who} know", holds=before_that) for who in _OBJECTS},
    "said": Counterpart("stated", holds=before_that),
    "talked to": Counterpart("had a talk with"),
    "went to the": Counterpart(
        "made a trip to the",
        holds=following("store", "market", "mall", "beach", "park", "zoo", "city", "library"),
    ),
    "it was": Counterpart(
        "it turned out to be", holds=both(opens, lambda s, a, b: s.tags[b : b + 1] == ["DT"])
    ),
    "the end of": Counterpart("the close of"),
    "as soon as": Counterpart("the moment"),
    "so": Counterpart(
        "and for that reason", holds=both(states_result, lambda s, a, b: s.lowered[a - 1 : a] == [","])
    ),
    "but": Counterpart("yet", holds=before_clause),
}


def _entries() -> dict[str, Counterpart]:
    entries: dict[str, Counterpart] = dict(_OTHERS)
    for base, (new, holds) in _VERBS.items():
        for tag in _VERB_TAGS:
            form = inflect(base, tag)
            if form not in entries or tag == "VBD":
                # the first tag decides a form that two tags share ("wanted"): both give the same replacement
                # unless it is irregular, so the past comes before the participle
                entries[form] = Counterpart(inflect(new, tag), _tags_of(base, form), holds)
    for phrase, new in _PHRASAL.items():
        first, rest = phrase.split(" ", 1)
        new_first, _, new_rest = new.partition(" ")
        for tag in ("VBD", "VB", "VBZ", "VBG"):
            form = f"{inflect(first, tag)} {rest}"
            counterpart = f"{inflect(new_first, tag)} {new_rest}".strip()
            if form not in entries:
                entries[form] = Counterpart(counterpart, _tags_of(first, inflect(first, tag)), ends_phrasal)
    for base, (new, holds) in _LONGER.items():
        new_first, _, new_rest = new.partition(" ")
        for tag in ("VBD", "VBZ"):
            form = inflect(base, tag)
            counterpart = (
                f"{inflect(new_first, tag) if new_first != 'be' or tag == 'VBD' else 'is'} {new_rest}"
            )
            guard = both(holds, after_singular_subject) if new_first == "be" else holds
            entries[form] = Counterpart(counterpart.strip(), frozenset({tag}), guard)
    for word, new in NOUNS.items():
        entries[word] = Counterpart(new, frozenset({"NN"}), is_simple_noun)
        plural = inflect(word, "NNS")
        if plural not in entries:
            entries[plural] = Counterpart(inflect(new, "NNS"), frozenset({"NNS"}), is_simple_noun)
    for word, new in PREDICATES.items():
        entries[word] = Counterpart(new, holds=is_predicate)
    for word, new in ADJECTIVES.items():
        holds = both(attribute_or_end, not_following(*OF_SET_PHRASES.get(word, ())))
        entries[word] = Counterpart(new, frozenset({"JJ"}), holds)
    return entries


def _tags_of(base: str, form: str) -> frozenset[str]:
    return frozenset(tag for tag in _VERB_TAGS if inflect(base, tag) == form) - {"VBN"}


def phrase_table() -> PhraseTable:
    """The table; building it takes a few milliseconds."""
    return PhraseTable(_entries())
