"""The loss of embedding similarity."""

from torch import Tensor

from openmeva.training.common.data_parallel import BatchShard


def relative_error(states: Tensor, target: Tensor, mask: Tensor, shard: BatchShard | None = None) -> Tensor:
    """Squared error of states (n, tokens, width) at tokens, divided by the squared norm of the targets; 0 is best.

    If `shard` is given, the tensors are its rows, and the error is that of the whole batch.
    """
    weights = mask[..., None].float()
    error, size = ((states - target).square() * weights).sum(), (target.square() * weights).sum()
    if shard:
        error, size = shard.reduce_sum(error, size)
    return error / size
