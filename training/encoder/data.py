"""Texts for masked language modelling, and token masking."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from torch import Tensor
from transformers import BertTokenizer

from openmeva.metrics.core.text import PLACEHOLDERS, join_words
from openmeva.training.corpora.splits import CorpusConfig, load_corpus, split_into_blocks
from openmeva.training.encoder.vocabulary import SPECIAL
from openmeva.training.paths import NAMES_FILE

IGNORED = -100  # a label that the loss ignores


class RepeatedTexts(torch.utils.data.Dataset[dict[str, Any]]):
    """Texts in a random order, repeated `epochs` times; each pass gives a text another `index`, and so another mask.

    The order is the same in each pass, and fixed: a run that is resumed after its last step does not continue.

    Args:
        texts: rows with token ids as `input_ids` and their number as `length`; `index` counts them from 0.
        epochs: number of passes, which may be fractional.
        seed: of the order.

    Raises:
        ValueError: the passes contain no text.
    """

    def __init__(self, texts: Dataset, epochs: float, seed: int) -> None:
        order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(seed)).tolist()
        count = round(len(texts) * epochs)
        if not count:
            raise ValueError(f"epochs: expected at least one of {len(texts)} texts, got {epochs} passes")
        self.texts, self.order = texts, (order * math.ceil(epochs))[:count]

    def __len__(self) -> int:
        return len(self.order)

    @property
    def epoch_length(self) -> int:
        """The number of rows in one pass."""
        return len(self.texts)

    def lengths(self) -> list[int]:
        """Tokens of each row, for batches of similar length."""
        lengths = self.texts["length"][:]
        return [lengths[number] for number in self.order]

    def __getitem__(self, index: int) -> dict[str, Any]:
        row = self.texts[self.order[index]]
        return {**row, "index": row["index"] + index // len(self.texts) * len(self.texts)}


@dataclass
class MaskingCollator:
    """Masks tokens as BERT does (80 % [MASK], 10 % random, 10 % kept), and pads.

    A row's mask depends on the seed and the row's `index`.
    """

    tokenizer: BertTokenizer
    probability: float
    seed: int

    def __call__(self, rows: list[dict[str, Any]]) -> dict[str, Tensor]:
        length = max(len(row["input_ids"]) for row in rows)
        ids = torch.zeros(len(rows), length, dtype=torch.long)
        labels = torch.full_like(ids, IGNORED)
        for i, row in enumerate(rows):
            rng = np.random.default_rng([self.seed, row["index"]])
            tokens = np.array(row["input_ids"])
            inner = np.arange(1, len(tokens) - 1)
            chosen = rng.permutation(inner)[: max(1, round(self.probability * len(inner)))]
            labels[i, chosen] = torch.from_numpy(tokens[chosen])
            draw = rng.random(len(chosen))
            tokens[chosen[draw < 0.8]] = self.tokenizer.mask_token_id
            replaced = chosen[(draw >= 0.8) & (draw < 0.9)]
            tokens[replaced] = rng.integers(
                len(SPECIAL) + len(PLACEHOLDERS), len(self.tokenizer), len(replaced)
            )
            ids[i, : len(tokens)] = torch.from_numpy(tokens)
        return {"input_ids": ids, "attention_mask": (ids != 0).long(), "labels": labels}


def load_texts(
    corpora: Iterable[CorpusConfig], block_words: int, blocks_per_story: int, data: Path
) -> tuple[list[str], list[str]]:
    """Training and validation blocks of normalised text; all metrics hold out the same stories.

    Raises:
        ValueError: a corpus has no training stories or no held-out ones.
    """
    train: set[str] = set()
    validation: set[str] = set()
    for corpus in corpora:
        loaded = load_corpus(corpus, data, NAMES_FILE, ("train", "validation"))
        for split, texts in ((loaded.train, train), (loaded.validation, validation)):
            for sentences in split:
                blocks = split_into_blocks(sentences, block_words)[:blocks_per_story]
                texts.update(map(join_words, blocks))
    return sorted(train), sorted(validation)
