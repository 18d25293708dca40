"""SENTAVG's configuration."""

from dataclasses import dataclass, field
from typing import Literal

from openmeva.training.classifier.rows_config import RowsConfig


@dataclass(frozen=True)
class SentAvgSettings:
    """How the baseline is trained.

    Attributes:
        hidden: units.
        epochs: over the stories.
        batch: stories a step.
        learning_rate: of Adam.
        words_a_sentence: tokens of a sentence that are read.
        sentences: of a story that are read.
    """

    hidden: int = 128
    epochs: int = 3
    batch: int = 64
    learning_rate: float = 1e-3
    words_a_sentence: int = 50
    sentences: int = 60


@dataclass(frozen=True, kw_only=True)
class SentAvgConfig(RowsConfig):
    """How SENTAVG is trained: on which rows, and the settings.

    Attributes:
        name: of the configuration.
        context: how the metric reads contexts: `first_sentence`, `prompt` or `auto`.
        delexicalize: names always become placeholders, whose vectors are the means of names.
        glove: a file of GloVe's vectors, as the paper has them (`glove.6B.300d.txt`), below the data folder or anywhere;
            null: the shared encoder's word vectors.
        settings: of the training.
    """

    metric: Literal["sentavg"] = "sentavg"
    name: str
    context: Literal["first_sentence", "prompt", "auto"] = "first_sentence"
    delexicalize: Literal[True] = True
    glove: str | None = None
    settings: SentAvgSettings = field(default_factory=SentAvgSettings)
