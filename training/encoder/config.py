"""The shared encoder's configuration."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from openmeva.training.common.bounds import Part, Positive, Rate
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class EncoderConfig(TrainingConfig):
    """Settings of the shared encoder's training.

    Attributes:
        base: the initial model: see `training/common/backbone.py`.
        vocabulary_size: number of wordpieces that are kept.
        corpora: of the texts.
        block_words: long stories are split into blocks of about this many words, at sentence boundaries.
        blocks_per_story: maximum number of blocks per story.
        mask_probability: share of the tokens that are masked.
        batch_tokens: approximate number of tokens per step.
        epochs: over the texts; may be fractional.
    """

    metric: Literal["encoder"] = "encoder"
    name: str = "encoder"
    base: str
    vocabulary_size: Positive
    corpora: Mapping[str, CorpusConfig]
    block_words: Positive
    blocks_per_story: Positive
    mask_probability: Part
    batch_tokens: Positive
    epochs: Rate
