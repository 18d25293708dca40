"""RUBER-BERT's configuration."""

from dataclasses import dataclass
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class RuberConfig(TrainingConfig):
    """How RUBER-BERT's unreferenced part is trained.

    Attributes:
        corpus: of the stories.
        prompts: files whose rows have a prompt beside the story.
        base: the backbone: see `training/common/backbone.py`.
        encoder: `bert`, or `rnn`: a recurrent network over word vectors, the RUBER of 2018.
        pooling: of the encoder's states; of the frozen encoder that says which contexts are alike.
        hidden: width of the head.
        frozen: false: the encoder's adapter is trained, too.
        start: an adapter's folder; null: the encoder as it is.
        adapter: low-rank factors, which hold the start's.
        max_length: tokens of a text.
        pairs, validation_pairs: of a context and its story, at most.
        loss: of a story against others for the same context.
        margin: of the loss of that name.
        in_batch: stories of the same batch that a context is put beside.
        sampled: whether one more is drawn.
        nearest: from so many whose contexts are most alike; null: from all.
        passes: over the pairs.
        batch: pairs a step.
    """

    metric: Literal["ruber_bert"] = "ruber_bert"
    corpus: CorpusConfig
    prompts: tuple[str, ...] | None = None
    base: str = "encoder"
    encoder: Literal["bert", "rnn"] = "bert"
    pooling: Literal["max", "mean", "cls"] = "mean"
    hidden: int = 128
    frozen: bool = True
    start: str | None = None
    adapter: Adapter | None = None
    max_length: int = 512
    pairs: int = 12000
    validation_pairs: int = 1000
    loss: Literal["margin", "cross_entropy"] = "margin"
    margin: float = 0.5
    in_batch: int = 3
    sampled: int = 1
    nearest: int | None = None
    passes: int = 12
    batch: int = 64
