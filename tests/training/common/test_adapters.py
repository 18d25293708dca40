"""An adapter in a checkpoint is the adapter that was trained."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from openmeva.metrics.core.checkpoint import merge_adapter
from openmeva.training.common.adapters import (
    Adapter,
    adapter_tensors,
    add_adapters,
    check_start,
    load_adapter,
    without_zero_factors,
)
from tests.tiny.models import tiny_model


def perturb_trainable_parameters(model: torch.nn.Module) -> None:
    """Changes every trainable parameter as a training would, with a fixed random sample."""
    torch.manual_seed(2)
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data += 0.1 * torch.randn_like(parameter)


def test_merged_weights_give_the_same_outputs_as_the_adapter() -> None:
    plain = tiny_model()
    base = {name: tensor.clone() for name, tensor in plain.state_dict().items()}
    model = tiny_model()
    add_adapters(model, rank=3, alpha=6, heads=("classifier", "cls."))
    perturb_trainable_parameters(model)
    plain.load_state_dict(merge_adapter(base, adapter_tensors(model)), strict=False)
    plain.tie_weights()
    ids = torch.tensor([[2, 9, 10, 11, 3]])
    expected = model(ids, torch.ones_like(ids))
    torch.testing.assert_close(plain(ids, torch.ones_like(ids)), expected, atol=2e-2, rtol=1e-2)


def test_trainable_parameters_are_factors_and_heads() -> None:
    model = tiny_model()
    add_adapters(model, rank=3, alpha=6, heads=("classifier",))
    trainable = {name for name, p in model.named_parameters() if p.requires_grad}
    assert "classifier.weight" in trainable
    assert not any("embeddings" in name for name in trainable)
    factors = [name for name in trainable if "lora_A" in name]
    assert len(factors) == 2 * 6, "six linear layers per block"


def test_adapter_is_loaded_for_further_training() -> None:
    first, second = tiny_model(), tiny_model()
    for model in (first, second):
        add_adapters(model, rank=3, alpha=6, heads=("classifier", "cls."))
    perturb_trainable_parameters(first)
    tensors = adapter_tensors(first)
    load_adapter(second, tensors)
    loaded = adapter_tensors(second)
    assert all(torch.allclose(tensors[name].float(), loaded[name].float(), atol=1e-3) for name in tensors)
    bias = next(name for name, _ in second.named_parameters() if name.endswith(".base_layer.bias"))
    load_adapter(second, {bias.replace(".base_layer", ""): torch.full_like(second.get_parameter(bias), 7)})
    assert (second.get_parameter(bias) == 7).all(), "a trained bias of a layer with factors"
    third = tiny_model()
    add_adapters(third, rank=2, alpha=4, heads=())
    with pytest.raises(ValueError, match="expected factors of rank 2 at most, got 3"):
        load_adapter(third, tensors)


def test_start_of_higher_rank_is_rejected_before_the_model_is_built(tmp_path: Path) -> None:
    factors = {"layer.lora_A": torch.ones(8, 3), "layer.lora_B": torch.ones(4, 8)}
    save_file(factors, tmp_path / "adapter.safetensors")
    check_start(str(tmp_path), Adapter(rank=8))
    with pytest.raises(ValueError, match=r"adapter\.rank: expected 8 or more \(the rank of .*\), got 4"):
        check_start(str(tmp_path), Adapter(rank=4))


def test_factors_of_lower_rank_keep_their_update() -> None:
    low, high = tiny_model(), tiny_model()
    add_adapters(low, rank=2, alpha=4, heads=("classifier", "cls."))
    add_adapters(high, rank=5, alpha=10, heads=("classifier", "cls."))
    perturb_trainable_parameters(low)
    tensors = adapter_tensors(low)
    load_adapter(high, tensors)
    loaded = adapter_tensors(high)
    assert {name: tensor.shape for name, tensor in loaded.items()} != {n: t.shape for n, t in tensors.items()}
    for name in tensors:
        if name.endswith(".lora_B"):
            down = name.replace("lora_B", "lora_A")
            product = tensors[name].float() @ tensors[down].float()
            assert torch.allclose(loaded[name].float() @ loaded[down].float(), product, atol=1e-3)


def test_zero_factors_are_left_out() -> None:
    tensors = {"a.lora_A": torch.ones(2, 3), "a.lora_B": torch.zeros(4, 2), "head": torch.zeros(2)}
    nonzero = {"b.lora_A": torch.ones(2, 3), "b.lora_B": torch.ones(4, 2)}
    assert without_zero_factors(tensors | nonzero).keys() == {"head", *nonzero}
