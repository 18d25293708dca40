"""The sliced loss and its gradients against the plain loss."""

import pytest
import torch
from torch.nn import functional as F

from openmeva.training.ppl.losses import vocabulary_loss


@pytest.mark.parametrize("rows", [1, 4, 100])
@pytest.mark.parametrize("trained", [(True, True, True), (True, False, True), (True, False, False)])
def test_sliced_loss_and_gradients_equal_the_plain_ones(rows: int, trained: tuple[bool, bool, bool]) -> None:
    torch.manual_seed(0)
    tensors = [torch.randn(9, 6), torch.randn(13, 6), torch.randn(13)]
    targets = torch.randint(13, (9,))
    plain = [
        t.clone().requires_grad_(requires_grad) for t, requires_grad in zip(tensors, trained, strict=True)
    ]
    sliced = [
        t.clone().requires_grad_(requires_grad) for t, requires_grad in zip(tensors, trained, strict=True)
    ]
    expected = F.cross_entropy(F.linear(*plain), targets, reduction="sum")
    loss = vocabulary_loss(*sliced, targets, rows=rows)
    assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
    (3 * expected).backward()
    (3 * loss).backward()
    for expected_input, sliced_input, requires_grad in zip(plain, sliced, trained, strict=True):
        assert (expected_input.grad is not None) == (sliced_input.grad is not None) == requires_grad
        if requires_grad:
            assert torch.allclose(expected_input.grad, sliced_input.grad, atol=1e-5)


def test_bfloat16_loss_is_close_to_float32() -> None:
    torch.manual_seed(0)
    hidden, weight, bias = torch.randn(20, 8, requires_grad=True), torch.randn(30, 8), torch.randn(30)
    targets = torch.randint(30, (20,))
    loss = vocabulary_loss(hidden, weight, bias, targets, dtype=torch.bfloat16, rows=7)
    loss.backward()
    exact = hidden.detach().clone().requires_grad_()
    expected = F.cross_entropy(F.linear(exact, weight, bias), targets, reduction="sum")
    expected.backward()
    assert loss.item() == pytest.approx(expected.item(), rel=0.01)
    assert torch.allclose(hidden.grad, exact.grad, atol=4e-2)


def test_no_gradients_are_computed_under_no_grad() -> None:
    with torch.no_grad():
        loss = vocabulary_loss(torch.randn(5, 4), torch.randn(7, 4), torch.randn(7), torch.arange(5))
    assert not loss.requires_grad
