"""One model in several precisions."""

import copy
from typing import Any

import torch


class Variants:
    """A model in float32, and copies of it in other precisions, made when they are first asked for.

    Rounding the model itself would leave its float32 weights rounded, too.
    """

    def __init__(self, model: Any) -> None:
        self.exact = model.float()
        self.rounded: dict[torch.dtype, Any] = {}

    def on(self, device: torch.device, dtype: torch.dtype) -> Any:
        """The model in `dtype` on `device`."""
        if dtype is torch.float32:
            return self.exact.to(device)
        if dtype not in self.rounded:
            self.rounded[dtype] = copy.deepcopy(self.exact).to(dtype)
        return self.rounded[dtype].to(device)
