"""The configuration of story classifiers."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.common.adapters import Adapter
from openmeva.training.common.trainer import TrainingConfig


@dataclass(frozen=True, kw_only=True)
class Teacher:
    """A larger classifier whose judgments are learned beside the labels.

    Attributes:
        weights: its folder.
        config: its configuration, by which it is trained where it is not there; null: the weights are taken as they are.
        processes: that judge at the same time.
        live: whether it judges each batch as the student learns it, and not all rows beforehand: nothing is written, which
            of 100,000 stories' hidden states would be some ten gigabytes, but a second pass judges anew. For a GPU.
    """

    weights: str
    config: str | None = None
    processes: int = 1
    live: bool = False


@dataclass(frozen=True, kw_only=True)
class ClassifierConfig(TrainingConfig):
    """How a story classifier is trained.

    Attributes:
        delexicalize: whether names become placeholders.
        context: how the metric reads contexts: `first_sentence`, `prompt` or `auto`.
        base: the backbone: see `training/common/backbone.py`.
        start: a checkpoint's folder whose adapter the training goes on from; its rank is that of `adapter` or a lower one.
        adapter: low-rank factors on the backbone; null: all weights are trained and saved.
        max_length: tokens of a story that are read in training.
        window: tokens scored at once, where not `max_length`.
        shorter_window: tokens of a second reading by parts.
        readings: which score counts of a story that is read by both windows: the `lower` one or the `mean`.
        group_size: stories of a group that are seen at a time, the human one among them.
        batch_groups: groups in a step.
        passes: over the groups.
        dropout: before the heads, and of the shared encoder's layers.
        encoder_dropout: of the layers of another backbone; null: as it was pretrained. Without any, a step takes half the
            time on a processor.
        frozen_layers: the lowest layers, which keep the start's adapter.
        label_weight: of cross-entropy, human against other.
        balanced: whether human stories and others weigh as much as a whole; false: plain cross-entropy.
        rank_weight: of the ranking within a group.
        kind_weight: of the head that names kinds of error; 0: without it.
        token_weight: of the head that judges tokens; 0: without it.
        token_share: of the score that its tokens have, beside the story as a whole.
        distillation_weight: of the teacher's judgments.
        states_weight: of the teacher's hidden states, word by word (see `states.py`); 0: without them.
    """

    learning_rate: float = 4.0e-4
    delexicalize: bool = True
    context: Literal["first_sentence", "prompt", "auto"] = "first_sentence"
    base: str = "encoder"
    start: str | None = None
    adapter: Adapter | None = field(default_factory=Adapter)
    max_length: int = 128
    window: int | None = None
    shorter_window: int | None = None
    readings: Literal["lower", "mean"] = "lower"
    group_size: int = 4
    batch_groups: int = 8
    passes: int = 1
    dropout: float = 0.0
    encoder_dropout: float | None = None
    frozen_layers: int = 0
    label_weight: float = 1.0
    balanced: bool = True
    rank_weight: float = 1.0
    kind_weight: float = 0.1
    token_weight: float = 0.5
    token_share: float = 0.0
    distillation_weight: float = 0.0
    states_weight: float = 0.0
