"""UNION's configuration."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.classifier.config import Teacher
from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.adapters import Adapter
from openmeva.training.common.trainer import TrainingConfig
from openmeva.training.corpora.splits import CorpusConfig
from openmeva.training.negatives import UnionSampling


@dataclass(frozen=True, kw_only=True)
class UnionConfig(TrainingConfig):
    """How UNION is trained.

    Attributes:
        corpus: of the stories.
        sampling: of the negative samples; the paper's distributions (section 3.2) unless told.
        base: the backbone: see `training/common/backbone.py`.
        start: an adapter's folder to go on from.
        first: the configuration that is trained where `start` is not there yet.
        seeds: where given, one training with each in `seed`'s place, whose adapters are averaged (see `classifier/averaging.py`).
        start_share: of the mean of the adapters and of what they go on from; 0: that is not in it.
        draw_seed: of the stories drawn and their negative samples, where it is not `seed`: so runs of several seeds share a
            teacher's judgments.
        adapter: low-rank factors on the backbone; null: all weights are trained and saved.
        encoder_dropout: of the layers of another backbone than the shared one; null: as it was pretrained. Without any, a
            step takes half the time on a processor.
        max_length: tokens of a story that are read in training.
        window: tokens scored at once, where not `max_length`.
        pairs: stories seen, drawn at random, each with one negative sample.
        batch_pairs: of them in a step.
        validation_pairs: at most so many held-out stories are judged, each with a negative sample.
        targets: what the reconstruction of a word is: `origin`, the word of the human story that it comes from, so that
            a moved sentence has itself, or `position`, as in equation 5 the token that stood at its place, so that a moved
            sentence has the one that was there.
        reconstruction_mean: over the `tokens` of a batch, or, as in equations 5 and 6, over each story's and then over
            the `stories`.
        reconstruction_weight: λ of equation 6.
        copied_share: of the positions that only copy, this many are trained on.
        teacher: a larger UNION, whose judgments are learned beside the labels.
        others: more stories that the teacher judges, such as machines'; their labels are not learned.
        passes: over the pairs and the others, where there is a teacher.
        label_weight: of cross-entropy, human against negative sample.
        distillation_weight: of the teacher's judgments.
        states_weight: of the teacher's hidden states, word by word (see `classifier/states.py`); 0: without them.
        note: for the card.
    """

    metric: Literal["union"] = "union"
    corpus: CorpusConfig
    sampling: UnionSampling = field(default_factory=UnionSampling)
    base: str = "encoder"
    start: str | None = None
    first: str | None = None
    seeds: tuple[int, ...] = ()
    start_share: float = 0.0
    draw_seed: int | None = None
    adapter: Adapter | None = field(default_factory=Adapter)
    encoder_dropout: float | None = None
    max_length: int = 512
    window: int | None = None
    pairs: int
    batch_pairs: int = 16
    validation_pairs: int = 1000
    targets: Literal["origin", "position"] = "origin"
    reconstruction_mean: Literal["tokens", "stories"] = "tokens"
    reconstruction_weight: float = 0.1
    copied_share: float = 0.15
    teacher: Teacher | None = None
    others: RowsConfig | None = None
    passes: int = 1
    label_weight: float = 1.0
    distillation_weight: float = 0.0
    states_weight: float = 0.0
    note: str | None = None
