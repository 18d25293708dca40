"""The loss of UNION."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from openmeva.metrics.union.modeling import IGNORE_INDEX
from openmeva.training.classifier.losses import distillation_loss, projected_states
from openmeva.training.common.data_parallel import BatchShard
from openmeva.training.union.config import UnionConfig


def union_loss(model: Any, inputs: dict[str, Tensor], config: UnionConfig) -> tuple[Tensor, Tensor]:
    """The loss of a batch of `UnionCollator` (equation 6), and the stories' logits (n,).

    With a teacher, the distillation loss is added to cross-entropy and reconstruction loss.

    Args:
        model: a `UnionModel`.
        inputs: the batch; stories without a label count only for the distillation loss.
        config: the weights.
    """
    shard = BatchShard.for_batch(len(inputs["labels"]))
    hidden = model.encode(shard(inputs["input_ids"]), shard(inputs["attention_mask"]))
    shard_outputs = {"logits": model.score(hidden)}
    if config.states_weight and "teacher_states" in inputs:
        count = inputs["teacher_states"].shape[1]
        shard_outputs["states"] = projected_states(model, hidden, shard(inputs["words"]), count)
    outputs = shard.gather(shard_outputs)
    logits, labels = outputs["logits"], inputs["labels"].float()
    labelled = labels >= 0
    loss = logits.sum() * 0
    if labelled.any():
        loss = config.label_weight * F.binary_cross_entropy_with_logits(logits[labelled], labels[labelled])
    if config.reconstruction_weight:
        targets, weights = inputs["targets"], inputs["weights"]
        (total,) = shard.reduce_sum(model.reconstruction_loss(hidden, shard(targets), shard(weights)))
        loss = loss + config.reconstruction_weight * (
            total / weights[targets != IGNORE_INDEX].sum().clamp_min(1.0)
        )
    return loss + distillation_loss(model, outputs, inputs, config), logits
