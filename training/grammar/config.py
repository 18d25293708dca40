"""The configuration of the classifier of grammaticality."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How the classifier is trained; `training/configs/grammar/default.yaml` holds what differs in the shipped one.

    Attributes:
        epochs: over the sentences.
        batch: sentences a step.
        learning_rate: the greatest.
        warmup_share: of the steps, in which it is reached.
        rank, alpha: of the adapter.
        dropout: before the last layer.
        seed: of all draws.
    """

    epochs: int = 3
    batch: int = 32
    learning_rate: float = 5e-4
    warmup_share: float = 0.1
    rank: int = 32
    alpha: int = 64
    dropout: float = 0.1
    seed: int = 1
