"""How many processes work, and on what."""

import pytest
import torch

from openmeva.metrics.core import runtime
from openmeva.training.processes import model_processes


@pytest.mark.parametrize(("device", "count"), [("cpu", 3), ("cuda", 1), ("mps", 1)])
def test_a_model_beside_an_accelerator_works_in_one_process(
    device: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "choose_device", lambda wanted: torch.device(device))
    assert model_processes(3) == count
