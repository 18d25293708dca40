"""How a generator reads plots and writes stories: as normalised words, as in the corpora, or as prose."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
from tokenizers import Tokenizer

from openmeva.metrics.core.checkpoint import load_normalizer
from openmeva.metrics.core.text import PLACEHOLDERS, join_words, split_sentences
from openmeva.training.paths import NAMES_FILE
from openmeva.training.plot_guided.plots.plot import Plot, plot_text
from openmeva.training.text.prose import NAMES, cased_phrase, prose

SENTENCE_ENDS = (".", "!", "?")
QUOTE = '"'
# A full stop after one of these does not end a sentence: "a" and "p" begin "a . m .", as wordpieces split it.
ABBREVIATIONS = ("a", "p", "mr", "mrs", "ms", "dr", "st")
NAMES_STREAM = 1  # last number of the key that names are drawn by; stories are sampled by the key without it
Names = Mapping[str, str]

_HAS_END = re.compile(r"[.!?]")
_PLACEHOLDER = re.compile("|".join(map(re.escape, PLACEHOLDERS)))
_JOINS = (
    (re.compile(r"\bn ' t\b"), "n't"),
    (re.compile(r"(?<=[\w\]]) ' (s|m|d|t|re|ve|ll)\b"), r" '\1"),
    (re.compile(r"\bo ' clock\b"), "o'clock"),
    (re.compile(r"\b([ap]) \. m\b(?: \.(?= \S))?"), r"\1.m."),
    (re.compile(r"(?<=\d) ([.,:]) (?=\d)"), r"\1"),
    (re.compile(r"(?<=\w) - (?=\w)"), "-"),
    (re.compile(r"\. \. \."), "..."),
)


def decode_words(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """The text of token ids, without special tokens, but with names' placeholders.

    BERT's tokenizer splits words at punctuation; words such as "n't", "10:30" and "a.m.", which are single words in the
    corpora, are joined again. The output of byte-level tokenizers (BART's) is not changed.
    """
    pieces = [tokenizer.id_to_token(index) or "" for index in ids]
    if tokenizer.token_to_id("[CLS]") is None:
        kept = [
            index
            for index, piece in zip(ids, pieces, strict=True)
            if piece not in ("<s>", "</s>", "<pad>", "<unk>", "<mask>")
        ]
        decoded = tokenizer.decode(kept, skip_special_tokens=False)
        return " ".join(_PLACEHOLDER.sub(r" \g<0> ", decoded).split())
    words: list[str] = []
    for piece in pieces:
        if piece.startswith("##") and words:
            words[-1] += piece[2:]
        elif piece not in ("[CLS]", "[SEP]", "[PAD]"):
            words.append(piece)
    text = " ".join(words)
    for pattern, joined in _JOINS:
        text = pattern.sub(joined, text)
    return text


class TextForm(Protocol):
    """How plots and stories are written for a generator, and its stories read."""

    tokenizer: Tokenizer

    def plot(self, plot: Plot, names: Names) -> str:
        """A plot as the generator reads it; `names` are those of `story_names`."""
        ...

    def story(self, sentences: Sequence[Sequence[str]]) -> str:
        """A story of the corpus as the generator writes it."""
        ...

    def words(self, ids: Sequence[int]) -> str:
        """The normalised words of a story that the generator wrote."""
        ...

    def complete(self, ids: list[int], sentences: int) -> bool:
        """Whether `ids` are at least `sentences` sentences; if so, they are changed to end where the last one does."""
        ...


def text_form(tokenizer: Tokenizer, as_prose: bool, delexicalize: bool = True) -> TextForm:
    """The form of a generator's texts.

    Args:
        tokenizer: the generator's.
        as_prose: whether it was trained with `prose`.
        delexicalize: whether names in prose become placeholders; without prose, the generator writes either.
    """
    return ProseForm(tokenizer, delexicalize) if as_prose else NormalizedForm(tokenizer)


def story_names(key: Sequence[int]) -> dict[str, str]:
    """A name for each placeholder, by the key of a story's random numbers."""
    rng = np.random.default_rng([*key, NAMES_STREAM])
    return {placeholder: str(rng.choice(names)) for placeholder, names in NAMES.items()}


def as_generated(form: TextForm, sentences: Sequence[Sequence[str]]) -> str:
    """A human story's normalised words as if a generator had written them, so that its spacing gives no clue."""
    ids: list[int] = form.tokenizer.encode(form.story(sentences), add_special_tokens=False).ids
    return form.words(ids)


class NormalizedForm:
    """Normalised words; names may be placeholders.

    Args:
        tokenizer: the generator's.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.ends, self.quotes, self.abbreviations = map(self._ids, (SENTENCE_ENDS, (QUOTE,), ABBREVIATIONS))

    def _ids(self, tokens: Sequence[str]) -> frozenset[int]:
        """Ids of tokens, also of those with a leading space in a byte-level vocabulary."""
        token_ids = (self.tokenizer.token_to_id(mark + token) for token in tokens for mark in ("", "Ġ"))
        return frozenset(index for index in token_ids if index is not None)

    def plot(self, plot: Plot, names: Names) -> str:
        return plot_text(plot)

    def story(self, sentences: Sequence[Sequence[str]]) -> str:
        return join_words(sentences)

    def words(self, ids: Sequence[int]) -> str:
        return decode_words(self.tokenizer, ids)

    def complete(self, ids: list[int], sentences: int) -> bool:
        """As `TextForm`; appends a quotation mark to close an open quotation."""
        if ids[-1] not in self.ends:
            return False
        ends = [
            index in self.ends and before not in self.ends and before not in self.abbreviations
            for before, index in pairwise([-1, *ids])
        ]
        if sum(ends) < sentences:
            return False
        quotes = [index for index in ids if index in self.quotes]
        ids.extend(quotes[:1] if len(quotes) % 2 else [])
        return True


class ProseForm:
    """Prose (`training/text/prose.py`) with names in place of placeholders.

    Args:
        tokenizer: the generator's, byte-level.
        delexicalize: whether names become placeholders in the words.
    """

    def __init__(self, tokenizer: Tokenizer, delexicalize: bool = True) -> None:
        self.tokenizer = tokenizer
        self.normalizer = load_normalizer(NAMES_FILE, delexicalize)
        self._default_names = {placeholder: names[0] for placeholder, names in NAMES.items()}

    def plot(self, plot: Plot, names: Names) -> str:
        return "; ".join(", ".join(cased_phrase(phrase, names) for phrase in phrases) for phrases in plot)

    def story(self, sentences: Sequence[Sequence[str]]) -> str:
        return prose(sentences, self._default_names)

    def words(self, ids: Sequence[int]) -> str:
        return self.normalizer(self._text(ids))

    def complete(self, ids: list[int], sentences: int) -> bool:
        """As `TextForm`; a sentence is complete once the next one has begun, whose first token is removed."""
        if len(ids) < 2 or not _HAS_END.search(self.tokenizer.decode(ids[-3:-1])):
            return False
        if len(split_sentences(self._text(ids))) <= sentences:
            return False
        ids.pop()
        return True

    def _text(self, ids: Sequence[int]) -> str:
        text: str = self.tokenizer.decode(list(ids))
        return text
