"""UNION's configuration."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.classifier.config import Teacher
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.adapters import Adapter
from openmeva.training.common.bounds import Length, Positive, Seed, Share, Weight
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.negatives import UnionSampling


@dataclass(frozen=True, kw_only=True)
class UnionConfig(TrainingConfig):
    """Settings of UNION's training.

    Attributes:
        corpus: of the stories.
        sampling: of the negative samples; default: the paper's distributions (section 3.2).
        base: the backbone: see `training/common/backbone.py`.
        start: folder of the initial adapter.
        first: the configuration that is trained first if `start` does not exist.
        seeds: if set, one run per seed (instead of `seed`); their adapters are averaged (see `classifier/averaging.py`).
        start_share: share of the initial adapter in the weight average; 0: no averaging with it.
        draw_seed: seed for sampling stories and negative samples; null: `seed`. If set, runs with several seeds share a
            teacher's outputs.
        adapter: low-rank factors on the backbone; null: all weights are trained and saved.
        encoder_dropout: in the layers of a backbone other than the shared one; null: as in pretraining. 0 halves the time
            of a step on a CPU.
        max_length: maximum number of tokens per story in training.
        window: maximum number of tokens per forward pass in scoring; null: `max_length`.
        pairs: number of stories to train on, sampled at random, each with one negative sample. If there are fewer
            stories, they recur, with other negative samples.
        batch_pairs: pairs per step.
        validation_pairs: maximum number of held-out stories, each with a negative sample.
        targets: reconstruction target of a token: `origin`, the word of the human-written story that it comes from, so a
            moved sentence has itself as target; or `position`, as in equation 5, the token at the same position.
        reconstruction_mean: mean over the `tokens` of a batch, or, as in equations 5 and 6, over each story's tokens and
            then over the `stories`.
        reconstruction_weight: λ of equation 6.
        copied_share: share of the positions whose target equals the input that is trained on.
        teacher: a larger UNION whose logits are learned in addition to the labels.
        others: further stories for distillation, such as machine-generated ones; their labels are not used.
        epochs: number of passes over the pairs and the others, with a teacher.
        label_weight: loss weight of the cross-entropy, human-written against negative.
        distillation_weight: loss weight of the teacher's logits.
        states_weight: loss weight of the teacher's hidden states, word by word (see `classifier/hidden_states.py`); 0: not used.
        note: text for the model card.
    """

    metric: Literal["union"] = "union"
    corpus: CorpusConfig
    sampling: UnionSampling = field(default_factory=UnionSampling)
    base: str = "encoder"
    start: str | None = None
    first: str | None = None
    seeds: tuple[Seed, ...] = ()
    start_share: Share = 0.0
    draw_seed: Seed | None = None
    adapter: Adapter | None = field(default_factory=Adapter)
    encoder_dropout: Share | None = None
    max_length: Length = 512
    window: Length | None = None
    pairs: Positive
    batch_pairs: Positive = 16
    validation_pairs: Positive = 1000
    targets: Literal["origin", "position"] = "origin"
    reconstruction_mean: Literal["tokens", "stories"] = "tokens"
    reconstruction_weight: Weight = 0.1
    copied_share: Share = 0.15
    teacher: Teacher | None = None
    others: RowsConfig | None = None
    epochs: Positive = 1
    label_weight: Weight = 1.0
    distillation_weight: Weight = 0.0
    states_weight: Weight = 0.0
    note: str | None = None

    def __post_init__(self) -> None:
        self.check_loss("label_weight", "reconstruction_weight", "distillation_weight", "states_weight")
