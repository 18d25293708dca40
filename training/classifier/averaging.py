"""Weight averaging of the adapters of several seeds into one adapter.

Runs with the same initial weights that differ only in their seed end near each other. The average of their weight
updates often performs better than each run, at the inference cost of one model (model soups: Wortsman et al., ICML
2022). The initial weights may be part of the average: it then keeps abilities that the fine-tuning lost, and gains those
that it added (Wortsman et al., CVPR 2022).
"""

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from openmeva.metrics.core.checkpoint import ADDED_ROWS_SUFFIX, read_tensors
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.common.adapters import adapter_tensors
from openmeva.training.files import save_tensors, write_text


def mean_adapter(
    adapters: Sequence[dict[str, Tensor]], shares: Sequence[float] | None = None
) -> dict[str, Tensor]:
    """The low-rank approximation of the weighted mean of several adapters.

    The mean of products of rank r has a higher rank. It is replaced by its best approximation of rank r (Eckart and Young
    1936), where r is the rank of the first adapter that has the factors. Missing factors count as zero.
    Norms, heads and embeddings of added tokens are averaged directly.

    Args:
        adapters: tensors by name, as returned by `adapter_tensors`; at least one.
        shares: weight of each adapter; they sum to 1; default: equal weights.

    Returns:
        Float32 tensors with the names and shapes of the first adapter, and the factors that it lacks but others have.

    Raises:
        ValueError: no adapters, norms or heads that differ from the first adapter's, or shares that do not fit them.
    """
    if not adapters:
        raise ValueError("expected at least one adapter, got none")
    if shares is None:
        shares = [1 / len(adapters)] * len(adapters)
    if len(shares) != len(adapters) or abs(sum(shares) - 1) > 1e-6:
        raise ValueError(
            f"shares: expected one for each of {len(adapters)} adapters, with sum 1, got {shares}"
        )
    for number, adapter in enumerate(adapters):
        _check_same_tensors(f"adapter {number}", adapter, "the first one", adapters[0])
    mean = {}
    for name in sorted(set().union(*adapters)):
        if name.endswith(".lora_A"):
            ups = f"{name.removesuffix('.lora_A')}.lora_B"
            having = [(a, s) for a, s in zip(adapters, shares, strict=True) if name in a]
            mean[name], mean[ups] = _mean_factors(
                [a[name] for a, _ in having], [a[ups].float() * s for a, s in having]
            )
        elif not name.endswith(".lora_B"):
            mean[name] = torch.stack(
                [a[name].float() * s for a, s in zip(adapters, shares, strict=True)]
            ).sum(0)
    return mean


def check_can_average(start: Path, model: torch.nn.Module) -> None:
    """Checks that the initial adapter of a training can be averaged with the trained one.

    Args:
        start: folder of the initial adapter.
        model: with adapter layers, before the training.

    Raises:
        ValueError: the adapter is missing, or its norms or heads differ from the model's.
    """
    # embeddings of added tokens are split from the model's tensors only when saved
    names = [name for name in read_tensors(start / ADAPTER) if not name.endswith(ADDED_ROWS_SUFFIX)]
    _check_same_tensors(
        f"start_share: {start / ADAPTER}", names, "this training's adapter", adapter_tensors(model)
    )


def _check_same_tensors(context: str, names: Iterable[str], reference: str, expected: Iterable[str]) -> None:
    """Checks that two adapters have the same tensors, except for factors: checkpoints omit factors that are zero."""
    if unlike := sorted(name for name in set(names) ^ set(expected) if ".lora_" not in name):
        raise ValueError(f"{context}: expected the tensors of {reference}, differs in {unlike[:3]}")


def _mean_factors(downs: Sequence[Tensor], ups: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Factors (rank, in) and (out, rank) whose product best approximates the sum of all `up @ down`."""
    rank = len(downs[0])
    # the sum is one product of stacked factors; a small matrix between their QR bases has the same singular values
    left, small_left = torch.linalg.qr(torch.cat(list(ups), 1))
    right, small_right = torch.linalg.qr(torch.cat([down.float() for down in downs]).T)
    u, values, v = torch.linalg.svd(small_left @ small_right.T)
    root = values[:rank].sqrt()
    return root[:, None] * (v[:rank] @ right.T), left @ u[:, :rank] * root


def average_checkpoints(
    folders: Sequence[Path], out: Path, shares: Sequence[float] | None = None, temperature: float = 1.0
) -> None:
    """Writes a checkpoint to `out` with the mean adapter of the folders; everything else is from the first folder.

    Args:
        folders: checkpoints of `training/classifier`, each an adapter on the same encoder.
        out: the folder to write to.
        shares: weight of each in the mean; default: equal weights.
        temperature: divisor of the mean's logits; values above 1 move scores away from 0 and 1.

    Raises:
        ValueError: an adapter is missing, damaged, or has other tensors than the first one.
    """
    mean = mean_adapter([read_tensors(folder / ADAPTER) for folder in folders], shares)
    for name in ("classifier.weight", "classifier.bias"):  # their output is the logit
        mean[name] = mean[name] / temperature
    save_tensors(out / ADAPTER, {name: t.to(torch.float16).contiguous() for name, t in mean.items()})
    if (folders[0] / "names.json").is_file():
        shutil.copyfile(folders[0] / "names.json", out / "names.json")
    sections = json.loads((folders[0] / "config.json").read_text(encoding="utf-8"))
    for settings in sections.values():
        if path := settings["encoder"].get("path"):  # path of the encoder, relative to the checkpoint
            settings["encoder"]["path"] = os.path.relpath((folders[0] / path).resolve(), out.resolve())
    write_text(out / "config.json", json.dumps(sections, indent=2) + "\n")


def average_with_start(
    folders: Sequence[Path], start: Path | None, share: float, out: Path, temperature: float = 1.0
) -> None:
    """Writes a checkpoint to `out` with the mean adapter of trained ones and of the initial one they began from.

    Args:
        folders: checkpoints of one training, with equal weights in the mean.
        start: folder of the initial adapter, or None.
        share: weight of the initial adapter in the mean, 0 to 1; with 0, or without `start`, it is left out.
        out: the folder to write to.
        temperature: as in `average_checkpoints`.

    Raises:
        ValueError: as `average_checkpoints`.
    """
    if start is None or not share:
        average_checkpoints(folders, out, temperature=temperature)
        return
    shares = [*[(1 - share) / len(folders)] * len(folders), share]
    average_checkpoints([*folders, start], out, shares, temperature)
