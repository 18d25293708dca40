"""Data parallelism in which a step equals the step of a single process.

Every process gets the whole batch, runs the model on its share of the rows, gathers the outputs of the other processes
and computes the loss of all rows. The model is called through its `forward` (`call_in_forward`), so that
`DistributedDataParallel` averages the gradients.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed
from torch.nn.parallel import DistributedDataParallel

from openmeva.training.processes import rank, world_size

Name = TypeVar("Name")
Result = TypeVar("Result")


@dataclass(frozen=True)
class BatchShard:
    """The rows of a batch that this process runs; all rows if it is the only process.

    Attributes:
        shards: rows of each process.
        index: of this process's shard.
    """

    shards: list[range]
    index: int

    @classmethod
    def for_batch(cls, rows: int) -> "BatchShard":
        """The shards of a batch with this number of rows."""
        ends = [rows * number // world_size() for number in range(world_size() + 1)]
        return cls([range(*pair) for pair in pairwise(ends)], rank())

    @property
    def rows(self) -> slice:
        """The rows of the shard; if it is empty, the first row, because a model needs at least one."""
        mine = self.shards[self.index]
        return slice(mine.start, mine.stop) if mine else slice(0, 1)

    def __call__(self, batch: Tensor) -> Tensor:
        """The shard's rows of a tensor (rows, …)."""
        return batch[self.rows]

    def gather(self, outputs: Mapping[Name, Tensor]) -> dict[Name, Tensor]:
        """Gathers tensors (rows, …) of the whole batch from the shards; gradients flow back to the shards."""
        if len(self.shards) == 1:
            return dict(outputs)
        return dict(zip(outputs, _Gather.apply(self, *outputs.values()), strict=True))

    def reduce_sum(self, *values: Tensor) -> tuple[Tensor, ...]:
        """Sums scalars () over all shards; gradients flow back to the shards."""
        if len(self.shards) == 1:
            return values
        factor = float(bool(self.shards[self.index]))
        return _Sum.apply(*(value.float() * factor for value in values))


def call_in_forward(model: Any, function: Callable[..., Result], *arguments: Any) -> Result:
    """`function(model, *arguments)`, run inside the `forward` of the wrapper if the model is wrapped.

    A function that calls parts of a model would bypass the hooks of `DistributedDataParallel`, which average the
    gradients of the processes.
    """
    if not isinstance(model, DistributedDataParallel):
        return function(model, *arguments)
    module = model.module
    instance_forward = module.__dict__.get("forward")  # accelerate's, with mixed precision, if any

    def restore() -> None:
        if instance_forward is None:
            module.__dict__.pop("forward", None)
        else:
            module.forward = instance_forward

    def inner(*inputs: Any) -> Result:
        restore()  # the function may call the model as a whole
        return function(module, *inputs)

    module.forward = inner
    try:
        result: Result = model(*arguments)
        return result
    finally:
        restore()


class _Gather(torch.autograd.Function):
    """Scales gradients: all processes compute the same loss, so averaging would divide each shard's gradient."""

    @staticmethod
    def forward(ctx: Any, shard: BatchShard, *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.shard = shard
        sizes = [len(rows) for rows in shard.shards]
        gathered = []
        for tensor in tensors:
            sent = tensor.new_zeros(max(sizes), *tensor.shape[1:])
            sent[: sizes[shard.index]] = tensor[: sizes[shard.index]]
            parts = [torch.empty_like(sent) for _ in sizes]
            distributed.all_gather(parts, sent)
            gathered.append(torch.cat([part[:size] for part, size in zip(parts, sizes, strict=True)]))
        return tuple(gathered)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        shard: BatchShard = ctx.shard
        factor = len(shard.shards) if shard.shards[shard.index] else 0
        return (None, *(gradient[shard.rows] * factor for gradient in gradients))


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        totals = tuple(tensor.clone() for tensor in tensors)
        for tensor in totals:
            distributed.all_reduce(tensor)
        return totals

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        return tuple(gradient * distributed.get_world_size() for gradient in gradients)
