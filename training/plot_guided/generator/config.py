"""The configuration of the plot-to-story generator."""

from dataclasses import dataclass
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class GeneratorConfig(TrainingConfig):
    """How a generator is trained.

    Attributes:
        corpus: of the stories.
        plots: the extractor, or two of them joined by `+`.
        share: of the stories, by hash, that it is trained on: the rest is for negatives and classifiers.
        base: the backbone (see `training/common/backbone.py`): the shared encoder, of which it takes some layers; a
            sequence-to-sequence model; or a language model, for which the plot is how the text begins, as it is or with
            the adapter of a folder of perplexity's weights.
        encoder_layers, decoder_layers: of the shared encoder, where that is the base.
        adapter: low-rank factors, of another base; null: all weights are trained.
        start: a generator's folder to go on from.
        start_config: makes that one where it is missing.
        max_plot, max_story: tokens.
        stories: seen in all.
        batch: stories a step.
    """

    metric: Literal["generator"] = "generator"
    corpus: CorpusConfig
    plots: str
    share: float
    base: str = "encoder"
    encoder_layers: tuple[int, ...] = ()
    decoder_layers: tuple[int, ...] = ()
    adapter: Adapter | None = None
    start: str | None = None
    start_config: str | None = None
    max_plot: int
    max_story: int
    stories: int
    batch: int
