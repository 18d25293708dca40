"""Table of words and phrases with their replacements, and conditions on their context."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from openmeva.training.common.buffered_random import BufferedRandom
from openmeva.training.perturbations.rules.replacing import replace_word
from openmeva.training.text.edits import Edit
from openmeva.training.text.sentence import Sentence

Condition = Callable[[Sentence, int, int], bool]


class Counterpart(NamedTuple):
    """The replacement of a phrase, and its conditions.

    Attributes:
        new: the replacement, in lower case; "" keeps the phrase as it is.
        tags: allowed Penn Treebank tags of the phrase's first word; empty for any.
        holds: condition on the sentence and on the phrase's start and end in it.
    """

    new: str
    tags: frozenset[str] = frozenset()
    holds: Condition | None = None


class Site(NamedTuple):
    """A phrase of the table found in a sentence: tokens `start` to `end` (excluded)."""

    sentence: Sentence
    start: int
    end: int
    new: str

    def edits(self) -> list[Edit]:
        """The edits that replace the phrase."""
        return replace_word(self.sentence, self.start, self.new, self.end)


class PhraseTable:
    """A table from phrases, in lower case and with spaces between words, to their counterparts."""

    def __init__(self, entries: Mapping[str, Counterpart]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], Counterpart]]] = {}
        for phrase, counterpart in entries.items():
            words = tuple(phrase.split())
            self._by_first.setdefault(words[0], []).append((words, counterpart))
        for rules in self._by_first.values():
            rules.sort(key=lambda rule: -len(rule[0]))  # "as a result" before "as"

    def sites(self, sentence: Sentence) -> list[Site]:
        """All phrases of the table in a sentence that meet their conditions, the longest at each place."""
        words = sentence.lowered
        sites: list[Site] = []
        free = 0
        for at, word in enumerate(words):
            for phrase, counterpart in self._by_first.get(word, ()) if at >= free else ():
                end = at + len(phrase)
                if tuple(words[at:end]) != phrase:
                    continue
                if counterpart.tags and sentence.tags[at] not in counterpart.tags:
                    continue
                if counterpart.holds is None or counterpart.holds(sentence, at, end):
                    if counterpart.new:
                        sites.append(Site(sentence, at, end, counterpart.new))
                    free = end
                    break
        return sites


def substitute_one(
    table: PhraseTable, sentences: Sequence[Sentence], rng: BufferedRandom
) -> list[Edit] | None:
    """The edits that replace one phrase of the table, chosen at random; None where there is none."""
    sites = [site for sentence in sentences for site in table.sites(sentence)]
    return rng.choice(sites).edits() if sites else None


def opens(sentence: Sentence, start: int, end: int) -> bool:
    """Holds where the phrase opens its sentence."""
    return sentence.is_first_word(start)


def following(*words: str) -> Condition:
    """Holds where one of `words` comes next."""
    return lambda sentence, start, end: (
        sentence.lowered[end : end + 1] != [] and sentence.lowered[end] in words
    )


def not_following(*words: str) -> Condition:
    """Holds where none of `words` comes next."""
    return lambda sentence, start, end: end >= len(sentence) or sentence.lowered[end] not in words


def preceded(*words: str) -> Condition:
    """Holds where one of `words` comes before."""
    return lambda sentence, start, end: start > 0 and sentence.lowered[start - 1] in words


def not_preceded(*words: str) -> Condition:
    """Holds where none of `words` comes before."""
    return lambda sentence, start, end: not preceded(*words)(sentence, start, end)


def both(*conditions: Condition) -> Condition:
    """Holds where all conditions hold."""
    return lambda sentence, start, end: all(condition(sentence, start, end) for condition in conditions)
