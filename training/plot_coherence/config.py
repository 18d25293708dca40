"""The configuration of plot coherence."""

from dataclasses import dataclass
from typing import Literal

from openmeva.training.classifier.config import ClassifierConfig, Teacher
from openmeva.training.classifier.rows_config import RowsConfig


@dataclass(frozen=True, kw_only=True)
class PlotCoherenceConfig(ClassifierConfig, RowsConfig):
    """How plot coherence is trained.

    Attributes:
        first: the configuration that is trained where `start` is not there yet.
        teacher: a larger classifier to learn from.
        seeds: where given, one training with each in `seed`'s place, whose adapters are averaged.
        start_share: of that mean, which the adapter has that they go on from.
        temperature: what the mean's logits are divided by, so that scores near 0 and 1 spread out; stories that are
            read in one window keep their order.
        note: for the card.
    """

    metric: Literal["plot_coherence"] = "plot_coherence"
    first: str | None = None
    teacher: Teacher | None = None
    seeds: tuple[int, ...] = ()
    start_share: float = 0.0
    temperature: float = 1.0
    note: str | None = None
