"""Texts for masked language modelling, and token masking."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import BertTokenizer

from openmeva.metrics.core.text import PLACEHOLDERS, join_words
from openmeva.training.corpora.splits import CorpusConfig, load_corpus, split_into_blocks
from openmeva.training.encoder.vocabulary import SPECIAL
from openmeva.training.paths import NAMES_FILE

IGNORED = -100  # a label that the loss ignores


@dataclass
class MaskingCollator:
    """Masks tokens as BERT does (80 % [MASK], 10 % random, 10 % kept), and pads."""

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
