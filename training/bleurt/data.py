"""Synthetic pairs as token ids and padded batches."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from openmeva.metrics.bleurt.modeling import SIGNALS
from openmeva.metrics.core.runtime import pad
from openmeva.training.bleurt.config import BleurtConfig
from openmeva.training.bleurt.pairs import Pair, make_pairs
from openmeva.training.corpora.splits import load_corpus
from openmeva.training.negatives import UnionSampler, UnionSampling, tag_corpus
from openmeva.training.negatives.infill import Infiller
from openmeva.training.paths import NAMES_FILE
from openmeva.training.text.knowledge.english import English


class PairRows(torch.utils.data.Dataset[dict[str, Any]]):
    """Pairs as token ids with standardised signals.

    Args:
        pairs: normalised reference and text.
        values: their standardised signals, (pairs, signals).
        tokenizer: tokenizer of the encoder.
        max_length: maximum length of a pair in tokens.
    """

    def __init__(
        self, pairs: Sequence[Pair], values: np.ndarray, tokenizer: Tokenizer, max_length: int
    ) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length, strategy="longest_first")
        encodings = tokenizer.encode_batch([(pair.reference, pair.text) for pair in pairs])
        self.rows = [
            {"ids": e.ids, "types": e.type_ids, "signals": v, "entailment": p.entailment}
            for e, v, p in zip(encodings, values.astype(np.float32), pairs, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]

    def lengths(self) -> list[int]:
        """Tokens of each pair."""
        return [len(row["ids"]) for row in self.rows]


def collate(rows: list[dict[str, Any]]) -> dict[str, Tensor]:
    """A padded batch of `PairRows`."""
    ids, mask = pad([row["ids"] for row in rows], 0)
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": pad([row["types"] for row in rows], 0)[0],
        "labels": torch.tensor(np.stack([row["signals"] for row in rows])),
        "entailment": torch.tensor([row["entailment"] for row in rows]),
    }


def load_pairs(config: BleurtConfig, data: Path, cache: Path) -> dict[str, list[Pair]]:
    """Synthetic pairs of the training stories and of the held-out stories.

    Raises:
        ValueError: a split has no stories (the corpus' files are named).
    """
    corpus = load_corpus(config.corpus, data, NAMES_FILE, ("train", "validation"))
    infill = Infiller()
    pairs_by_split = {}
    for index, (split, stories, count) in enumerate(
        (
            ("train", corpus.train, config.pairs),
            ("validation", corpus.validation, config.validation_pairs),
        )
    ):
        tagged = tag_corpus(stories[:count], cache)
        # an eighth of the pairs are negatives by negation only, whose entailment label is known
        mixed, negated = (
            UnionSampler(tagged, English(), UnionSampling(keep=0, without=without), seed=config.seed)
            for without in ((), ("repetition", "substitution", "reordering"))
        )
        rng = np.random.default_rng([config.seed, index])
        pairs = make_pairs(tagged, mixed, infill, dict(config.ways), count - count // 8, rng)
        pairs_by_split[split] = pairs + make_pairs(
            tagged, negated, infill, {"negatives": 1.0}, count // 8, rng
        )
    return pairs_by_split


def signal_statistics(values: np.ndarray, config: BleurtConfig) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each signal, (signals,), of the training pairs' signals (pairs, signals).

    Raises:
        ValueError: a signal is the same for all pairs and cannot be standardised (it and the corpus' files are named).
    """
    constant = [name for name, span in zip(SIGNALS, np.ptp(values, axis=0), strict=True) if not span]
    if constant:
        files = ", ".join(dict.fromkeys([*config.corpus.train, *config.corpus.validation]))
        raise ValueError(
            f"{files}: expected training pairs that differ in every signal, got {len(values)} pairs with "
            f"the same {', '.join(constant)}: give more stories, or raise `pairs`"
        )
    return values.mean(axis=0), values.std(axis=0)
