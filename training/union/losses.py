"""The loss of UNION."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from openmeva.metrics.union.modeling import IGNORED
from openmeva.training.common.sharing import Share


def union_loss(model: Any, inputs: dict[str, Tensor], reconstruction_weight: float) -> tuple[Tensor, Tensor]:
    """The loss of a batch of `UnionCollator` (equation 6), and the stories' logits (n,).

    Args:
        model: a `UnionModel`.
        inputs: the batch.
        reconstruction_weight: λ of equation 6.
    """
    share = Share.of(len(inputs["labels"]))
    names = ["input_ids", "attention_mask"]
    if reconstruction_weight:
        names += ["targets", "weights"]
    output = model(**{name: share(inputs[name]) for name in names})
    logits = share.gathered({"logits": output["logits"]})["logits"]
    loss = F.binary_cross_entropy_with_logits(logits, inputs["labels"].float())
    if reconstruction_weight:
        (total,) = share.summed(output["reconstruction"])
        weights = inputs["weights"][inputs["targets"] != IGNORED]
        loss = loss + reconstruction_weight * (total / weights.sum().clamp_min(1.0))
    return loss, logits
