"""The places where a framing adds words to a plain statement: before its subject, and at its verb.

A frame is a function from a sentence to the framed sentence, or None if the frame does not fit.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from openmeva.training.perturbations.rules.events import STATES
from openmeva.training.perturbations.rules.times import TIME_NOUNS, TIME_WORDS
from openmeva.training.text.edits import Edit, apply_edits
from openmeva.training.text.inflection import inflect, lemma
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

Frame = Callable[[Sentence], str | None]

_NOMINAL = frozenset({"DT", "PRP$", "JJ", "NN", "NNS", "NNP", "NNPS", "CD", "PRP", "POS"})
# Verbs of phases and of support for others: not "proceeded to stop", "went ahead and made an attempt".
_PHASES = word_set(
    "do start begin end keep continue stop wind use let try attempt decide choose resolve make can turn proceed go take"
)
_UNINTENDED = word_set(
    """
    fall lose die break forget fail realize discover find notice become happen win miss wake receive arrive grow learn
    come freeze appear bruise get meet refuse retire remember slip trip spill drop cry weep laugh scream shriek faint sneeze
    bleed shake tremble blush recover suffer vanish catch recognize mistake burst reach succeed gasp stumble
    hurt injure wound sprain twist bruise burn scrape scratch cut bump hit strike knock crash wreck damage ruin dent crack
    tear rip cough yawn vomit hiccup gag choke panic worry wonder regret dream doubt doze awake awaken oversleep overhear
    endure struggle survive gain earn inherit owe deserve develop contract land sink drown perish dislike surprise shock
    tumble recoil misplace misread mishear tense manage intend assume misunderstand calm relax heal study train practice
    """
)
_SAYING = word_set(
    "say state tell ask answer reply suggest admit explain claim announce mention call name thank"
)
_ACHIEVED = word_set("win fix repair finish complete save escape climb earn solve beat")
# Without an end of their own: "was playing" for "played", but not "was driving to the store" for "drove to the store".
_LASTING = word_set(
    "play watch work talk sing dance sleep live cry weep swim study practice search shake sweat snow rain"
)
_PERSONS = frozenset({"he", "she", "i", "they", "we", "you"})
_FEELINGS = word_set(
    """
    happy glad sad unhappy tired weary sick ill nervous anxious scared afraid frightened lonely proud guilty ashamed
    embarrassed relieved excited thrilled angry furious upset bored disappointed confident hungry better worried
    """
)
# With these, a deed is a habit, or not on purpose.
_HABITS = frozenset({"each", "every", "always", "usually", "often", "accident", "accidentally", "mistake"})
_NEGATIONS = frozenset({"not", "n't", "never", "no", "nothing", "nobody", "none"})
# Times; "away" for "right away".
_WITH_A_TIME = (
    TIME_WORDS - word_set("again until till present past second early late beginning ending current")
    | TIME_NOUNS
    | word_set("away weeks months years time times still moment point end")
)


def _main_verb(sentence: Sentence) -> int | None:
    """Position of the past-tense verb after the subject that opens a plain statement; None for other sentences."""
    if '"' in sentence.words or sentence.words[-1] != ".":
        return None
    for at, tag in enumerate(sentence.tags):
        if tag == "VBD":
            return at if at and not {*sentence.lowered[: at + 2]} & _NEGATIONS else None
        if tag not in _NOMINAL:
            return None
    return None


def _base(sentence: Sentence, at: int) -> str:
    return lemma(sentence.lowered[at], "VBD")


def _is_person(sentence: Sentence) -> bool:
    first = sentence.lowered[0]
    return first in _PERSONS or sentence.story.is_name(sentence.words[0])


def _is_joined(sentence: Sentence, at: int) -> bool:
    """Whether another verb or clause is joined to the predicate: "got up and left"."""
    return any(
        tag == "CC" and sentence.tags[index + 1 : index + 2] not in (["NN"], ["NNS"], ["JJ"])
        for index, tag in enumerate(sentence.tags)
        if index > at
    )


def _edited(sentence: Sentence, start: int, end: int, words: Sequence[str]) -> str:
    edit = Edit(start - sentence.start, end - sentence.start, sentence.join_words(list(words)))
    return apply_edits(sentence.text, [edit])[0]


def insert_before_verb(words: str, form: str, fits: Callable[[str], bool], person: bool = False) -> Frame:
    """Puts `words` before the main verb, which gets another form: "ended up buying" for "bought".

    Args:
        words: "was" as the first word agrees with the subject.
        form: Penn Treebank tag of the verb's new form.
        fits: whether a verb, in its base form, allows these words.
        person: whether the subject must be a person.
    """

    def frame(sentence: Sentence) -> str | None:
        at = _main_verb(sentence)
        if at is None or (person and not _is_person(sentence)) or _is_joined(sentence, at):
            return None
        if not _HABITS.isdisjoint(sentence.lowered) or sentence.lowered[at + 1 : at + 2] == ["out"]:
            return None  # "proceeded to run out of water"
        base = _base(sentence, at)
        if not fits(base) or sentence.tags[at + 1 : at + 2] in (["VBN"], ["VBG"]):
            return None
        first, *rest = words.split()
        return _edited(
            sentence, *sentence.spans[at], [_agreeing(sentence, at, first), *rest, inflect(base, form)]
        )

    return frame


def add_feeling(sentence: Sentence) -> str | None:
    """ "was feeling sad" for "was sad"."""
    at = _main_verb(sentence)
    if at is None or _base(sentence, at) != "be" or not _is_person(sentence):
        return None
    after = [word for word in sentence.lowered[at + 1 : at + 3] if word not in {"very", "really", "so"}]
    if not after or after[0] not in _FEELINGS:
        return None
    return _edited(sentence, *sentence.spans[at], [sentence.lowered[at], "feeling"])


def insert_adverb(words: str, fits: Callable[[Sentence, int], bool]) -> Frame:
    """Puts an adverb before the main verb, or after a form of "be"."""

    def frame(sentence: Sentence) -> str | None:
        at = _main_verb(sentence)
        if at is None or {*words.split()} & {*sentence.lowered} or not fits(sentence, at):
            return None
        index = at + (_base(sentence, at) == "be")
        if sentence.tags[index].startswith("RB"):
            return None
        start = sentence.spans[index][0]
        return _edited(sentence, start, start, [words + " "])

    return frame


def is_achieved(base: str) -> bool:
    """Whether a verb fits after "managed to", with the same meaning without it."""
    return base in _ACHIEVED


def is_deed(base: str) -> bool:
    """Whether a verb describes what a person does at some time and on purpose; words are no deeds here."""
    return base not in STATES | _PHASES | _UNINTENDED | _SAYING


def can_last(base: str) -> bool:
    """Whether a verb describes an action with a duration."""
    return base in _LASTING


def is_action(sentence: Sentence, at: int) -> bool:
    """Whether the verb at `at` does not describe a state ("turned out to be"), and the sentence has no time expression."""
    words = sentence.lowered
    if _base(sentence, at) in STATES or ("to", "be") in pairwise(words[at:]):
        return False
    return not {*words} & _WITH_A_TIME


def prepend_words(words: str) -> Frame:
    """Puts `words` before the subject of an action without a time expression; a comma is a separate word."""
    last = [word for word in words.split() if word != ","][-1]

    def frame(sentence: Sentence) -> str | None:
        at = _main_verb(sentence)
        if at is None or last in sentence.lowered or not is_action(sentence, at):
            return None
        start = sentence.capitalize_start(sentence.join_words(words.split()))
        return f"{start} {sentence.mid_sentence_text(0, len(sentence))}"

    return frame


def _agreeing(sentence: Sentence, at: int, word: str) -> str:
    plural = sentence.lowered[0] in {"they", "we", "you"} or sentence.tags[at - 1] == "NNS"
    return "were" if word == "was" and plural else word
