"""Inputs for fuzz tests: any Unicode text, from empty to long, and values that are no list of texts."""

from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.mini_stories import mini_rows_of

WORDS = (
    "Ann Tom she he it ran was hungry made a the sandwich dog home because so then before not didn't can't will "
    "went to park and said went. ate! why? slept, who's Mr. U.S. 3.50 ... never because. happy told him that"
).split()
MARKS = [
    *".!?,;:'\"()[]{}<>-_/\\|@#$%^&*+=~`",
    "...", "''", "``", "--", "…", "—", "’", "“", "” ", "«", "' s", "n't", "?!", ". . .",
    "[MALE]", "[female]", "[ NEUTRAL ]", "[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "[WP]", "<s>", "##s",
    "<|endoftext|>", "{}", "%s", "\\n", "=1+1", "@SUM(A1)", "+1", "-1", "null", "NaN", "true",
]  # fmt: skip
RARE = [
    "\x00", "\x07", "\x1f", "\x7f", "\x85", "\xa0", "\xad", "\u0301", "\u200b", "\u200d", "\u2028", "\u2029",
    "\u202e", "\ufeff", "\ufffd", "\ufffe", "\ud800", "\udfff", "\ue000", "\ue002", "\uf8ff", "\U000e0001",
    "\U0010ffff", "\u3000", "\u1680", "ﬁ", "İ", "ß", "ı", "Å", "e\u0301", "한", "漢", "ת", "ก", "ꯁ", "𐓘", "𞤀",
    "😀", "👨\u200d👩", "🇬🇧", "½", "Ⅳ", "１",
]  # fmt: skip
BLANK = [" ", "\n", "\t", "\r\n", "\x0b", "\x0c", "\u2028", "\u3000", "  "]

_any_text = st.text(st.characters(exclude_categories=()), max_size=40)
_sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join)
_mixed = st.lists(st.one_of(*map(st.sampled_from, (WORDS, MARKS, RARE, BLANK))), min_size=1, max_size=30).map(
    "".join
)


def weighted(*shares: tuple[int, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """One of several kinds of input, with probability proportional to its share; `one_of` weights all equally."""
    kinds = [kind for share, kind in shares for _ in range(share)]
    return st.sampled_from(range(len(kinds))).flatmap(kinds.__getitem__)


def texts(longest: int) -> st.SearchStrategy[str]:
    """Any text: words, punctuation, rare characters, nothing, or one of these repeated up to a maximum length.

    Long texts are rare, so that most inputs are fast: the logarithm of the length is uniform.
    """
    blank = st.sampled_from(["", *BLANK])
    short = [(6, kind) for kind in (_sentences, real_stories(), _mixed, _any_text)]
    return weighted(*short, (3, blank), (2, long_texts(1, longest)))


def long_texts(shortest: int, longest: int) -> st.SearchStrategy[str]:
    """A word, a punctuation mark, a rare character, a sentence or a story, repeated."""
    units = st.sampled_from([*WORDS, *MARKS, *RARE, "Go. ", "a", "a.", "Ann was hungry. "])
    unit = st.one_of(units, _any_text.filter(bool), _sentences, real_stories())
    size = st.floats(0, 1).map(lambda share: round(shortest * (longest / shortest) ** share))
    return st.builds(lambda text, size: text * max(1, size // len(text)), unit, size)


def real_stories() -> st.SearchStrategy[str]:
    """Stories of this project, unchanged or with something unusual inserted."""

    def insert(story: str, share: float, odd: str) -> str:
        index = int(share * len(story))
        return story[:index] + odd + story[index:]

    odd = st.one_of(st.just(""), st.sampled_from([*MARKS, *RARE, *BLANK]), _any_text)
    return st.builds(insert, st.sampled_from(_story_texts()), st.floats(0, 1), odd)


@cache
def _story_texts() -> list[str]:
    return [row["story"] for row in mini_rows_of("roc")]


def with_words(given: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts followed by a word that every metric can read."""
    return given.map(lambda text: f"{text} she ran.")


def wrong_values() -> st.SearchStrategy[Any]:
    """Values that are no text, number or list of these; created for each example."""
    makers = (
        lambda: None, lambda: 3, lambda: float("nan"), lambda: 10**400, lambda: True, lambda: b"a story",
        lambda: "a story", dict, set, list, lambda: list, lambda: {"story": "a"}, lambda: np.array("a"),
        lambda: np.array([["a"], ["b"]]), lambda: np.array([1.5]), lambda: [None], lambda: [["a"], 3],
        lambda: (row for row in (1, 2)), object, lambda: range(3), lambda: [[[]]], lambda: ["a", b"b"],
    )  # fmt: skip
    return st.sampled_from(makers).map(lambda make: make())


WRONG_OPTIONS: dict[str, tuple[Any, ...]] = {
    "batch_size": ("3", 0, -1, 2.5, True, None, []),
    "device": ("nowhere", "cuda:99", 3.5, [], {}, "meta"),
    "dtype": ("float16", None, 32, [], {}),
    "explain": ("yes", None, 2, []),
    "show_progress": ("no", None, []),
    "context_is_part_of_story": ("no", 2, []),
    "padding_side": ("top", None, [], 3),
    "repeated_ngram": (0, "2", 1.5, [], True),
    "blend": ("sum", None, [], np.array(["mean"])),
    "normalization": ("no", None, []),
    "scores": ("bleuer", [], [[]], 3, {"bleu": 1}, list),
    "idf": ("yes", None, 2),
    "layer": (0, 99, "last", 1.5, []),
    "rescale_with_baseline": ("yes", {"f1": 0.1}, dict.fromkeys(
        ("bertscore_precision", "bertscore_recall", "bertscore_f1"), "0.4"), 3),
    "draws": (0, "200", 99.5, None, []),
    "seed": (-1, "0", 1.5, 0.0, []),
    "others": ([1.0], 3, "scores", {"one": 3}, {"one": ["a"]}),
    "reasonable_above": ("4", [], True),
    "one_error_only": ("no", None, 2),
}  # fmt: skip
"""Values that no option of a module accepts."""
