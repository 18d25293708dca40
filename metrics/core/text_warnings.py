"""Warnings about texts that are unfit for scoring: no words, too few, not English, special tokens, the wrong length.

Metrics score such texts anyway, often highly, but the score is meaningless. The checks count words; no model is run.
"""

import re
from collections.abc import Iterable, Sequence
from unicodedata import name as name_of_character

MIN_WORDS = 10
USUAL_WORD_COUNTS: dict[str, tuple[int, int | None]] = {"roc": (MIN_WORDS, 150), "wp": (40, None)}
"""Corpus to the range of story lengths, in words, of its configurations (a five-sentence story of ROCStories
has at most 74; a machine-generated story of MANS-WP, of 495 counted, at least 84)."""

# share of common English words; of 80,395 English five-sentence stories none is below .1
MIN_COMMON_SHARE = 0.08
_MAX_NON_LATIN_SHARE = 0.3  # share of letters that are not Latin

_PLACEHOLDER = re.compile(r"\[\s?(?:FE)?(?:MALE)\s?\]|\[\s?NEUTRAL\s?\]", re.IGNORECASE)
# Special tokens and entities in story files and model outputs: <newline>, </s>, <|endoftext|>, <unk>, [SEP], &nbsp;
_SPECIAL_TOKEN = re.compile(
    r"<\s?[/\\|]?\s?[a-z]\w*\s?[/|]?\s?>|\[(?:sep|cls|eos|bos|pad|unk|mask)\]"
    r"|&(?:nbsp|amp|quot|apos|lt|gt|[mn]dash|hellip|[lr][sd]quo|#\d{2,5});",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Frequent English words that are rarely words of other languages: no `a`, `in`, `so`, `on`, `me`.
_COMMON = frozenset(
    """
    about after again all always and are back because been before but by came can can't could couldn't decided did
    didn't doesn't don't down every first for found friend from get getting go going good got has have he he'd he's
    her hers him his home how i'd i'm if into is isn't it it's its just last like liked little long made make more
    my n't never new next not now of off old only or other our out over people said saw see she she'd she's some
    take than that that's the their them then there these they this those time to told took too until up us very
    want wanted was wasn't we went were what when where which while who with won't would you your asked come another
    day
    """.split()
)


def warnings_of(
    texts: Iterable[str], min_words: int = MIN_WORDS, max_words: int | None = None
) -> list[str | None]:
    """The `warning_of` each text, in order."""
    return [warning_of(text, min_words, max_words) for text in texts]


def warning_of(text: str, min_words: int = MIN_WORDS, max_words: int | None = None) -> str | None:
    """Why a text may not be a story that the score is meant for: the kind of problem, a colon, and details; or None.

    Args:
        text: raw or tokenised, cased or not; names may be placeholders.
        min_words, max_words: range of the number of words of a usual story (see `USUAL_WORD_COUNTS`). `min_words` is
            at least `MIN_WORDS`; no upper bound if `max_words` is None.

    >>> warning_of("1 2 3 !")
    'no words: only digits and symbols'
    >>> warning_of("Hello there.")
    'too short: 2 words, a story has at least 10'
    >>> warning_of("Ann was hungry. <newline> She made a sandwich. <newline> She ate it. She felt full.")
    'special tokens: 2, first "<newline>", which are no words: remove them before scoring'
    >>> warning_of("Ann was hungry. She made a sandwich. She ate it. She felt full.") is None
    True
    """
    special_tokens = _SPECIAL_TOKEN.findall(text)
    text_only, placeholders = _PLACEHOLDER.subn(" ", _SPECIAL_TOKEN.sub(" ", text))
    words = _WORD.findall(text_only)
    count = len(words) + placeholders
    if not count:
        return "no words: only digits and symbols"
    foreign = _share_outside_latin(words)
    if foreign > _MAX_NON_LATIN_SHARE:
        return f"not English: {foreign:.0%} of its letters are not Latin"
    if count < MIN_WORDS:
        return f"too short: {count} word{'s' if count > 1 else ''}, a story has at least {MIN_WORDS}"
    common = sum(word.lower().replace("’", "'") in _COMMON for word in words)
    if common < MIN_COMMON_SHARE * count:
        return f"not English: {common} of its {count} words are common English words"
    if special_tokens:
        first = special_tokens[0]
        return f'special tokens: {len(special_tokens)}, first "{first}", which are no words: remove them before scoring'
    if count < min_words:
        return f"wrong kind: {count} words, expected a story of at least {min_words} words"
    if max_words is not None and count > max_words:
        return f"wrong kind: {count} words, expected a story of at most {max_words} words"
    return None


def summarize_warnings(warnings: Sequence[str | None]) -> str:
    """How many texts have a warning, by kind, as a sentence; empty if none has.

    >>> summarize_warnings([None, "too short: 2 words, a story has at least 10", None])
    '1 of 3 texts may not be stories that the score is meant for: too short 1'
    """
    kinds = [warning.split(":", 1)[0] for warning in warnings if warning]
    if not kinds:
        return ""
    numbers = ", ".join(f"{kind} {kinds.count(kind)}" for kind in dict.fromkeys(kinds))
    return f"{len(kinds)} of {len(warnings)} texts may not be stories that the score is meant for: {numbers}"


def _share_outside_latin(words: Sequence[str]) -> float:
    letters = "".join(words)
    if letters.isascii() or not letters:
        return 0.0
    outside = [
        c
        for c in letters
        if not c.isascii() and c != "’" and not name_of_character(c, "").startswith("LATIN")
    ]
    return len(outside) / len(letters)
