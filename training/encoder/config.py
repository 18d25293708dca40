"""The shared encoder's configuration."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class EncoderConfig(TrainingConfig):
    """How the shared encoder is made.

    Attributes:
        base: what it begins as: see `training/common/backbone.py`.
        vocabulary_size: word pieces that are kept.
        corpora: of the texts.
        block_words: long stories are cut at the sentence nearest.
        blocks_per_story: at most.
        mask_probability: share of the tokens that are masked.
        batch_tokens: of a step, about.
        epochs: over the texts.
    """

    metric: Literal["encoder"] = "encoder"
    name: str = "encoder"
    base: str
    vocabulary_size: int
    corpora: Mapping[str, CorpusConfig]
    block_words: int
    blocks_per_story: int
    mask_probability: float
    batch_tokens: int
    epochs: float
