"""The configuration of graded groups, as trainers' configurations list it under `graded`."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from openmeva.training.common.bounds import Count, Positive
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.graded.sampling import GradedSampling
from openmeva.training.negatives import UnionSampling


@dataclass(frozen=True, kw_only=True)
class GradedCorpus:
    """Groups of graded negative samples of one corpus: a human story and versions with increasing corruption.

    Attributes:
        name: part of the groups' file names.
        corpus: source of the stories.
        sampling: how the stories are corrupted.
        stories, validation_stories: number of groups in each split.
        pool: number of stories that are searched for nearest neighbours.
        paraphrase_stories: number of stories of the pool that supply near-paraphrases of sentences.
        rules: settings of UNION's sampler that differ from the paper's.
        groups: number of training groups, sampled at random from these; null: all.
    """

    name: str
    corpus: CorpusConfig
    sampling: GradedSampling = field(default_factory=GradedSampling)
    stories: Count
    validation_stories: Count
    pool: Positive
    paraphrase_stories: Count
    rules: UnionSampling | None = None
    groups: Positive | None = None


GradedSettings = Annotated[dict[str, Any], GradedCorpus]
"""Validated, but kept as a mapping as written in the configuration: it identifies the stage."""
