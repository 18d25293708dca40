"""Perplexity's configuration."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.bounds import Count, Length, Positive, Rate
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class PplConfig(TrainingConfig):
    """How a language model is trained.

    Attributes:
        model: `causal`, or `masked`: the shared encoder without training.
        corpus: source of the stories.
        base: `encoder`: the shared encoder's weights with a causal mask; `scratch`: random weights; or a third-party causal
            language model (see `training/common/backbone.py`).
        start: folder of an adapter on the encoder to initialise from.
        adapter: LoRA adapter; null: all weights are trained and saved.
        max_length: maximum length in tokens, in scoring and in training.
        stories: stories seen in total.
        batch: stories per step.
        spacing: `masked` only: distance of the tokens that are masked in one pass; null: one token at a time, as in the
            paper.
        validation_stories: maximum number of held-out stories for the validation results.
    """

    metric: Literal["ppl"] = "ppl"
    model: Literal["causal", "masked"] = "causal"
    corpus: CorpusConfig
    base: str = "encoder"
    start: str | None = None
    adapter: Adapter | None = field(default_factory=lambda: Adapter(64, 128))
    max_length: Length = 256
    stories: Count = 0
    batch: Positive = 32
    learning_rate: Rate = 1.5e-3
    spacing: Positive | None = None
    validation_stories: Positive = 1000

    def __post_init__(self) -> None:
        if self.spacing and self.model == "causal":
            raise ValueError(f"spacing: expected only with the masked model, got {self.spacing}")
        if self.model == "masked" and (self.base != "encoder" or self.start or self.stories):
            raise ValueError(
                "base, start, stories: expected encoder, null and 0 with the masked model, which is the shared encoder "
                f"without training, got {self.base!r}, {self.start!r} and {self.stories}"
            )
