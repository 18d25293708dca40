"""The loss of UNION."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from openmeva.metrics.union.modeling import IGNORED
from openmeva.training.classifier.losses import distillation_loss, projected_states
from openmeva.training.common.data_parallel import Share
from openmeva.training.union.config import UnionConfig


def union_loss(model: Any, inputs: dict[str, Tensor], config: UnionConfig) -> tuple[Tensor, Tensor]:
    """The loss of a batch of `UnionCollator` (equation 6), and the stories' logits (n,).

    With a teacher, the distillation loss is added to cross-entropy and reconstruction loss.

    Args:
        model: a `UnionModel`.
        inputs: the batch; stories without a label count only for the distillation loss.
        config: the weights.
    """
    share = Share.of(len(inputs["labels"]))
    hidden = model.encode(share(inputs["input_ids"]), share(inputs["attention_mask"]))
    own = {"logits": model.score(hidden)}
    if config.states_weight and "teacher_states" in inputs:
        count = inputs["teacher_states"].shape[1]
        own["states"] = projected_states(model, hidden, share(inputs["words"]), count)
    found = share.gathered(own)
    logits, labels = found["logits"], inputs["labels"].float()
    known = labels >= 0
    loss = logits.sum() * 0
    if known.any():
        loss = config.label_weight * F.binary_cross_entropy_with_logits(logits[known], labels[known])
    if config.reconstruction_weight:
        targets, weights = inputs["targets"], inputs["weights"]
        (total,) = share.summed(model.reconstruction_loss(hidden, share(targets), share(weights)))
        loss = loss + config.reconstruction_weight * (
            total / weights[targets != IGNORED].sum().clamp_min(1.0)
        )
    return loss + distillation_loss(model, found, inputs, config), logits
