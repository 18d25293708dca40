"""The loss of embedding similarity."""

from torch import Tensor


def relative_error(states: Tensor, wanted: Tensor, mask: Tensor) -> Tensor:
    """Squared error of states (n, tokens, width) over the square of what is wanted, at tokens; 0 is best."""
    weights = mask[..., None].float()
    return ((states - wanted).square() * weights).sum() / (wanted.square() * weights).sum()
