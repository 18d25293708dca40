"""The loss of story classifiers."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.losses import classifier_loss, distillation_loss
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


def test_distillation_compares_known_logits_with_the_scaled_teacher() -> None:
    config = replace(ClassifierConfig(metric="x", name="x"), distillation_weight=0.5)
    teacher = torch.tensor([1.0, -2.0, torch.nan])  # times 1.5: 1.5 and -3
    story, tokens = torch.tensor([1.0, -1.0, 9.0]), torch.tensor([0.5, 0.0, 9.0])
    outputs = {"logits": story, "mean_token_logits": tokens}
    assert float(distillation_loss(None, outputs, {"teacher_logit": teacher}, config)) == pytest.approx(
        0.5 * ((0.25 + 4) / 2 + (1 + 9) / 2)
    )


def test_mean_token_logit_leaves_out_the_start_the_end_and_padding() -> None:
    model: Any = SimpleNamespace(
        tokens=True,
        encode=lambda ids, mask: ids.float(),
        score=lambda hidden: torch.zeros(len(hidden)),
        token_logits=lambda hidden: hidden,
    )
    batch = {
        "input_ids": torch.tensor([[9, 1, 3, 8], [9, 2, 8, 7]]),  # inner tokens: 1 and 3; 2
        "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]]),
        "labels": torch.tensor([1, 0]),
        "pairs": torch.zeros(0, 2),
        "teacher_logit": torch.zeros(2),
    }
    plain = ClassifierConfig(
        metric="x",
        name="x",
        label_weight=0.0,
        error_type_weight=0.0,
        token_weight=0.0,
        distillation_weight=1.0,
    )
    assert float(classifier_loss(model, batch, plain)[0]) == pytest.approx((2**2 + 2**2) / 2)
