"""Senses of words from WordNet's `index.sense`: their frequencies, and the words that share them.

To list a synset's words, NLTK reads its whole entry with glosses and pointers; this file, with one line per sense, is
much faster. Counts are SemCor's, which are part of WordNet.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from openmeva.training.text.knowledge.wordnet_reader import wordnet

# Parts of speech by their number in a sense key.
PARTS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # 5: satellite adjectives


class Sense(NamedTuple):
    """One sense of a lemma.

    Attributes:
        synset: its synset's offset in the data file of the part of speech.
        mentions: frequency of the lemma in this sense in SemCor.
    """

    synset: int
    mentions: int


@lru_cache(maxsize=1 << 16)
def senses(base: str, part: str) -> tuple[Sense, ...]:
    """Senses of a lower-case lemma with a part of speech (n, v, a, r), in WordNet's order.

    Raises:
        MissingResourceError: WordNet has not been fetched.

    >>> senses("hasten", "v")[0].mentions < senses("rush", "v")[0].mentions, senses("the", "n")
    (True, ())
    """
    lines, prefix = _lines(), base + "%"
    numbered_senses = []
    for at in range(bisect_left(lines, prefix), len(lines)):
        if not lines[at].startswith(prefix):
            break
        own_part, synset, number, count = _parse_line(lines[at])
        if own_part == part:
            numbered_senses.append((number, Sense(synset, count)))
    return tuple(sense for _, sense in sorted(numbered_senses))


def words_of(part: str, synset: int) -> tuple[str, ...]:
    """The lemmas of a synset that occur in SemCor in this sense."""
    return _counted_words().get((part, synset), ())


def _parse_line(line: str) -> tuple[str, int, int, int]:
    """Part of speech, synset, number of the sense and count of a line: "dog%1:05:00:: 02084071 1 42"."""
    key, synset, number, count = line.split(" ")
    return PARTS[key[key.index("%") + 1]], int(synset), int(number), int(count)


@lru_cache(maxsize=1)
def _lines() -> list[str]:
    with wordnet().open("index.sense") as file:
        return sorted(
            file.read().splitlines()
        )  # sorted, since bisection in a file with another order would fail silently


@lru_cache(maxsize=1)
def _counted_words() -> Mapping[tuple[str, int], tuple[str, ...]]:
    words_by_synset: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for line in _lines():
        if not line.endswith(" 0"):
            part, synset, _, _ = _parse_line(line)
            words_by_synset[part, synset].append(line[: line.index("%")])
    return {key: tuple(words) for key, words in words_by_synset.items()}
