"""The loss of embedding similarity."""

from torch import Tensor

from openmeva.training.common.data_parallel import Share


def relative_error(states: Tensor, wanted: Tensor, mask: Tensor, share: Share | None = None) -> Tensor:
    """Squared error of states (n, tokens, width) at tokens, divided by the squared norm of the targets; 0 is best.

    If `share` is given, the tensors are its rows, and the error is that of the whole batch.
    """
    weights = mask[..., None].float()
    error, size = ((states - wanted).square() * weights).sum(), (wanted.square() * weights).sum()
    if share:
        error, size = share.summed(error, size)
    return error / size
