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
    before_companion,
    before_duration,
    before_noun,
    before_pause,
    before_plural,
    before_that,
    before_time,
    before_verb,
    counted_object,
    ends_phrasal,
    is_inability,
    is_predicate,
    is_purpose_infinitive,
    is_simple_noun,
    states_result,
    thing_or_predicate,
)
from openmeva.training.perturbations.paraphrasers.verbs import LONGER, PHRASAL, VERB_TAGS, VERBS
from openmeva.training.perturbations.rules.phrase_table import (
    Counterpart,
    PhraseTable,
    both,
    following,
    not_following,
    not_preceded,
    opens,
)
from openmeva.training.perturbations.rules.synonyms import is_size_of_thing
from openmeva.training.perturbations.rules.times import TIME_NOUNS
from openmeva.training.text.inflection import inflect
from openmeva.training.text.sentence import Sentence

_OBJECTS = ("him", "her", "me", "them")
# With these, "again" may mean "back": "shut the window again".
_NOT_AGAIN = frozenset("never refused shut close closed return returned put open opened went".split())
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "ten")
_OWN = {"himself": "his", "herself": "her", "myself": "my", "themselves": "their", "ourselves": "our"}
_BECAME = {
    "sick": "ill", "angry": "angry", "mad": "angry", "scared": "frightened", "nervous": "anxious", "tired": "weary",
    "upset": "upset", "excited": "excited", "bored": "bored",
}  # fmt: skip
_OTHERS: dict[str, Counterpart] = {
    "very": Counterpart(
        "really", holds=both(not_following("much", "own"), not_preceded("the", "this", "that"))
    ),
    "really": Counterpart("truly", holds=lambda s, a, b: s.tags[b : b + 1] == ["JJ"]),
    "finally": Counterpart("at last", holds=opens),
    "suddenly": Counterpart("all of a sudden"),
    "soon": Counterpart("before long", holds=both(opens, not_following("after", "as"))),
    "then": Counterpart("after that", holds=both(opens, not_following("one"))),
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
    "almost": Counterpart("nearly", holds=not_following("immediately", "instantly")),
    "again": Counterpart(
        "once more",
        holds=both(
            not_preceded("once", "and", "over", "yet"),
            not_following("and"),
            lambda s, a, b: _NOT_AGAIN.isdisjoint(s.lowered),
        ),
    ),
    "maybe": Counterpart("perhaps"),
    "because": Counterpart("since", holds=both(before_clause, not_preceded(*TIME_NOUNS))),
    "while": Counterpart("as", holds=before_clause),
    "although": Counterpart("despite the fact that", holds=before_clause),
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
    "could not": Counterpart("was not able to", holds=is_inability),
    "could n't": Counterpart("was unable to", holds=is_inability),
    "had to": Counterpart(
        "was forced to", holds=both(both(after_singular_subject, before_verb), not_following("be"))
    ),
    "wanted to": Counterpart("wished to", holds=before_verb),
    "wants to": Counterpart("wishes to", holds=before_verb),
    "needed to": Counterpart("had to", holds=before_verb),
    "had a good time": Counterpart("enjoyed it"),
    **{f"told {who}": Counterpart(f"let {who} know", holds=before_that) for who in _OBJECTS},
    "said": Counterpart("stated", holds=before_that),
    "talked to": Counterpart("had a talk with"),
    "went to the": Counterpart(
        "made a trip to the",
        holds=following("store", "market", "mall", "beach", "park", "zoo", "city", "library"),
    ),
    "the end of": Counterpart("the close of"),
    "as soon as": Counterpart("the moment"),
    "so": Counterpart(
        "and for that reason", holds=both(states_result, lambda s, a, b: s.lowered[a - 1 : a] == [","])
    ),
    "but": Counterpart("yet", holds=before_clause),
    "though": Counterpart("in spite of the fact that", frozenset({"IN"}), before_clause),
    "with": Counterpart("together with", holds=before_companion),
    "for": Counterpart("for a period of", holds=before_duration),
    **{number: Counterpart(f"a total of {number}", holds=counted_object) for number in _NUMBERS},
    "each other": Counterpart("one another"),
    "a lot": Counterpart("a great deal", holds=before_pause),
    "most of": Counterpart("the majority of", holds=before_plural),
    **{
        f"all {time}": Counterpart(f"the whole {time}")
        for time in ("day", "night", "week", "weekend", "morning")
    },
    "it was time to": Counterpart("the time had come to"),
    **{
        f"{whose} parents": Counterpart(
            f"{whose} mother and father", holds=not_following("'s", "'", "house", "and")
        )
        for whose in ("his", "her", "my")
    },
    "next to": Counterpart("beside", holds=both(not_preceded("right"), not_following("nothing"))),
    "every": Counterpart("each", frozenset({"DT"}), both(before_time, not_preceded("almost", "nearly"))),
    **{f"by {self}": Counterpart(f"on {own} own", holds=before_pause) for self, own in _OWN.items()},
    "for free": Counterpart("at no cost", holds=before_pause),
    "on purpose": Counterpart("deliberately"),
    "by accident": Counterpart("accidentally"),
    "took a shower": Counterpart("showered"),
    "had fun": Counterpart("had a good time"),
    **{
        f"got {old}": Counterpart(f"became {new}", holds=not_following("for", "at", "up"))
        for old, new in _BECAME.items()
    },
}


def _entries() -> dict[str, Counterpart]:
    entries: dict[str, Counterpart] = dict(_OTHERS)
    for base, (new, holds) in VERBS.items():
        for tag in VERB_TAGS:
            form = inflect(base, tag)
            if form not in entries or tag == "VBD":
                # the first tag decides a form that two tags share ("wanted"): both give the same replacement
                # unless it is irregular, so the past comes before the participle
                entries[form] = Counterpart(inflect(new, tag), _tags_of(base, form), holds)
    for phrase, new in PHRASAL.items():
        first, rest = phrase.split(" ", 1)
        new_first, _, new_rest = new.partition(" ")
        for tag in ("VBD", "VB", "VBZ", "VBG"):
            form = f"{inflect(first, tag)} {rest}"
            counterpart = f"{inflect(new_first, tag)} {new_rest}".strip()
            if form not in entries:
                entries[form] = Counterpart(counterpart, _tags_of(first, inflect(first, tag)), ends_phrasal)
    for base, (new, holds) in LONGER.items():
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
        holds = both(both(attribute_or_end, _is_size), not_following(*OF_SET_PHRASES.get(word, ())))
        if word in {"whole", "entire"}:  # "a whole new style"
            holds = both(holds, lambda s, a, b: s.tags[b : b + 1] == ["NN"])
        entries[word] = Counterpart(new, frozenset({"JJ"}), holds)
    return entries


def _is_size(sentence: Sentence, start: int, end: int) -> bool:
    """As `is_size_of_thing`, of an adjective; holds for words that are no sizes."""
    return is_size_of_thing(sentence, start)


def _tags_of(base: str, form: str) -> frozenset[str]:
    return frozenset(tag for tag in VERB_TAGS if inflect(base, tag) == form) - {"VBN"}


def phrase_table() -> PhraseTable:
    """The table; building it takes a few milliseconds."""
    return PhraseTable(_entries())
