"""SENTAVG's configuration."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.classifier.rows_config import RowsConfig
from openmeva.training.common.bounds import Positive, Rate


@dataclass(frozen=True)
class SentAvgSettings:
    """Settings of the baseline's training.

    Attributes:
        hidden: number of hidden units.
        epochs: over the stories.
        batch: stories per step.
        learning_rate: of Adam.
        tokens_per_sentence: maximum number of tokens per sentence.
        sentences: maximum number of sentences per story.
    """

    hidden: Positive = 128
    epochs: Positive = 3
    batch: Positive = 64
    learning_rate: Rate = 1e-3
    tokens_per_sentence: Positive = 50
    sentences: Positive = 60


@dataclass(frozen=True, kw_only=True)
class SentAvgConfig(RowsConfig):
    """SENTAVG's configuration: the training rows and the settings.

    Attributes:
        name: of the configuration.
        context: how the metric uses contexts: `first_sentence`, `prompt` or `auto`.
        delexicalize: names are always replaced by placeholders, whose vectors are means over names.
        glove: a file of GloVe vectors, as in the paper (`glove.6B.300d.txt`); an absolute path or relative to the data
            folder; null: the shared encoder's word vectors.
        settings: of the training.
    """

    metric: Literal["sentavg"] = "sentavg"
    name: str
    context: Literal["first_sentence", "prompt", "auto"] = "first_sentence"
    delexicalize: Literal[True] = True
    glove: str | None = None
    settings: SentAvgSettings = field(default_factory=SentAvgSettings)
