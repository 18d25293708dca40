"""Tokenizers of models of the Hub, as the trainers read stories with them."""

from tokenizers import AddedToken, Tokenizer
from tokenizers.pre_tokenizers import ByteLevel
from transformers import AutoTokenizer

from metrics.inference import PLACEHOLDERS


def hub_tokenizer(base: str) -> Tokenizer:
    """The tokenizer of a Hub id or a folder, with the names' placeholders.

    A byte-level one (RoBERTa's, BART's) reads a word at the beginning of a text as it reads it elsewhere, so a story
    read by sentences, or by words, gives the same tokens.
    """
    tokenizer: Tokenizer = AutoTokenizer.from_pretrained(base).backend_tokenizer
    tokenizer.add_special_tokens([AddedToken(name, lstrip=True, special=True) for name in PLACEHOLDERS])
    if isinstance(tokenizer.pre_tokenizer, ByteLevel):
        tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=True)
    return tokenizer
