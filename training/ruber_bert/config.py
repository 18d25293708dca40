"""RUBER-BERT's configuration."""

from dataclasses import dataclass
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.bounds import Count, Length, Positive, Weight
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig


@dataclass(frozen=True, kw_only=True)
class RuberConfig(TrainingConfig):
    """How RUBER-BERT's unreferenced part is trained.

    Attributes:
        corpus: source of the stories.
        prompts: files whose rows have a prompt in addition to the story.
        base: the backbone: see `training/common/backbone.py`.
        encoder: `bert`, or `rnn`: a recurrent network over word vectors, the RUBER of 2018.
        pooling: pooling of the encoder's states; similar contexts are always found by mean pooling.
        hidden: width of the head.
        frozen: whether the encoder is frozen; false: its adapter is trained, too.
        start: folder of an initial adapter; null: the encoder without one.
        adapter: LoRA adapter, which must hold the initial one.
        max_length: maximum length of a text in tokens.
        pairs, validation_pairs: maximum number of pairs of a context and its story.
        loss: loss of a story against others for the same context.
        margin: margin of the `margin` loss.
        in_batch: number of in-batch negatives per context.
        sampled: number of additional sampled negatives per context, 0 or 1.
        nearest: sample negatives from the stories of this many nearest contexts; null: from all.
        epochs: number of passes over the pairs.
        batch: pairs per step.
    """

    metric: Literal["ruber_bert"] = "ruber_bert"
    corpus: CorpusConfig
    prompts: tuple[str, ...] | None = None
    base: str = "encoder"
    encoder: Literal["bert", "rnn"] = "bert"
    pooling: Literal["max", "mean", "cls"] = "mean"
    hidden: Positive = 128
    frozen: bool = True
    start: str | None = None
    adapter: Adapter | None = None
    max_length: Length = 512
    pairs: Positive = 12000
    validation_pairs: Positive = 1000
    loss: Literal["margin", "cross_entropy"] = "margin"
    margin: Weight = 0.5
    in_batch: Count = 3
    sampled: Count = 1
    nearest: Count | None = None
    epochs: Positive = 12
    batch: Positive = 64

    def __post_init__(self) -> None:
        if self.sampled > 1:
            raise ValueError(f"sampled: expected 0 or 1, got {self.sampled}")
        if not self.in_batch and not self.sampled:
            raise ValueError("in_batch, sampled: expected one above 0, got 0 for both")
        if self.encoder == "bert" and not self.frozen and not self.adapter:
            raise ValueError("adapter: expected its rank with frozen: false, got null")
        if self.in_batch >= self.batch:
            raise ValueError(f"in_batch: expected less than the batch of {self.batch}, got {self.in_batch}")
        if self.nearest and not self.sampled:
            raise ValueError(f"nearest: expected null with sampled: 0, got {self.nearest}")
        if self.encoder == "rnn" and self.adapter:
            raise ValueError(f"adapter: expected null with the encoder rnn, got {self.adapter}")
