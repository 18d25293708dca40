"""Time words (Table 12), their opposites, and openers that mark a sentence as later than the one before it."""

import re

from openmeva.training.perturbations.rules.events import refers_back, reports_event
from openmeva.training.perturbations.rules.phrase_table import (
    Counterpart,
    PhraseTable,
    both,
    not_following,
    opens,
    preceded,
)
from openmeva.training.perturbations.rules.times import COUNTED_TIMES, TIME_WORDS
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

_NOUN = frozenset({"NN"})
_ADJECTIVE = frozenset({"JJ"})
_ADVERB = frozenset({"RB"})
# Words or beginnings, which may come at any time.
_ANY_TIME = word_set("told said asked tells says started began became suggested")
# Deeds, and things that a story has not had, which may come before it, too.
_NEW = word_set(
    "got woke spoke talked earlier a an another new some went go goes came bought purchased found called saw started"
)
_CHANGES = word_set("but then eventually later soon finally until after however though now")
# What one also does for a moment.
_BRIEF = word_set(
    "searched search tried try watched watch looked look waited wait talked talk held hold stopped stop sat sit rested rest"
)
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
    """Whether two events follow, one of which refers to a thing that the other introduces: "after he found a key, he lost it".

    Otherwise, both orders often make sense: "after the game, he ate" and "before the game, he ate".
    """
    if not _no_passing(sentence, start, end):
        return False
    words = sentence.lowered
    comma = words.index(",", end) if "," in words[end:] else len(words)
    first, second = (end, comma), (0, start) if start else (comma, len(words))
    return (
        reports_event(sentence, *first)
        and reports_event(sentence, *second)
        and (refers_back(sentence, first, sentence, second) or refers_back(sentence, second, sentence, first))
    )


def _is_duration(sentence: Sentence, at: int) -> bool:
    """Whether a duration starts at `at`: in "after a few hours", "after" cannot become "before"."""
    words = sentence.lowered[at : at + 4]
    if words[0].endswith("s") and words[0] in COUNTED_TIMES:
        return True  # "after hours"
    return (words[0] in _QUANTITIES or bool(_NUMBER.fullmatch(words[0]))) and bool(
        COUNTED_TIMES.intersection(words) or {"while", "bit", "time"}.intersection(words)
    )


def _follows_event(sentence: Sentence, start: int, end: int) -> bool:
    """An event follows that refers to the sentence before: "after that, he used it"."""
    if not sentence.index or not opens(sentence, start, end) or not _adverb_of_time(sentence, start, end):
        return False
    before = sentence.story.sentences[sentence.index - 1]
    if not _ANY_TIME.isdisjoint(sentence.lowered):
        return False
    return reports_event(sentence, end, len(sentence)) and refers_back(
        sentence, (end, len(sentence)), before, (0, len(before))
    )


def _refers_to_known(sentence: Sentence, start: int, end: int) -> bool:
    """Before a unit of time, in a sentence that introduces nothing new, which might have happened at any time."""
    counted = end < len(sentence) and sentence.lowered[end] in COUNTED_TIMES
    return counted and _NEW.isdisjoint(sentence.lowered)


def _until_a_change(sentence: Sentence, start: int, end: int) -> bool:
    """A word for a change follows, in the sentence or one of the next two."""
    later = sentence.story.sentences[sentence.index + 1 : sentence.index + 3]
    return not _CHANGES.isdisjoint([*sentence.lowered[end:], *(word for s in later for word in s.lowered)])


def _takes_long(sentence: Sentence, start: int, end: int) -> bool:
    return _BRIEF.isdisjoint(sentence.lowered)


_ENTRIES = {
    "after all": Counterpart(""),
    "after that": Counterpart("before that", holds=_follows_event),
    "after this": Counterpart("before this", holds=_follows_event),
    "before that": Counterpart("after that"),
    "soon after": Counterpart("long before", holds=_no_passing),
    "right after": Counterpart("long before", holds=_no_passing),
    "shortly after": Counterpart("shortly before", holds=_no_passing),
    "shortly before": Counterpart("shortly after", holds=_no_passing),
    "after": Counterpart("before", frozenset({"IN"}), _fixes_order),
    "before long": Counterpart(""),
    "before": Counterpart("after", frozenset({"IN"}), _fixes_order),
    "too late": Counterpart("too early", holds=both(preceded("was"), not_following("to"))),
    "earlier": Counterpart("later", frozenset({"RBR", "RB", "JJR"}), _after_number),
    "later": Counterpart("earlier", holds=_after_number),
    "then": Counterpart("before that", _ADVERB, _follows_event),
    "now and then": Counterpart(""),
    "and then": Counterpart("but first", holds=_follows_event),
    "afterwards": Counterpart("beforehand", holds=_follows_event),
    "afterward": Counterpart("beforehand", holds=_follows_event),
    "at first": Counterpart("in the end", holds=_until_a_change),
    "nowadays": Counterpart("long ago"),
    "temporary": Counterpart("permanent"),
    "permanent": Counterpart("temporary"),
    "next": Counterpart("previous", frozenset({"JJ", "IN"}), both(preceded("the"), _refers_to_known)),
    "following": Counterpart("previous", holds=both(preceded("the"), _refers_to_known)),
    "previous": Counterpart("next", _ADJECTIVE, _refers_to_known),
    "for years": Counterpart("for a moment", holds=_takes_long),
    "for hours": Counterpart("for a second", holds=_takes_long),
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
