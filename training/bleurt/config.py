"""BLEURT's configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.bounds import Length, Positive, Weight
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class BleurtConfig(TrainingConfig):
    """How BLEURT is trained on synthetic pairs.

    Attributes:
        corpus: source of the stories.
        base: the backbone: see `training/common/backbone.py`.
        pairs, validation_pairs: number of pairs of a story and a changed copy.
        ways: weight of each way to change a story (see `pairs.py`).
        max_length: maximum length of a pair in tokens.
        adapter: LoRA adapter on the backbone.
        batch: pairs per step.
        entailment_weight: weight of the entailment cross-entropy, relative to the squared errors of score and signals.
    """

    metric: Literal["bleurt"] = "bleurt"
    corpus: CorpusConfig
    base: Literal["encoder"] = "encoder"  # its masked language model generates pairs
    pairs: Positive
    validation_pairs: Positive
    ways: Mapping[str, Weight]
    max_length: Length = 512
    adapter: Adapter = field(default_factory=Adapter)
    batch: Positive = 32
    entailment_weight: Weight = 0.3

    def __post_init__(self) -> None:
        if min(self.pairs, self.validation_pairs) < 2:
            raise ValueError(
                f"pairs, validation_pairs: expected 2 or more, got {self.pairs} and {self.validation_pairs}"
            )
        if not any(self.ways.values()):
            raise ValueError(f"ways: expected one with a weight above 0, got {dict(self.ways)}")
