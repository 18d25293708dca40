"""Auxiliaries of English in tokenised lower-case text, for the negation rules (Table 8)."""

from collections.abc import Sequence

from openmeva.training.text.word_set import word_set

NEGATIONS = frozenset({"not", "n't"})
# adverbs after (or before) which a verb counts as negated
NEGATIVE_ADVERBS = frozenset({"never", "hardly", "barely", "no", "neither", "nor"})

# words that are grammatical only after a negation (or in a question)
POLARITY_ITEMS = word_set(
    """
    any anymore anyone anybody anything anywhere ever yet either neither nor until till slightest budge
    """
)

BE_BEFORE_CONTRACTION = frozenset({"is", "are", "was", "were"})
BE_FINITE = BE_BEFORE_CONTRACTION | {"am", "'m", "'s", "'re"}
BE = BE_FINITE | {"be", "been", "being", "ai"}

HAVE_BEFORE_CONTRACTION = frozenset({"have", "has", "had"})
HAVE = HAVE_BEFORE_CONTRACTION | {"having", "'ve", "'d", "'s"}

# the tag of the verb without the auxiliary, which determines the row of Table 8
DO_TAGS = {"do": "VBP", "does": "VBZ", "did": "VBD"}

# a modal before "not", and before "n't" (None if English has no such form)
MODALS: dict[str, tuple[str, str | None]] = {
    "can": ("can", "ca"),
    "could": ("could", "could"),
    "will": ("will", "wo"),
    "'ll": ("will", "wo"),
    "would": ("would", "would"),
    "'d": ("would", "would"),
    "shall": ("shall", "sha"),
    "should": ("should", "should"),
    "may": ("may", None),
    "might": ("might", "might"),
    "must": ("must", "must"),
    "ought": ("ought", None),
}
CUT_MODALS = {"ca": "can", "wo": "will", "sha": "shall"}


def is_adverb(word: str, tag: str) -> bool:
    """Whether the token is an adverb that can occur within a verb group; negations do not count."""
    return tag.startswith("RB") and word not in NEGATIONS


def governor(words: Sequence[str], tags: Sequence[str], at: int) -> int:
    """The index of the last token before `at` that is not an adverb; -1 at the start of the sentence."""
    before = at - 1
    while before >= 0 and is_adverb(words[before], tags[before]):
        before -= 1
    return before


def after_adverbs(words: Sequence[str], tags: Sequence[str], at: int) -> int:
    """The first index from `at` on that is not an adverb; may be the length of the sentence."""
    while at < len(words) and is_adverb(words[at], tags[at]):
        at += 1
    return at


def is_question(words: Sequence[str], at: int) -> bool:
    """Whether a question mark is the first mark that ends a statement after `at`: also in a quotation."""
    return next((word for word in words[at + 1 :] if word in {".", "!", "?"}), "") == "?"
