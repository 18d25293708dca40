"""The loss of story classifiers."""

from typing import Any, Protocol

from torch import Tensor
from torch.nn import functional as F

from openmeva.training.classifier.config import ClassifierConfig
from openmeva.training.classifier.hidden_states import word_states
from openmeva.training.common.data_parallel import BatchShard

TEACHER_DEVIATION = 1.5  # the teacher's logits are scaled to this standard deviation


class DistillationWeights(Protocol):
    """Loss weights of a teacher's logits and hidden states."""

    @property
    def distillation_weight(self) -> float: ...
    @property
    def states_weight(self) -> float: ...


def classifier_loss(model: Any, inputs: dict[str, Tensor], config: ClassifierConfig) -> tuple[Tensor, Tensor]:
    """The loss (a scalar) of a batch of `GroupCollator`, and the stories' logits (n,).

    The loss is the sum, with the configuration's weights, of:
    - cross-entropy of human-written against negative; if `balanced`, both classes have the same total weight;
    - -log sigmoid of the difference of logits, for each ordered pair of a group;
    - cross-entropy of each error type and of each token (original or corrupted), where known;
    - squared error between the teacher's logit and the story's logit, and also the mean of its tokens' logits if the model
      has a token head;
    - squared error between the teacher's standardised hidden states and the student's projected ones.
    """
    outputs = _head_outputs(model, inputs, config)
    logits = outputs["logits"]
    labels = inputs["labels"].float()
    human = labels.sum().clamp_min(1.0)
    weight = (len(labels) - human).clamp_min(1.0) / human if config.balanced else None
    loss = config.label_weight * F.binary_cross_entropy_with_logits(logits, labels, pos_weight=weight)
    pairs = inputs["pairs"]
    if config.rank_weight and len(pairs):
        loss = loss + config.rank_weight * F.softplus(logits[pairs[:, 1]] - logits[pairs[:, 0]]).mean()
    if config.error_type_weight:
        loss = loss + config.error_type_weight * _known_targets_loss(
            outputs["error_types"], inputs["error_types"]
        )
    if config.token_weight:
        loss = loss + config.token_weight * _known_targets_loss(
            outputs["token_labels"], inputs["token_labels"]
        )
    return loss + distillation_loss(model, outputs, inputs, config), logits


def distillation_loss(
    model: Any, outputs: dict[str, Tensor], inputs: dict[str, Tensor], config: DistillationWeights
) -> Tensor:
    """The distillation loss (a scalar), with the configuration's weights.

    Args:
        model: the student, with a `projection` if hidden states are distilled.
        outputs: the student's `logits` (n,), optionally `mean_token_logits` (n,) and projected `states` (n, words, width).
        inputs: the batch: `teacher_logit` (n,), and with `states` also `teacher_states` and `states_known`.
        config: the weights.
    """
    loss = outputs["logits"].sum() * 0
    if config.distillation_weight:
        known = ~inputs["teacher_logit"].isnan()
        for name in ("logits", "mean_token_logits") if known.any() else ():
            if name in outputs:
                loss = loss + config.distillation_weight * F.mse_loss(
                    outputs[name][known], inputs["teacher_logit"][known] * TEACHER_DEVIATION
                )
    if config.states_weight and "states" in outputs:
        known = inputs["states_known"]
        targets = model.projection.standardised(inputs["teacher_states"])
        loss = loss + config.states_weight * F.mse_loss(outputs["states"].float()[known], targets[known])
    return loss


def projected_states(model: Any, hidden: Tensor, words: Tensor, count: int) -> Tensor:
    """The student's hidden states (n, tokens, width), projected to the teacher's states (n, count, teacher width)."""
    projected: Tensor = model.projection(word_states(hidden, words, count))
    return projected


def _head_outputs(model: Any, inputs: dict[str, Tensor], config: ClassifierConfig) -> dict[str, Tensor]:
    """The heads' outputs for the batch: `logits`, and `error_types`, `token_labels`, `mean_token_logits`, `states` if the loss uses them."""
    shard = BatchShard.for_batch(len(inputs["input_ids"]))
    mask = shard(inputs["attention_mask"])
    hidden = model.encode(shard(inputs["input_ids"]), mask)
    outputs = {"logits": model.score(hidden)}
    if config.error_type_weight:
        outputs["error_types"] = model.error_type_logits(hidden)
    if config.token_weight:
        outputs["token_labels"] = model.token_logits(hidden)
    if config.distillation_weight and model.tokens is not None:
        outputs["mean_token_logits"] = _mean_token_logits(model.token_logits(hidden), mask)
    if config.states_weight and "teacher_states" in inputs:
        count = inputs["teacher_states"].shape[1]
        outputs["states"] = projected_states(model, hidden, shard(inputs["words"]), count)
    return shard.gather(outputs)


def _mean_token_logits(logits: Tensor, mask: Tensor) -> Tensor:
    """The mean of each story's token logits (n,), without the start and end tokens."""
    inner = mask.clone()
    inner[:, 0] = 0
    inner.scatter_(1, mask.sum(1, keepdim=True) - 1, 0)
    return (logits * inner).sum(1) / inner.sum(1).clamp_min(1)


def _known_targets_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean cross-entropy over the known targets; 0 if there are none."""
    known = targets >= 0
    return (
        F.binary_cross_entropy_with_logits(logits[known], targets[known]) if known.any() else logits.sum() * 0
    )
