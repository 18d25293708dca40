"""Perplexity's configuration."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class PplConfig(TrainingConfig):
    """How a language model is trained.

    Attributes:
        model: `causal`, or `masked`: the shared encoder as it is, of which nothing is trained.
        corpus: of the stories.
        base: `encoder`: its weights under a causal mask; `scratch`: random ones; or a causal language model of others (see
            `training/common/backbone.py`).
        start: an adapter's folder to go on from, on the encoder.
        adapter: low-rank factors; null: all weights are trained and saved.
        max_length: tokens scored at once, and at most in training.
        stories: seen in all.
        batch: stories a step.
        spacing: of `masked`: every so many tokens one is masked at once; null: one at a time, as in the paper.
        validation_stories: of `masked`: on which the two are compared.
    """

    metric: Literal["ppl"] = "ppl"
    model: Literal["causal", "masked"] = "causal"
    corpus: CorpusConfig
    base: str = "encoder"
    start: str | None = None
    adapter: Adapter | None = field(default_factory=lambda: Adapter(64, 128))
    max_length: int = 256
    stories: int = 0
    batch: int = 32
    learning_rate: float = 1.5e-3
    spacing: int | None = None
    validation_stories: int = 1000
