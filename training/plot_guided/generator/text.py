"""Converts token ids to normalised words, as in the corpora."""

import re
from collections.abc import Sequence

from tokenizers import Tokenizer

from openmeva.metrics.core.text import PLACEHOLDERS

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
