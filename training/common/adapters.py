"""Low-rank adapters (LoRA): trained with PEFT; an encoder's checkpoint holds them as plain factors."""

import re
from dataclasses import dataclass
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model, inject_adapter_in_model
from peft.tuners.lora import LoraLayer
from torch import Tensor
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from openmeva.metrics.core.checkpoint import ADDED_ROWS_SUFFIX, read_tensors
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.common.bounds import Positive
from openmeva.training.paths import resolve_path

# every linear layer of the encoder's blocks: BERT's and RoBERTa's, MPNet's, ModernBERT's
TARGETS = (
    r".*encoder\.layer\.\d+\.(attention\.self\.(query|key|value)|attention\.output\.dense|attention\.attn\.[qkvo]|"
    r"intermediate\.dense|output\.dense)|.*layers\.\d+\.(attn\.(Wqkv|Wo)|mlp\.(Wi|Wo))"
)
NORMS = ("LayerNorm", "attn_norm", "mlp_norm", "final_norm")
BLOCK = re.compile(r"\.(encoder\.layer|layers)\.\d+\.")


@dataclass(frozen=True)
class Adapter:
    """Low-rank factors on the linear layers: their rank is `rank`, their product is scaled by `alpha` / `rank`."""

    rank: Positive = 32
    alpha: Positive = 64


def add_adapters(model: torch.nn.Module, rank: int, alpha: int, heads: tuple[str, ...]) -> None:
    """Adds trainable factors of `rank` to every linear layer of the encoder (or decoder), in place.

    Afterwards the factors, the layer norms named in `NORMS` outside the embeddings, and parameters whose names
    begin with one of `heads` are trainable.
    """
    inject_adapter_in_model(
        LoraConfig(r=rank, lora_alpha=alpha, target_modules=_targets(model, heads), bias="none"), model
    )
    for name, parameter in model.named_parameters():
        norm = any(mark in name for mark in NORMS) and "embeddings" not in name
        parameter.requires_grad = "lora_" in name or norm or name.startswith(heads)


def _targets(model: torch.nn.Module, heads: tuple[str, ...]) -> str | list[str]:
    """The layers that get factors: those of the encoder's blocks; in other architectures, all linear layers."""
    names = [name for name, _ in model.named_modules()]
    if any(re.fullmatch(TARGETS, name) for name in names):
        return TARGETS
    linear = (torch.nn.Linear, Conv1D)
    return [
        n for n, module in model.named_modules() if isinstance(module, linear) and not n.startswith(heads)
    ]


def merge_adapters(model: torch.nn.Module) -> None:
    """Merges the factors into the weights, in place, and removes the adapter layers."""
    for name, module in list(model.named_modules()):
        if isinstance(module, LoraLayer):
            layer: Any = module
            layer.merge()
            parent, _, child = name.rpartition(".")
            setattr(model.get_submodule(parent), child, layer.get_base_layer())


def with_adapter(model: PreTrainedModel, adapter: Adapter) -> PeftModel:
    """A frozen model with trainable factors on every linear layer except the output layer."""
    config = LoraConfig(r=adapter.rank, lora_alpha=adapter.alpha, target_modules="all-linear")
    adapted: PeftModel = get_peft_model(model, config)
    return adapted


def low_rank_difference(
    target: dict[str, Tensor], state: dict[str, Tensor], rank: int
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The adapter that brings the weights `state` closest to `target`.

    Returns:
        Factors `NAME.lora_A` (rank, in) and `NAME.lora_B` (out, rank) of the layers' weight matrices, whose product is
        the best approximation of that rank to the difference (Eckart and Young 1936); and norms and biases of `target`.
    """
    factors, vectors = {}, {}
    for name in target.keys() & state.keys():
        layer = BLOCK.search(name) is not None
        if layer and target[name].dim() == 2:
            u, values, v = torch.linalg.svd(target[name] - state[name], full_matrices=False)
            root = values[:rank].sqrt()
            base = name.removesuffix(".weight")
            factors[f"{base}.lora_A"] = root[:, None] * v[:rank]
            factors[f"{base}.lora_B"] = u[:, :rank] * root
        elif layer:
            vectors[name] = target[name]
    return factors, vectors


def adapter_tensors(model: torch.nn.Module) -> dict[str, Tensor]:
    """The tensors of an adapter's checkpoint, in half precision: factors (scaling included), norms and heads."""
    tensors: dict[str, Tensor] = {}
    for name, module in model.named_modules():
        if isinstance(module, LoraLayer):
            layer: Any = module
            tensors[f"{name}.lora_A"] = layer.lora_A["default"].weight
            tensors[f"{name}.lora_B"] = layer.lora_B["default"].weight * layer.scaling["default"]
    for name, parameter in model.named_parameters():
        if parameter.requires_grad and "lora_" not in name:
            tensors[name.replace(".base_layer", "")] = parameter  # the trained bias of a layer with factors
    return {name: tensor.detach().cpu().to(torch.float16).contiguous() for name, tensor in tensors.items()}


def without_zero_factors(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of an adapter's checkpoint without factors whose product is zero, such as those of frozen layers."""
    idle = {
        name.removesuffix(".lora_B")
        for name, tensor in tensors.items()
        if name.endswith(".lora_B") and not tensor.any()
    }
    return {name: tensor for name, tensor in tensors.items() if name.rpartition(".lora_")[0] not in idle}


def added_token_embeddings(model: Any, rows: int) -> dict[str, Tensor]:
    """Embeddings of tokens that were added after the `rows` rows of the backbone's embedding matrix, in half precision."""
    table = model.bert.get_input_embeddings().weight
    name = next(name for name, parameter in model.named_parameters() if parameter is table)
    added = table[rows:].detach().cpu().to(torch.float16).contiguous()
    return {f"{name}{ADDED_ROWS_SUFFIX}": added} if len(added) else {}


def check_start(start: str | None, adapter: Adapter | None, frozen_layers: int = 0) -> None:
    """Checks that `start` and `frozen_layers` fit the adapter.

    Raises:
        ValueError: `start` or `frozen_layers` is set, but all weights are trained (`adapter` is None); or the adapter in
            `start`, if it exists already, has a higher rank than `adapter`.
    """
    if adapter is None and (start or frozen_layers):
        name, value = ("start", start) if start else ("frozen_layers", frozen_layers)
        raise ValueError(
            f"{name}: expected only with an adapter, got {value} although all weights are trained"
        )
    file = resolve_path(start) / ADAPTER if start else None
    if adapter and file and file.is_file():
        ranks = [len(tensor) for name, tensor in read_tensors(file).items() if name.endswith(".lora_A")]
        if ranks and max(ranks) > adapter.rank:
            raise ValueError(
                f"adapter.rank: expected {max(ranks)} or more (the rank of {start}), got {adapter.rank}"
            )


def load_adapter(model: torch.nn.Module, tensors: dict[str, Tensor]) -> None:
    """Loads the tensors of an adapter's checkpoint into a model with adapters of the same rank or a higher one.

    Factors that the checkpoint lacks keep their initial values, whose product is zero.

    Raises:
        ValueError: factors of a higher rank than the model's, or of a layer that the model lacks (the first is named).
    """
    # peft keeps the bias of an adapted layer under `base_layer`
    parameters = {name.replace(".base_layer", ""): value for name, value in model.named_parameters()}
    layers = {name for name, module in model.named_modules() if isinstance(module, LoraLayer)}
    adapted = {name.removesuffix(".lora_A") for name in tensors if name.endswith(".lora_A")}
    if unknown := sorted(adapted - layers):
        raise ValueError(f"expected factors of layers of the model, got {unknown[0]}")
    with torch.no_grad():
        for name, module in model.named_modules():
            if not isinstance(module, LoraLayer):
                continue
            layer: Any = module
            down, up = layer.lora_A["default"].weight, layer.lora_B["default"].weight
            if f"{name}.lora_A" not in tensors:
                continue
            rank = tensors[f"{name}.lora_A"].shape[0]
            if rank > down.shape[0]:
                raise ValueError(f"{name}: expected factors of rank {down.shape[0]} at most, got {rank}")
            down[:rank] = tensors[f"{name}.lora_A"]
            up.zero_()
            up[:, :rank] = tensors[f"{name}.lora_B"] / layer.scaling["default"]
        for name, tensor in tensors.items():
            if name in parameters:
                parameters[name].copy_(tensor)
