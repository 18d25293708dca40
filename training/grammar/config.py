"""The configuration of the grammaticality classifier."""

from dataclasses import dataclass


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

    epochs: int = 3
    batch: int = 32
    learning_rate: float = 5e-4
    warmup_share: float = 0.1
    rank: int = 32
    alpha: int = 64
    dropout: float = 0.1
    seed: int = 1
