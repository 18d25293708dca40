"""The encoder's vocabulary and masks."""

import numpy as np
import torch
from transformers import BertTokenizer

from openmeva.training.encoder.data import MaskingCollator
from openmeva.training.encoder.vocabulary import prune_vocabulary
from tests.tiny import PIECES


def test_the_vocabulary_keeps_specials_characters_and_frequent_pieces() -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "##a", "often", "seldom", "never"]
    tokenizer = BertTokenizer(vocab={p: i for i, p in enumerate(pieces)}, do_lower_case=True)
    kept = prune_vocabulary(tokenizer, ["often often seldom", "often a"], 13)
    assert kept[:8] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[MALE]", "[FEMALE]", "[NEUTRAL]"]
    assert kept[8:] == ["##a", "a", "b", "often", "seldom"]


def test_masks() -> None:
    tokenizer = BertTokenizer(vocab={p: i for i, p in enumerate(PIECES)}, do_lower_case=True)
    collate = MaskingCollator(tokenizer, probability=0.25, seed=3)
    rows = [{"input_ids": [2, *([9, 10, 11, 12] * 25), 3], "index": i} for i in range(40)]
    batch = collate(rows)
    chosen = batch["labels"] != -100
    assert chosen.sum(1).tolist() == [25] * 40
    original = torch.tensor([row["input_ids"] for row in rows])
    assert torch.equal(batch["labels"][chosen], original[chosen])
    assert torch.equal(batch["input_ids"][~chosen], original[~chosen])
    masked = (batch["input_ids"][chosen] == tokenizer.mask_token_id).float().mean()
    assert 0.75 < float(masked) < 0.85
    again = collate(rows)
    assert all(torch.equal(batch[key], again[key]) for key in batch), "a row has the same mask each time"
    assert len({tuple(np.flatnonzero(row)) for row in chosen.numpy()}) > 30, "and rows have different ones"
