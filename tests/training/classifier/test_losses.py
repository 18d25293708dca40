"""The loss of story classifiers."""

from typing import Any

import pytest
import torch
from torch.nn import functional as F

from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.losses import classifier_loss
from openmeva.training.common.config import config_file, read_config
from openmeva.training.plot_coherence.config import PlotCoherenceConfig

LABELS = torch.tensor([1, 0, 0, 0])
LOGITS = torch.tensor([0.3, -0.2, 0.8, 0.1])


class ConstantModel:
    """A model that gives the same logits to every batch."""

    tokens = None

    def encode(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return LOGITS

    def score(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden


def loss(config: ClassifierConfig) -> float:
    model: Any = ConstantModel()
    ids = torch.ones(4, 3, dtype=torch.long)
    batch = {"input_ids": ids, "attention_mask": ids, "labels": LABELS, "pairs": torch.zeros(0, 2)}
    return float(classifier_loss(model, batch, config)[0])


@pytest.mark.parametrize("name", ["roc_paper", "wp_paper"])
def test_paper_settings_use_plain_cross_entropy(name: str) -> None:
    config = read_config(PlotCoherenceConfig, config_file("plot_coherence", name))
    assert loss(config) == pytest.approx(float(F.binary_cross_entropy_with_logits(LOGITS, LABELS.float())))


def test_balanced_loss_weights_human_and_other_stories_equally() -> None:
    config = read_config(PlotCoherenceConfig, config_file("plot_coherence", "tables"))
    human, others = F.softplus(-LOGITS[:1]).sum(), F.softplus(LOGITS[1:]).sum()
    assert loss(config) == pytest.approx(float((3 * human + others) / 4))
