"""The configuration of graded groups, as trainers' configurations list it under `graded`."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.graded.sampling import GradedSampling
from openmeva.training.negatives import UnionSampling


@dataclass(frozen=True, kw_only=True)
class GradedCorpus:
    """Groups of one corpus whose stories are damaged more and more.

    Attributes:
        name: of the groups' files.
        corpus: of the stories.
        sampling: how they are damaged.
        stories, validation_stories: how many groups of each split.
        pool: how many stories neighbours come from.
        alike_stories: how many of them lend sentences that say the same again.
        rules: where UNION's sampling differs from the paper's.
        groups: of these, drawn at random: what is trained on; null: all.
    """

    name: str
    corpus: CorpusConfig
    sampling: GradedSampling = field(default_factory=GradedSampling)
    stories: int
    validation_stories: int
    pool: int
    alike_stories: int
    rules: UnionSampling | None = None
    groups: int | None = None


GradedSettings = Annotated[dict[str, Any], GradedCorpus]
"""Checked, and kept as it is written: it names the stage."""
