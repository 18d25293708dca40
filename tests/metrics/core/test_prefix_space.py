"""The first word of a text has the same tokens as elsewhere, whatever a tokenizer does before it splits words."""

import pytest
from tokenizers import Tokenizer
from tokenizers.normalizers import NFC, Normalizer
from tokenizers.pre_tokenizers import ByteLevel, Digits, PreTokenizer, Sequence

from openmeva.metrics.core.backbone import enable_prefix_space
from tests.tiny.models import byte_tokenizer, tiny_tokenizer

TEXTS = ["the cat ran the dog home"] * 9
SPLIT_DIGITS = Sequence([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)])


def tokens(tokenizer: Tokenizer, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return ids


@pytest.mark.parametrize(
    ("pre_tokenizer", "normalizer"),
    [
        (ByteLevel(add_prefix_space=False), None),  # as GPT-2
        (ByteLevel(add_prefix_space=False), NFC()),
        (SPLIT_DIGITS, None),  # as SmolLM2
        (SPLIT_DIGITS, NFC()),  # as Qwen
    ],
)
def test_first_word_is_encoded_as_elsewhere(
    pre_tokenizer: PreTokenizer, normalizer: Normalizer | None
) -> None:
    tokenizer = byte_tokenizer(TEXTS, ["</s>"])
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    assert tokens(tokenizer, "the cat") != tokens(tokenizer, " the") + tokens(tokenizer, " cat")
    for _ in range(2):  # changed once only
        enable_prefix_space(tokenizer)
        assert tokens(tokenizer, "the cat") == tokens(tokenizer, "the") + tokens(tokenizer, "cat")
    plain = byte_tokenizer(TEXTS, ["</s>"])
    assert tokens(tokenizer, "the caf\u0065\u0301") == tokens(
        plain, " the caf\u00e9" if normalizer else " the caf\u0065\u0301"
    )


def test_word_piece_tokenizer_stays_as_it_is() -> None:
    tokenizer = tiny_tokenizer()
    before = tokenizer.to_str()
    assert enable_prefix_space(tokenizer).to_str() == before
