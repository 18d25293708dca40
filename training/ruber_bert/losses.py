"""RUBER's loss."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from openmeva.training.common.data_parallel import BatchShard
from openmeva.training.ruber_bert.config import RuberConfig


def relatedness_loss(model: Any, inputs: dict[str, Any], config: RuberConfig) -> Tensor:
    """The loss of a batch of contexts, stories and sampled negatives (vectors, or tokens to encode).

    `margin`: the mean of max(0, margin - s⁺ + s⁻), s the sigmoid of the head's logits (Tao et al., equation 5).
    `cross_entropy`: binary cross-entropy, with label 1 for the true pair and 0 for the others; each class has weight 0.5.
    """
    true, *negatives = _relatedness_logits(model, inputs, config)
    if not negatives:  # a batch of one pair without a sampled negative
        return 0.0 * true.sum()
    false = torch.stack(negatives)
    if config.loss == "margin":
        return F.relu(config.margin - torch.sigmoid(true) + torch.sigmoid(false)).mean()
    return (F.softplus(-true).mean() + F.softplus(false).mean()) / 2


def _relatedness_logits(model: Any, inputs: dict[str, Any], config: RuberConfig) -> Iterable[Tensor]:
    """Logits (n,) of contexts with their own stories, with sampled ones, and with in-batch negatives.

    If several processes share the batch, each reads its contexts, and all stories that they are compared with.
    """
    count = len(_ids(inputs["contexts"]))
    shard = BatchShard.for_batch(count)
    shard_rows = shard(torch.arange(count))
    shifts = range(1, min(config.in_batch, count - 1) + 1)
    negative_rows = [(shard_rows - shift) % count for shift in shifts]
    needed = torch.cat([shard_rows, *negative_rows]).unique()
    contexts, stories, sampled = (
        _vectors(model, inputs[name], rows)
        for name, rows in (("contexts", shard_rows), ("stories", needed), ("sampled", shard_rows))
    )
    logits = [model.head(contexts, stories[torch.searchsorted(needed, shard_rows)])]
    if config.sampled:
        logits.append(model.head(contexts, sampled))
    logits += [model.head(contexts, stories[torch.searchsorted(needed, rows)]) for rows in negative_rows]
    return shard.gather(dict(enumerate(column.float() for column in logits))).values()


def _ids(texts: Tensor | dict[str, Tensor]) -> Tensor:
    return texts["input_ids"] if isinstance(texts, dict) else texts


def _vectors(model: Any, texts: Tensor | dict[str, Tensor], rows: Tensor) -> Tensor:
    """Vectors (rows, width) of some texts of a batch: precomputed features, or encoded tokens."""
    if isinstance(texts, dict):
        vectors: Tensor = model.encode(texts["input_ids"][rows], texts["attention_mask"][rows])[0]
        return vectors
    return texts[rows]
