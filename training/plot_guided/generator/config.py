"""The configuration of the plot-to-story generator."""

from dataclasses import dataclass
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.backbone import SHARED
from openmeva.training.common.bounds import Count, Positive, Share
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.plot_guided.plots import check_extractor


@dataclass(frozen=True, kw_only=True)
class GeneratorConfig(TrainingConfig):
    """How a generator is trained.

    Attributes:
        corpus: source of the stories.
        plots: the plot extractor, or two of them joined by `+`.
        share: share of the stories, by hash, for training the generator; the rest is for negatives and classifiers.
        base: the backbone (see `training/common/backbone.py`): the shared encoder, of which some layers are used; a
            sequence-to-sequence model; or a causal language model, with the plot as the prefix of the text: a
            pretrained one, or one with the adapter in a folder of perplexity's weights.
        encoder_layers, decoder_layers: layers of the shared encoder to use, if it is the base.
        prose: whether plots and stories are prose ("Ann didn't swim."), which pretrained language models know better than
            normalised words. Names have to be in the corpus (`delexicalize: false`), and the base has to keep capitals.
        adapter: LoRA adapter, for other bases; null: all weights are trained.
        start: folder of a generator to initialise from.
        start_config: the configuration that trains `start` if it is missing.
        max_plot, max_story: maximum lengths in tokens.
        stories: stories seen in total.
        batch: stories per step.
    """

    metric: Literal["generator"] = "generator"
    corpus: CorpusConfig
    plots: str
    share: Share
    base: str = "encoder"
    encoder_layers: tuple[Count, ...] = ()
    decoder_layers: tuple[Count, ...] = ()
    prose: bool = False
    adapter: Adapter | None = None
    start: str | None = None
    start_config: str | None = None
    max_plot: Positive
    max_story: Positive
    stories: Count
    batch: Positive

    def __post_init__(self) -> None:
        check_extractor(self.plots)
        if self.prose and self.corpus.delexicalize:
            raise ValueError(
                "corpus: expected `delexicalize: false` with `prose: true`, got placeholders for names"
            )
        if self.prose and self.base == SHARED:
            raise ValueError(
                "base: expected a model that keeps capitals with `prose: true`, got the shared encoder"
            )
