"""The configuration of embedding similarity."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.bounds import Length, Positive
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class SimilarityConfig(TrainingConfig):
    """How the adapter of embedding similarity is trained.

    Attributes:
        base: the backbone: see `training/common/backbone.py`.
        teacher: the backbone whose states are the targets; the same as `base` if nothing is to be trained.
        corpora: sources of the texts.
        block_words: lengths of the texts in words: whole stories, and a sentence or two.
        blocks_per_story: maximum number of texts per story.
        texts, validation_texts: number of texts, of all lengths together.
        baseline_pairs: number of pairs for BERTScore's baseline.
        adapter: LoRA adapter on the backbone.
        max_length: maximum length of a text in training, in tokens.
        batch: texts per step.
    """

    metric: Literal["embedding_similarity"] = "embedding_similarity"
    base: str = "encoder"
    teacher: str
    corpora: Mapping[str, CorpusConfig]
    block_words: tuple[Positive, ...]
    blocks_per_story: Positive
    texts: Positive
    validation_texts: Positive
    baseline_pairs: Positive
    adapter: Adapter = field(default_factory=lambda: Adapter(32, 32))
    max_length: Length = 128
    batch: Positive = 32
