"""The configuration of plot coherence."""

from dataclasses import dataclass
from typing import Literal

from openmeva.training.classifier.config import ClassifierConfig, Teacher
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.bounds import Rate, Seed, Share


@dataclass(frozen=True, kw_only=True)
class PlotCoherenceConfig(ClassifierConfig, RowsConfig):
    """Settings of plot coherence's training.

    Attributes:
        first: the configuration that is trained first if `start` does not exist.
        teacher: a larger classifier for knowledge distillation.
        seeds: if set, one run per seed (instead of `seed`); their adapters are averaged.
        start_share: share of the initial adapter in the weight average.
        temperature: divisor of the averaged model's logits, which spreads out scores near 0 and 1; the ranking of stories
            that fit into one window does not change.
        note: text for the model card.
    """

    metric: Literal["plot_coherence"] = "plot_coherence"
    first: str | None = None
    teacher: Teacher | None = None
    seeds: tuple[Seed, ...] = ()
    start_share: Share = 0.0
    temperature: Rate = 1.0
    note: str | None = None
