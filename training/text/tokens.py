"""Spans of words and sentences in the text of a story, raw or tokenised, cased or not."""

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate

from openmeva.metrics.core.text import UNSHIELD_PLACEHOLDERS, clean, split_sentences

# Penn Treebank words as unchanged substrings of the text.
_TOKEN = re.compile(
    r"""
    \[\s?(?:MALE|FEMALE|NEUTRAL)\s?\]
  | (?<![^\W_])(?:mr|mrs|ms|dr|prof|st|sr|jr|gen|sgt|lt|capt)\.(?=\s+\S)
  | (?<![^\W_])(?:[a-z]\.){2,}
  | \d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|am|pm|%)?(?![^\W_])
  | (?<![^\W_])can(?=not\b)
  | (?:o['’]clock|ma['’]am|y['’]all)(?![^\W_])
  | [^\W_]+?(?=n['’]t(?![^\W_]))
  | n['’]t(?![^\W_])
  | (?<=[^\W_])['’](?:s|m|d|ll|re|ve)(?![^\W_])
  | (?<=[\s\]])['’](?:s|m|d|ll|re|ve)(?![^\W_])
  | [^\W_]+?(?:-[^\W_]+)*(?=n['’]t(?![^\W_]))
  | [^\W_]+(?:-[^\W_]+)*
  | \.{2,} | -{2,} | `` | '' | [^\w\s] | _
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHUNK = re.compile(r"\[\s?(?:MALE|FEMALE|NEUTRAL)\s?\]|\S+", re.IGNORECASE)
_CLITIC = re.compile(r"(?:s|m|d|t|re|ve|ll)\b", re.IGNORECASE)
CLITICS = frozenset({"n't", "'s", "'m", "'d", "'ll", "'re", "'ve"})
MARKS = frozenset(".,!?;:")
_PLAIN = {"``": '"', "''": '"', "“": '"', "”": '"', "’": "'", "‘": "'", "`": "'", "…": "..."}


def token_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each token in `text`.

    >>> [("I can't go."[a:b]) for a, b in token_spans("I can't go.")]
    ['I', 'ca', "n't", 'go', '.']
    """
    return [match.span() for match in _TOKEN.finditer(text)]


def plain_word(token: str) -> str:
    """A token in the tagger's form: straight quotes, apostrophes and dots."""
    return _PLAIN.get(token) or token.replace("’", "'")


def sentence_ends(text: str) -> list[int]:
    """Offsets of the sentence ends in `text`, as in `metrics.core.text.split_sentences`.

    That function cleans the text; here its sentences are located in the original text by counting the characters other
    than blanks.
    """
    chunks = [(match.end(), _clean(match.group())) for match in _CHUNK.finditer(text)]
    for at in range(len(chunks) - 1):
        if chunks[at][1] == "'" and _CLITIC.match(chunks[at + 1][1]):
            chunks[at] = (chunks[at][0], "x")  # else it would be joined to its word
    seen = list(accumulate(len(cleaned.replace(" ", "")) for _, cleaned in chunks))
    ends: list[int] = []
    total = 0
    for sentence in split_sentences(" ".join(cleaned for _, cleaned in chunks)):
        total += len(sentence) - sentence.count(" ")
        end = chunks[min(bisect_left(seen, total), len(chunks) - 1)][0]
        if not ends or end > ends[-1]:
            ends.append(end)
    return ends


@lru_cache(maxsize=1 << 15)
def _clean(chunk: str) -> str:
    twice = clean(clean(chunk))  # the second pass joins the quotes that the first one produces
    return twice.translate(UNSHIELD_PLACEHOLDERS).strip()
