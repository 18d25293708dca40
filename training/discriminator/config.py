"""The discriminator's configuration."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.common.bounds import Positive, Several, Share, Weight
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.plot_guided.generator.sampling import Sampling


@dataclass(frozen=True, kw_only=True)
class DiscriminatorConfig(ClassifierConfig):
    """Settings of the discriminator's training.

    Attributes:
        corpus: of the human-written stories; its `context` and `delexicalize` also apply to the metric.
        plots: the plot extractor that the generator was trained with.
        share: share of the stories, selected by hash, that the generator was trained on; they are excluded here.
        generator: folder of the generator, relative to the project.
        sampling: sampling settings of the generator.
        groups, validation_groups: number of groups of one human-written and one generated story.
    """

    metric: Literal["discriminator"] = "discriminator"
    corpus: CorpusConfig
    plots: str
    share: Share
    generator: str
    sampling: Sampling = field(default_factory=Sampling)
    groups: Positive
    validation_groups: Positive
    group_size: Several = 2
    rank_weight: Weight = 0.0  # binary classification only: no ranking, no error types, no token head
    error_type_weight: Weight = 0.0
    token_weight: Weight = 0.0
