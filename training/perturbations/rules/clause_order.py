"""Two clauses around a conjunction, and two sentences joined by a linking word."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.rules.times import DAYS_FROM_NOW, TIME_NOUNS
from openmeva.training.text.edits import Edit
from openmeva.training.text.inflection import FINITE_TAGS
from openmeva.training.text.sentence import Sentence
from openmeva.training.text.word_set import word_set

_NOMINAL = frozenset({"PRP", "NN", "NNS", "NNP", "NNPS", "DT", "EX", "CD", "WP"})
_INNER_MARKS = frozenset({",", ";", ":", "--", "-", "..."})
_NESTING = frozenset({"after", "before", "until", "because", "when", "while", "if", "since"})
_BE = frozenset({"be", "is", "are", "was", "were", "am", "been", "'s", "'re", "'m"})
_OWN_TIME = frozenset({"one", "that", "this", "last", "every", "each", "the", "in", "on", "at", "during"})
_LEADING = frozenset({"and", "but", "so", "then", "yet", "however"})
_OF_SENTENCE = word_set("unfortunately fortunately luckily sadly suddenly finally eventually maybe perhaps")
# Words that belong to the conjunction after them: "just before", "only because", "and so".
OF_CONJUNCTION = word_set(
    """
    just right soon shortly long even only simply merely mostly mainly partly probably perhaps maybe especially
    immediately almost not and but
    """
)


class Joint(NamedTuple):
    """Two clauses of a sentence: token ranges of the main clause, the conjunction and the other clause."""

    main: tuple[int, int]
    conjunction: tuple[int, int]
    other: tuple[int, int]


def has_clause(sentence: Sentence, start: int, end: int) -> bool:
    """Whether tokens `start` to `end` have a subject followed by a finite verb, and do not begin with a verb."""
    tags, words = sentence.tags, sentence.lowered
    if end - start < 2 or tags[start] not in _NOMINAL | {"PRP$", "JJ", "RB", "PDT", "JJS", "VBG"}:
        return False
    seen = False
    for at in range(start, end):
        if words[at] in _NESTING or (tags[at] == "CC" and tags[at - 1] == "NN"):
            return False  # the next verb belongs to another clause
        after_pronoun = at > start and tags[at] == "VBN" and tags[at - 1] == "PRP"  # "he cooked", mistagged
        if tags[at] in FINITE_TAGS or after_pronoun:
            return seen
        seen = seen or tags[at] in _NOMINAL
    return False


def body_end(sentence: Sentence) -> int:
    """The end of a sentence without its final punctuation marks and closing quotes."""
    end = len(sentence)
    while end and not any(map(str.isalnum, sentence.words[end - 1])):
        end -= 1
    return end


def body_start(sentence: Sentence) -> int:
    """The first word that is not a linking "and", "but", …"""
    return 1 if sentence.lowered[0] in _LEADING and len(sentence) > 1 else 0


def trailing_clause(sentence: Sentence, is_conjunction: Callable[[Sentence, int], int]) -> Joint | None:
    """ "A conjunction B.": the first such pair of clauses in a sentence.

    Args:
        sentence: any; with quotes, or with clauses interrupted by punctuation marks, the result is None.
        is_conjunction: number of tokens from a place on that are the conjunction; 0 for none.
    """
    if '"' in sentence.words:
        return None
    end = body_end(sentence)
    start = body_start(sentence)
    for at in range(start + 2, end - 1):
        size = is_conjunction(sentence, at)
        if not size or sentence.lowered[at - 1] in OF_CONJUNCTION or _measured(sentence, at):
            continue
        main_end = at
        while main_end > start and sentence.words[main_end - 1] in _INNER_MARKS:
            main_end -= 1
        main_start = _clause_start(sentence, start, main_end)
        other_end = next(
            (index for index in range(at + size, end) if sentence.words[index] in _INNER_MARKS), end
        )
        if has_clause(sentence, main_start, main_end) and has_clause(sentence, at + size, other_end):
            return Joint((main_start, main_end), (at, at + size), (at + size, other_end))
    return None


def _measured(sentence: Sentence, at: int) -> bool:
    """Whether the conjunction at `at` is modified by a time expression: "two days before", "the night after"."""
    words = sentence.lowered
    return words[at] in {"after", "before"} and words[at - 1] in TIME_NOUNS


def _clause_start(sentence: Sentence, start: int, end: int) -> int:
    """The start of the clause that ends at `end`: after the last punctuation mark, or after "and" before a subject."""
    for at in range(end - 1, start, -1):
        if sentence.words[at] in _INNER_MARKS:
            return at + 1 + (sentence.lowered[at + 1] in _LEADING)
        joins = sentence.lowered[at] in {"and", "but", "that"} and sentence.tags[at + 1] in {"PRP", "NNP"}
        if joins and has_clause(sentence, at + 1, end) and has_clause(sentence, start, at):
            return at + 1
    return start


def fronted_clause(sentence: Sentence, is_conjunction: Callable[[Sentence, int], int]) -> Joint | None:
    """ "Conjunction B, A.": both clauses around the sentence's only comma."""
    end = body_end(sentence)
    if '"' in sentence.words or sum(word in _INNER_MARKS for word in sentence.words[:end]) != 1:
        return None
    start = body_start(sentence)
    size = is_conjunction(sentence, start)
    comma = next(at for at in range(end) if sentence.words[at] in _INNER_MARKS)
    if not size or comma <= start + size:
        return None
    if has_clause(sentence, start + size, comma) and has_clause(sentence, comma + 1, end):
        return Joint((comma + 1, end), (start, start + size), (start + size, comma))
    return None


def exchange_clauses(sentence: Sentence, joint: Joint) -> list[Edit] | None:
    """The edits that exchange the two clauses.

    None if both have the same words, or if the main clause ends in a form of "be".
    """
    main, other = joint.main, joint.other
    if ends_in_be(sentence, *main):
        return None  # "it was because": "it" refers to another sentence
    if {sentence.lowered[main[0]], sentence.lowered[other[0]]} & _OF_SENTENCE:
        return None  # "before unfortunately he left"
    if sentence.lowered[main[0] : main[1]] == sentence.lowered[other[0] : other[1]]:
        return None
    return [_clause_at(sentence, main, other), _clause_at(sentence, other, main)]


def _clause_at(sentence: Sentence, index: tuple[int, int], clause: tuple[int, int]) -> Edit:
    text = sentence.mid_sentence_text(*clause)
    if sentence.is_capital_position(index[0]) and sentence.words[index[0]][:1].isupper():
        text = text[:1].upper() + text[1:]
    return Edit(sentence.spans[index[0]][0], sentence.spans[index[1] - 1][1], text)


def exchanged_sentences(first: Sentence, second: Sentence, link: int) -> list[Edit] | None:
    """The edits that exchange a sentence with the next one, without the `link` linking tokens that open the latter.

    Final punctuation marks stay in place. None if either has quotes or lacks a clause, if the first begins with a
    linking word, or if both have the same words.
    """
    if '"' in first.words or '"' in second.words:
        return None
    start = link
    while start < len(second) and second.words[start] == ",":
        start += 1
    ends = body_end(first), body_end(second)
    if ends[0] < 2 or ends[1] - start < 2 or first.lowered[0] in _LEADING | {"first", "firstly"}:
        return None
    if first.lowered[: ends[0]] == second.lowered[start : ends[1]]:
        return None
    if not (has_clause(first, 0, ends[0]) and has_clause(second, start, ends[1])):
        return None
    moved = second.surface(start, ends[1])
    if first.words[0][:1].isupper():
        moved = moved[:1].upper() + moved[1:]
    elif not start:
        moved = second.mid_sentence_text(0, ends[1])
    return [
        Edit(first.start, first.spans[ends[0] - 1][1], moved),
        Edit(
            second.spans[start][0], second.spans[ends[1] - 1][1], _moved_down(first, ends[0], second, start)
        ),
    ]


def _moved_down(first: Sentence, end: int, second: Sentence, link: int) -> str:
    """The first sentence for the place of the second, after its `link` linking tokens."""
    if link:
        return first.mid_sentence_text(0, end)
    text = first.surface(0, end)
    return text[:1].upper() + text[1:] if second.words[0][:1].isupper() else text


def ends_in_be(sentence: Sentence, start: int, end: int) -> bool:
    """Whether tokens `start` to `end` end in a form of "be", ignoring adverbs and negations: "it was probably"."""
    while end > start and (sentence.tags[end - 1].startswith("RB") or sentence.lowered[end - 1] == "n't"):
        end -= 1
    return end > start and sentence.lowered[end - 1] in _BE


def opens_with_time(sentence: Sentence) -> bool:
    """Whether a sentence opens with a time expression: "one night", "that day", "on Monday"."""
    words = sentence.lowered
    if words[0] in DAYS_FROM_NOW:
        return True
    return words[0] in _OWN_TIME and bool(TIME_NOUNS.intersection(words[1:4]))


def exchange_one(
    sentences: Sequence[Sentence],
    rng: BufferedRandom,
    trailing_size: Callable[[Sentence, int], int],
    fronted_size: Callable[[Sentence, int], int],
    link: Callable[[Sentence, Sentence], int | None],
    accepts_clauses: Callable[[Sentence, Joint], bool] = lambda sentence, joint: True,
) -> list[Edit] | None:
    """The edits of one exchange, sampled from all possible ones; None where there is none.

    Args:
        sentences: consecutive sentences of a story.
        rng: source of random choices.
        trailing_size: number of tokens from a place on that are a conjunction between two clauses; 0 for none.
        fronted_size: the same for a conjunction that opens the sentence.
        link: number of tokens that link a sentence (second argument) to the one before (first argument); None where both
            may not be exchanged.
        accepts_clauses: whether two clauses around a conjunction may be exchanged; default: all.
    """
    alternatives: list[list[Edit]] = []
    for sentence in sentences:
        joint = trailing_clause(sentence, trailing_size) or fronted_clause(sentence, fronted_size)
        edits = exchange_clauses(sentence, joint) if joint and accepts_clauses(sentence, joint) else None
        if edits:
            alternatives.append(edits)
    for first, second in pairwise(sentences):
        size = link(first, second)
        edits = None if size is None else exchanged_sentences(first, second, size)
        if edits:
            alternatives.append(edits)
    return rng.choice(alternatives) if alternatives else None
