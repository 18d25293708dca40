"""Precision and device of models, and padding of batches."""

from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from transformers import BertConfig

from openmeva.metrics.bleurt.modeling import BleurtModel
from openmeva.metrics.core.classifier import StoryClassifier
from openmeva.metrics.core.runtime import PrecisionCache, choose_device, choose_dtype, pad
from openmeva.metrics.sentavg.modeling import SentAvg
from openmeva.metrics.union.modeling import UnionModel
from tests.tiny.metrics import CHECKPOINTS, load_tiny, scores_of


def test_batches_are_padded_and_converted_models_cached() -> None:
    ids, mask = pad([[5, 6, 7], [8]], 9)
    assert (ids.tolist(), mask.tolist()) == ([[5, 6, 7], [8, 9, 9]], [[1, 1, 1], [1, 0, 0]])
    cache, cpu = PrecisionCache(torch.nn.Linear(2, 2)), choose_device("cpu")
    rounded = cache.get(cpu, torch.bfloat16)
    assert (cpu, rounded.weight.dtype) == (torch.device("cpu"), torch.bfloat16)
    assert cache.get(cpu, torch.bfloat16) is rounded
    assert cache.get(cpu, torch.float32).weight.dtype is torch.float32


def test_model_on_the_current_gpu_is_not_moved_again() -> None:
    """Its tensors are on `cuda:1` while a caller asks for `cuda`."""
    model, current = mock.MagicMock(), torch.device("cuda:1")
    model.float.return_value = model
    model.parameters.side_effect = lambda: iter([mock.Mock(device=current)])
    cache = PrecisionCache(model)
    with mock.patch.object(torch, "empty", return_value=mock.Mock(device=current)):
        assert cache.get(torch.device("cuda"), torch.float32) is model
        model.to.assert_not_called()
    with mock.patch.object(torch, "empty", return_value=mock.Mock(device=torch.device("cuda:0"))):
        cache.get(torch.device("cuda"), torch.float32)
        model.to.assert_called_once_with(torch.device("cuda"))


def test_last_layers_stay_in_float32() -> None:
    """In bfloat16 a last layer has only some hundred different logits, so different stories would tie."""
    config = BertConfig(
        vocab_size=30, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
    )
    heads = {"classifier", "kinds", "tokens", "score", "signals", "entailment", "hidden", "out"}
    models = (
        StoryClassifier(config, error_types=2, tokens=True),
        UnionModel(config),
        BleurtModel(config),
        SentAvg(9, 4, 4),
    )
    for model in models:
        cache = PrecisionCache(model)
        rounded = cache.get(choose_device("cpu"), torch.bfloat16)
        for (name, parameter), exact in zip(
            rounded.named_parameters(), cache.float32_model.parameters(), strict=True
        ):
            kept = name.split(".")[0] in heads
            assert parameter.dtype is (torch.float32 if kept else torch.bfloat16), name
            assert not kept or torch.equal(parameter, exact)
        assert all(parameter.dtype is torch.float32 for parameter in cache.float32_model.parameters())


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_loading_and_scoring_are_independent_of_torch_global_state(name: str, tmp_path: Path) -> None:
    """The caller's default dtype and autocast have no effect, and its random state is unchanged."""
    folder = CHECKPOINTS[name](tmp_path / "tiny")
    expected = scores_of(load_tiny(name, folder))
    state = torch.random.get_rng_state()
    torch.set_default_dtype(torch.bfloat16)
    try:
        module = load_tiny(name, folder)
        assert torch.get_default_dtype() is torch.bfloat16
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert scores_of(module) == expected
    with torch.autocast("cpu", torch.bfloat16):
        assert scores_of(module) == expected
        assert scores_of(load_tiny(name, folder)) == expected


def test_environment_variable_sets_the_default_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setenv("OPENMEVA_DEVICE", "cpu")
    assert choose_device(None).type == "cpu"
    monkeypatch.setenv("OPENMEVA_DEVICE", "there")
    assert choose_device("cpu").type == "cpu"
    with pytest.raises(ValueError, match="OPENMEVA_DEVICE: expected an available device"):
        choose_device(None)


@pytest.mark.parametrize("device", ["there", "cuda:77", "meta", [], 2.5, "cpu:x"])
def test_unavailable_device_is_rejected(device: Any) -> None:
    with pytest.raises(ValueError, match="device: expected an available device"):
        choose_device(device)


def test_out_of_memory_device_is_not_reported_as_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with mock.patch.object(torch, "empty", side_effect=torch.OutOfMemoryError("CUDA out of memory")):
        with pytest.raises(torch.OutOfMemoryError, match="CUDA out of memory"):
            choose_device("cuda:0")
        with pytest.raises(ValueError, match="expected an available device"):
            choose_device("cuda:1")


@pytest.mark.parametrize("dtype", [[], None, "int8", 3])
def test_unknown_precision_is_rejected(dtype: Any) -> None:
    with pytest.raises(ValueError, match="expected dtype"):
        choose_dtype(dtype, choose_device("cpu"))


def test_device_and_precision_follow_the_hardware(monkeypatch: pytest.MonkeyPatch) -> None:
    native_support = {
        True: False,
        False: True,
    }  # a GPU that only emulates bfloat16 uses float32
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation=True: native_support[including_emulation]
    )
    for capabilities, expected in (
        ({}, "float32"),
        ({"avx2": True}, "float32"),
        ({"avx512_bf16": True}, "bfloat16"),
        ({"avx512_bf16": True, "avx512_fp16": True}, "float32"),  # an Intel processor whose AMX is hidden
        ({"avx512_bf16": True, "avx512_fp16": True, "amx_bf16": True}, "bfloat16"),
    ):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda capabilities=capabilities: capabilities)
        assert str(choose_dtype("auto", torch.device("cpu"))) == f"torch.{expected}"
        assert choose_dtype("auto", torch.device("cuda")) is torch.bfloat16
        assert choose_dtype("auto", torch.device("mps")) is torch.float32
    monkeypatch.delenv("OPENMEVA_DEVICE", raising=False)
    for cuda, mps, expected in (True, True, "cuda"), (False, True, "mps"), (False, False, "cpu"):
        monkeypatch.setattr(torch.cuda, "is_available", lambda cuda=cuda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda mps=mps: mps)
        assert choose_device(None).type == expected
