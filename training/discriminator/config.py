"""The discriminator's configuration."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.plot_guided.generator.sampling import Sampling


@dataclass(frozen=True, kw_only=True)
class DiscriminatorConfig(ClassifierConfig):
    """How the discriminator is trained.

    Attributes:
        corpus: of the human stories; it says `context` and `delexicalize` for the metric, too.
        plots: the extractor, as the generator had it.
        share: of the stories, by hash, that the generator was trained on and that are left out here.
        generator: its folder, below the project's.
        sampling: how it writes.
        groups, validation_groups: of a human story and a generated one.
    """

    metric: Literal["discriminator"] = "discriminator"
    corpus: CorpusConfig
    plots: str
    share: float
    generator: str
    sampling: Sampling = field(default_factory=Sampling)
    groups: int
    validation_groups: int
    group_size: int = 2
    rank_weight: float = 0.0  # no ranking, no reasons: human or not
    kind_weight: float = 0.0
    token_weight: float = 0.0
