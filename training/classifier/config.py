"""The configuration of story classifiers."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.bounds import Count, Length, Positive, Rate, Several, Share, Weight
from openmeva.training.common.trainer import TrainingConfig


@dataclass(frozen=True, kw_only=True)
class Teacher:
    """The teacher of a knowledge distillation: a larger classifier whose logits are learned in addition to the labels.

    Attributes:
        weights: folder of its weights.
        config: the configuration that trains it if the weights are missing; null: the weights must exist.
        processes: number of parallel scoring processes.
        live: whether it scores each training batch, instead of all rows beforehand. Nothing is stored (the hidden states
            of 100,000 stories take about 10 GB), but every epoch scores again. For a GPU.
    """

    weights: str
    config: str | None = None
    processes: Positive = 1
    live: bool = False


@dataclass(frozen=True, kw_only=True)
class ClassifierConfig(TrainingConfig):
    """Settings of a story classifier's training.

    Attributes:
        delexicalize: whether names are replaced by placeholders.
        context: how the metric uses contexts: `first_sentence`, `prompt` or `auto`.
        base: the backbone: see `training/common/backbone.py`.
        start: folder of the checkpoint whose adapter initialises this one; its rank must not exceed that of `adapter`.
        adapter: low-rank factors on the backbone; null: all weights are trained and saved.
        max_length: maximum number of tokens per story in training.
        window: maximum number of tokens per forward pass in scoring; null: `max_length`.
        shorter_window: window size, in tokens, of a second scoring pass over long stories.
        readings: how the scores of the two passes are combined: the `lower` one or their `mean`.
        repetition_weight: what repetition over the whole story costs the score (`metrics/core/repetition.py`); 0: nothing.
        group_size: stories sampled per group, including the human-written one.
        batch_groups: groups per step.
        epochs: number of passes over the groups.
        dropout: before the heads, and in the shared encoder's layers.
        encoder_dropout: in the layers of another backbone; null: as in pretraining. 0 halves the time of a step on a CPU.
        frozen_layers: number of lowest layers whose adapter stays as in `start`.
        label_weight: loss weight of the cross-entropy, human-written against negative.
        balanced: whether both classes have the same total weight; false: plain cross-entropy.
        rank_weight: loss weight of the ranking within a group.
        error_type_weight: loss weight of the head that predicts error types; 0: no such head.
        token_weight: loss weight of the head that detects corrupted tokens; 0: no such head.
        token_share: weight of the token head in the score, 0 to 1; the story-level logit has the rest.
        distillation_weight: loss weight of the teacher's logits.
        states_weight: loss weight of the teacher's hidden states, word by word (see `hidden_states.py`); 0: not used.
    """

    learning_rate: Rate = 4.0e-4
    delexicalize: bool = True
    context: Literal["first_sentence", "prompt", "auto"] = "first_sentence"
    base: str = "encoder"
    start: str | None = None
    adapter: Adapter | None = field(default_factory=Adapter)
    max_length: Length = 128
    window: Length | None = None
    shorter_window: Length | None = None
    readings: Literal["lower", "mean"] = "lower"
    repetition_weight: Weight = 0.0
    group_size: Several = 4
    batch_groups: Positive = 8
    epochs: Positive = 1
    dropout: Share = 0.0
    encoder_dropout: Share | None = None
    frozen_layers: Count = 0
    label_weight: Weight = 1.0
    balanced: bool = True
    rank_weight: Weight = 1.0
    error_type_weight: Weight = 0.1
    token_weight: Weight = 0.5
    token_share: Share = 0.0
    distillation_weight: Weight = 0.0
    states_weight: Weight = 0.0

    def __post_init__(self) -> None:
        self.check_loss(
            "label_weight",
            "rank_weight",
            "error_type_weight",
            "token_weight",
            "distillation_weight",
            "states_weight",
        )
        if self.token_share and not self.token_weight:
            raise ValueError(f"token_share: expected 0 without a token_weight, got {self.token_share}")
        longest = self.window or self.max_length
        if self.shorter_window and self.shorter_window >= longest:
            raise ValueError(
                f"shorter_window: expected less than {longest}, the {'window' if self.window else 'max_length'}, "
                f"got {self.shorter_window}"
            )
