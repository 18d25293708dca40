"""RUBER's loss."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from openmeva.training.ruber_bert.config import RuberConfig


def relatedness_loss(model: Any, inputs: dict[str, Any], config: RuberConfig) -> Tensor:
    """The loss of a batch of contexts, stories and sampled negatives (vectors, or tokens to encode).

    `margin`: the mean of max(0, margin - s⁺ + s⁻), s the sigmoid of the head's logits (Tao et al., equation 5).
    `cross_entropy`: that the true pair is 1 and the others 0, each kind with half the weight.
    """
    contexts, stories, sampled = (
        _vectors(model, inputs[name]) for name in ("contexts", "stories", "sampled")
    )
    true = model.head(contexts, stories).float()
    others = [model.head(contexts, sampled).float()] if config.sampled else []
    shifts = min(config.in_batch, len(stories) - 1)
    others += [model.head(contexts, stories.roll(shift, 0)).float() for shift in range(1, shifts + 1)]
    if not others:  # a batch of one, with nothing sampled
        return 0.0 * true.sum()
    false = torch.stack(others)
    if config.loss == "margin":
        return F.relu(config.margin - torch.sigmoid(true) + torch.sigmoid(false)).mean()
    return (F.softplus(-true).mean() + F.softplus(false).mean()) / 2


def _vectors(model: Any, inputs: Any) -> Tensor:
    return (
        model.encode(inputs["input_ids"], inputs["attention_mask"])[0] if isinstance(inputs, dict) else inputs
    )
