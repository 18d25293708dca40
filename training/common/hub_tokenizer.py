"""Tokenizers of models of the Hub, as the trainers read stories with them."""

from tokenizers import AddedToken, Tokenizer
from tokenizers.normalizers import Prepend
from tokenizers.pre_tokenizers import ByteLevel, Sequence
from transformers import AutoTokenizer

from openmeva.metrics.core.text import PLACEHOLDERS


def hub_tokenizer(base: str, placeholders: bool = True) -> Tokenizer:
    """The tokenizer of a Hub id or a folder, with the names' placeholders unless they are to be read in pieces.

    It reads words alike, see `read_words_alike`.
    """
    tokenizer: Tokenizer = AutoTokenizer.from_pretrained(base).backend_tokenizer
    if placeholders:
        tokenizer.add_special_tokens([AddedToken(name, lstrip=True, special=True) for name in PLACEHOLDERS])
    return read_words_alike(tokenizer)


def read_words_alike(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer, changed in place: a byte-level one reads a word at the beginning of a text as it does elsewhere.

    So a story that is read by sentences, or by words, gives the same tokens.
    """
    if isinstance(tokenizer.pre_tokenizer, ByteLevel):
        tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=True)
    elif isinstance(tokenizer.pre_tokenizer, Sequence) and tokenizer.normalizer is None:
        tokenizer.normalizer = Prepend(" ")  # within a sequence, each part would begin with a space
    return tokenizer
