"""Cross-entropy over a vocabulary, some rows at a time, with the gradient computed in the forward pass."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from openmeva.training.common.data_parallel import BatchShard

ROWS = 128


class _VocabularyLoss(torch.autograd.Function):
    """Sum of cross-entropies; forward also computes the gradients, so no logits are stored for backward."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, dtype: torch.dtype, rows: int
    ) -> Tensor:
        table = weight.to(dtype)
        total = torch.zeros((), dtype=torch.float32, device=hidden.device)
        with torch.autocast(hidden.device.type, enabled=False):
            needed = ctx.needs_input_grad
            hidden_gradient = torch.empty_like(hidden) if needed[0] else None
            weight_gradient = torch.zeros_like(weight, dtype=torch.float32) if needed[1] else None
            bias_gradient = torch.zeros_like(bias, dtype=torch.float32) if needed[2] else None
            for start in range(0, len(targets), rows):
                inputs, target = hidden[start : start + rows].to(dtype), targets[start : start + rows, None]
                logits = (inputs @ table.T).float() + bias.float()
                norm = logits.logsumexp(-1, keepdim=True)
                total += (norm - logits.gather(1, target)).sum()
                if not any(needed):
                    continue
                logits.sub_(norm).exp_()  # probabilities; below, their gradient: p - 1 at the target
                logits.scatter_add_(1, target, -torch.ones_like(norm))
                if bias_gradient is not None:
                    bias_gradient += logits.sum(0)
                gradient = logits.to(dtype)
                if hidden_gradient is not None:
                    hidden_gradient[start : start + rows] = (gradient @ table).to(hidden.dtype)
                if weight_gradient is not None:
                    weight_gradient += (gradient.T @ inputs).float()
        ctx.save_for_backward(hidden_gradient, weight_gradient, bias_gradient)
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        scale = gradients[0]
        scaled = [None if tensor is None else tensor * scale.to(tensor.dtype) for tensor in ctx.saved_tensors]
        return (*scaled, None, None, None)


def vocabulary_loss(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor,
    targets: Tensor,
    dtype: torch.dtype = torch.float32,
    rows: int = ROWS,
) -> Tensor:
    """Sum of cross-entropies in nats, without all (n, vocabulary) logits in memory at once.

    Args:
        hidden: (n, width), the inputs of the output layer.
        weight: (vocabulary, width).
        bias: (vocabulary,).
        targets: (n,) token ids.
        dtype: dtype of the matrix products; sums are float32.
        rows: number of rows whose logits are in memory at once.
    """
    return _VocabularyLoss.apply(hidden, weight, bias, targets, dtype, rows)


def next_token_loss(model: Any, ids: Tensor, mask: Tensor) -> Tensor:
    """Mean loss in nats of the tokens (n, tokens) after the first, given the tokens before; `mask` is 1 at tokens.

    Padding is on the right, where the causal mask hides it. If several processes share a batch, each reads its shard.
    """
    shard = BatchShard.for_batch(len(ids))
    (total,) = shard.reduce_sum(_total_loss(model, shard(ids), shard(mask)))
    return total / int(mask[:, 1:].sum())


def _total_loss(model: Any, ids: Tensor, mask: Tensor) -> Tensor:
    if not hasattr(model, "bert"):  # a third-party model
        is_target = mask[:, 1:].bool()
        logits = model(ids, attention_mask=mask, use_cache=False).logits[:, :-1]
        return F.cross_entropy(logits[is_target].float(), ids[:, 1:][is_target], reduction="sum")
    hidden = model.bert(ids, use_cache=False).last_hidden_state[:, :-1]
    is_target = mask[:, 1:].bool()
    hidden = model.cls.predictions.transform(hidden[is_target])
    # autocast leaves the output of layer norm in float32, so the output layer would also run in float32
    narrow = torch.is_autocast_enabled(ids.device.type)
    return vocabulary_loss(
        hidden,
        model.bert.embeddings.word_embeddings.weight,
        model.cls.predictions.bias,
        ids[:, 1:][is_target],
        dtype=torch.get_autocast_dtype(ids.device.type) if narrow else torch.float32,
    )
