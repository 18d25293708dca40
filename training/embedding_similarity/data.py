"""Texts of several lengths."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from openmeva.training.embedding_similarity.config import SimilarityConfig
from openmeva.training.encoder.data import load_texts

MIN_WORDS = 30  # of a text for BERTScore's baseline, more than these


def long_texts(texts: Sequence[str]) -> list[str]:
    """The different texts that BERTScore's baseline is computed on.

    Raises:
        ValueError: fewer than two.
    """
    long = [text for text in dict.fromkeys(texts) if len(text.split()) > MIN_WORDS]
    if len(long) < 2:
        raise ValueError(
            f"block_words, validation_texts: expected two different held-out texts of more than {MIN_WORDS} words, "
            f"for the baseline, got {len(long)}"
        )
    return long


def load_blocks(config: SimilarityConfig, data: Path) -> tuple[list[str], list[str]]:
    """Training texts and held-out texts, sampled by the seed: the same number for each length in `block_words`.

    Raises:
        ValueError: fewer than two training texts, or three held-out ones: their correlation needs two pairs.
    """
    rng = np.random.default_rng(config.seed)
    splits: tuple[list[str], list[str]] = ([], [])
    counts = (config.texts, config.validation_texts)
    for words in config.block_words:
        for split, texts, count in zip(
            splits,
            load_texts(config.corpora.values(), words, config.blocks_per_story, data),
            counts,
            strict=True,
        ):
            share = count // len(config.block_words)
            split += [texts[i] for i in sorted(rng.permutation(len(texts))[:share])]
    for split, purpose, least in zip(splits, ("to train on", "held out"), (2, 3), strict=True):
        if len(split) < least:
            raise ValueError(
                f"texts, validation_texts: expected at least {least} texts {purpose}, got {len(split)} "
                f"of the lengths {list(config.block_words)}"
            )
    return splits
