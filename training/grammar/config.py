"""The configuration of the grammaticality classifier."""

from dataclasses import dataclass

from openmeva.training.common.bounds import Positive, Rate, Seed, Share


@dataclass(frozen=True)
class Settings:
    """Settings of the training; the defaults are those of the shipped weights.

    Attributes:
        epochs: passes over the sentences.
        batch: sentences per step.
        learning_rate: peak learning rate.
        warmup_share: share of the steps with linear warm-up, 0..1.
        rank, alpha: rank and scaling of the LoRA adapter.
        dropout: dropout before the last layer.
        seed: random seed.
    """

    epochs: Positive = 3
    batch: Positive = 32
    learning_rate: Rate = 5e-4
    warmup_share: Share = 0.1
    rank: Positive = 32
    alpha: Positive = 64
    dropout: Share = 0.1
    seed: Seed = 1
