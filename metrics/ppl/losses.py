"""Token losses over a vocabulary that is too large to hold all logits at once."""

from collections.abc import Callable

import torch
from torch import Tensor

MAX_LOGITS = 2**22  # number of logits held at once: 16 MB in float32


def target_losses(
    hidden: Tensor, targets: Tensor, head: Callable[[Tensor], Tensor], vocabulary_size: int
) -> Tensor:
    """The negative natural logarithm of each target's probability, (n,) float32.

    Args:
        hidden: (n, width) hidden states.
        targets: (n,) token ids.
        head: maps hidden states to logits (…, vocabulary).
        vocabulary_size: determines how many rows of logits are held at once.
    """
    losses = torch.empty(len(targets), dtype=torch.float32, device=hidden.device)
    rows = max(32, MAX_LOGITS // vocabulary_size)
    for start in range(0, len(targets), rows):
        logits = head(hidden[start : start + rows]).float()
        indices = targets[start : start + rows, None]
        losses[start : start + rows] = logits.logsumexp(-1) - logits.gather(-1, indices).squeeze(-1)
    return losses
