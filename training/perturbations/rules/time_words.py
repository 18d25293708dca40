"""Time words (Table 12), their opposites, and openers that mark a sentence as later than the one before it."""

import re

from openmeva.training.perturbations.rules.phrase_table import (
    Counterpart,
    PhraseTable,
    both,
    not_following,
    opens,
    preceded,
)
from openmeva.training.perturbations.rules.polarity import story_depends_on
from openmeva.training.perturbations.rules.times import COUNTED_TIMES, TIME_WORDS
from openmeva.training.text.negation.verbs import POLARITY_ITEMS
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

_NOUN = frozenset({"NN"})
_ADJECTIVE = frozenset({"JJ"})
_ADVERB = frozenset({"RB"})
_NUMBER = re.compile(
    r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|several|few|many|a|an"
)


def _adverb_of_time(sentence: Sentence, start: int, end: int) -> bool:
    """ "Then he left", "and then", not "than", "by then", "then what"."""
    before = sentence.lowered[start - 1] if start else ""
    return before not in {"by", "until", "since", "from", "just", "right", "back", "if", "even"}


def _after_number(sentence: Sentence, start: int, end: int) -> bool:
    return start > 0 and sentence.lowered[start - 1] in COUNTED_TIMES


_NOT_BEFORE_CONJUNCTION = word_set(
    """
    look looked looking looks named name day night week year ever never take takes took months years one
    morning right go went long time month days weeks hours minutes chased chase run ran running runs
    take taken only sought
    """
)
_QUANTITIES = word_set(
    "a an few several one two three four five six some many about just only what while bit"
)


def _no_passing(sentence: Sentence, start: int, end: int) -> bool:
    """ "before", "after" as prepositions or conjunctions: not "the day before", "look after", "after all"."""
    before = sentence.lowered[start - 1] if start else ""
    if end >= len(sentence) or not sentence.words[end][:1].isalnum() or sentence.lowered[end] == "all":
        return False
    if sentence.lowered[end + 1 : end + 2] == ["knew"] or "named" in sentence.lowered[:start]:
        return False  # "before he knew it"
    return before not in _NOT_BEFORE_CONJUNCTION and not _is_duration(sentence, end)


def _fixes_order(sentence: Sentence, start: int, end: int) -> bool:
    """Whether one event refers to a thing that the other introduces: "after he found a key, he lost it".

    Otherwise, both orders often make sense: "after the game, he ate" and "before the game, he ate".
    """
    if not _no_passing(sentence, start, end) or not POLARITY_ITEMS.isdisjoint(sentence.lowered):
        return False
    words = sentence.lowered
    comma = words.index(",", end) if "," in words[end:] else len(words)
    first, second = words[end:comma], words[:start] + words[comma:]
    return any(
        not {"a", "an"}.isdisjoint(one) and not {"it", "its", "them"}.isdisjoint(other)
        for one, other in ((first, second), (second, first))
    )


def _is_duration(sentence: Sentence, at: int) -> bool:
    """Whether a duration starts at `at`: in "after a few hours", "after" cannot become "before"."""
    words = sentence.lowered[at : at + 4]
    if words[0].endswith("s") and words[0] in COUNTED_TIMES:
        return True  # "after hours"
    return (words[0] in _QUANTITIES or bool(_NUMBER.fullmatch(words[0]))) and bool(
        COUNTED_TIMES.intersection(words) or {"while", "bit", "time"}.intersection(words)
    )


def _states_fact(sentence: Sentence, start: int, end: int) -> bool:
    """A statement, on which the later story depends, not a wish or command: "never" and "always" with a verb after them."""
    if not story_depends_on(sentence, min(end, len(sentence) - 1)):
        return False
    following = sentence.tags[end] if end < len(sentence) else ""
    licensed = POLARITY_ITEMS.isdisjoint(sentence.lowered)  # not "always had any time"
    return licensed and following.startswith(("V", "RB", "JJ", "MD")) and "?" not in sentence.words[-2:]


def _unnegated(sentence: Sentence, start: int, end: int) -> bool:
    return not any(word in {"not", "n't", "never"} for word in sentence.lowered[max(0, start - 2) : start])


_ENTRIES = {
    "after all": Counterpart(""),
    "after that": Counterpart("before that"),
    "after this": Counterpart("before this"),
    "before that": Counterpart("after that"),
    "soon after": Counterpart("long before", holds=_no_passing),
    "right after": Counterpart("long before", holds=_no_passing),
    "shortly after": Counterpart("shortly before", holds=_no_passing),
    "shortly before": Counterpart("shortly after", holds=_no_passing),
    "after": Counterpart("before", frozenset({"IN"}), _fixes_order),
    "before long": Counterpart(""),
    "before": Counterpart("after", frozenset({"IN"}), _fixes_order),
    "never again": Counterpart(""),
    "never before": Counterpart(""),
    "never": Counterpart("always", _ADVERB, _states_fact),
    "always": Counterpart("never", _ADVERB, both(_states_fact, _unnegated)),
    "almost always": Counterpart("almost never"),
    "usually": Counterpart("rarely", holds=both(_states_fact, _unnegated)),
    "often": Counterpart("rarely", _ADVERB, both(both(_states_fact, _unnegated), lambda s, a, b: s.lowered[a - 1 : a] not in (
        ["how"], ["more"], ["very"], ["so"], ["as"], ["most"], ["quite"]))),
    "rarely": Counterpart("often", holds=_states_fact),
    "sometimes": Counterpart("always", holds=opens),
    "early": Counterpart("late", _ADVERB, not_following("bird", "age", "on", "warning")),
    "late": Counterpart("early", _ADVERB, both(
        not_following("husband", "wife", "father", "mother", "fee", "fees", "that", "at", "night"),
        lambda s, a, b: s.lowered[a - 1 : a] not in (["too"], ["of"], ["until"], ["running"], ["ran"]))),
    "too late": Counterpart("too early", holds=not_following("to")),
    "earlier": Counterpart("later", frozenset({"RBR", "RB", "JJR"})),
    "later that": Counterpart("earlier that"),
    "earlier that": Counterpart("later that"),
    "later": Counterpart("earlier", holds=_after_number),
    "ago": Counterpart("later", holds=_after_number),
    "then": Counterpart("before that", _ADVERB, both(opens, _adverb_of_time)),
    "now and then": Counterpart(""),
    "and then": Counterpart("but first"),
    "afterwards": Counterpart("beforehand"),
    "afterward": Counterpart("beforehand"),
    "beforehand": Counterpart("afterwards"),
    "previously": Counterpart("subsequently"),
    "formerly": Counterpart("subsequently"),
    "at first": Counterpart("in the end"),
    "in the end": Counterpart("at first"),
    "at last": Counterpart("at first"),
    "at the beginning": Counterpart("at the end"),
    "at the end": Counterpart("at the beginning", holds=not_following("of")),
    "finally": Counterpart("at first", holds=opens),
    "right away": Counterpart("much later"),
    "soon": Counterpart("much later", _ADVERB, both(opens, not_following("as", "after", "enough"))),
    "yesterday": Counterpart("tomorrow"),
    "tomorrow": Counterpart("yesterday"),
    "nowadays": Counterpart("long ago"),
    "forever": Counterpart("for a moment", holds=lambda s, a, b: s.lowered[a - 1 : a] != ["took"]),
    "temporary": Counterpart("permanent"),
    "permanent": Counterpart("temporary"),
    "next": Counterpart("previous", frozenset({"JJ", "IN"}), lambda s, a, b: s.lowered[a - 1 : a] == ["the"]
                        and b < len(s) and s.lowered[b] in COUNTED_TIMES),
    "previous": Counterpart("next", _ADJECTIVE, lambda s, a, b: b < len(s) and s.lowered[b] in COUNTED_TIMES),
    "past": Counterpart("future", frozenset({"NN"}), preceded("the", "her", "his", "their", "my")),
    "future": Counterpart("past", _NOUN, preceded("the", "her", "his", "their", "my", "our")),
    "beginning": Counterpart("ending", _NOUN, preceded("the", "a")),
    "ending": Counterpart("beginning", _NOUN, preceded("the", "a", "happy")),
    "until": Counterpart("after", holds=lambda s, a, b: b < len(s) and s.tags[b] in {"PRP", "NNP"} and
                         s.lowered[a - 1 : a] not in (["not"], ["n't"], ["up"])),
    "for years": Counterpart("for a moment"),
    "for hours": Counterpart("for a second"),
    "for a long time": Counterpart("for a moment"),
    "midnight": Counterpart("noon", _NOUN),
    "noon": Counterpart("midnight", _NOUN),
}  # fmt: skip
OPPOSITES = PhraseTable(_ENTRIES)

_NEXT_OPENERS = (
    ("after", "that"),
    ("after", "this"),
    ("soon", "after"),
    ("then",),
    ("afterwards",),
    ("afterward",),
    ("next",),
    ("finally",),
    ("eventually",),
    ("soon",),
    ("later",),
    ("suddenly",),
    ("immediately",),
    ("in", "the", "end"),
    ("at", "last"),
)
_OF_NOUN = (["NN"], ["NNS"], ["JJ"], ["CD"])


def is_time_word(word: str) -> bool:
    """Whether a word in lower case is a time word."""
    return word in TIME_WORDS


def sequence_opener(sentence: Sentence) -> int:
    """Number of tokens at the start of a sentence that mark it as later than the one before; 0 for none.

    "Then", "After that", "The next day", "Later that night", "An hour later", "That evening".
    """
    words = sentence.lowered
    for opener in _NEXT_OPENERS:
        if tuple(words[: len(opener)]) == opener:
            size = len(opener)
            if opener in {("later",), ("soon", "after")} and words[size : size + 1] in (["that"], ["on"]):
                return size + 2 if words[size + 1 : size + 2] and words[size + 1] in COUNTED_TIMES else 0
            if opener[-1] in {"that", "this", "next"} and sentence.tags[size : size + 1] in _OF_NOUN:
                return 0  # "after that day", "next time"
            return size if sentence.tags[size : size + 1] != ["IN"] else 0
    if (
        words[0] == "the"
        and words[1:2] in (["next"], ["following"])
        and words[2:3]
        and words[2] in COUNTED_TIMES
    ):
        return 3
    if words[0] == "that" and words[1:2] and words[1] in {"night", "evening", "morning", "afternoon"}:
        return 2
    for size in (3, 4):
        if (
            words[size - 1 : size] == ["later"]
            and words[size - 2] in COUNTED_TIMES
            and _NUMBER.fullmatch(words[size - 3])
        ):
            return size
    return 0
