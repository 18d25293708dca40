"""The mean of several seeds' adapters, as one adapter.

Runs that go on from the same weights and differ in their seed alone end near each other; the mean of what they add to
the encoder often judges better than each, at the cost of one (model soups: Wortsman et al., ICML 2022). What they go on
from may be one of them: so what a second training taught comes in, and what it unlearned stays (Wortsman et al., CVPR 2022).
"""

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from openmeva.metrics.core.checkpoint import ADAPTER, ADDED, read_tensors
from openmeva.training.common.adapters import adapter_tensors
from openmeva.training.files import save_tensors, write_text


def mean_adapter(
    adapters: Sequence[dict[str, Tensor]], shares: Sequence[float] | None = None
) -> dict[str, Tensor]:
    """One adapter that adds nearly the mean of what several add.

    The mean of products of rank r has a greater rank; its best approximation of rank r is kept, the first adapter's where they
    differ (Eckart and Young 1936). Factors that an adapter lacks add nothing to the mean.
    Norms, heads and vectors of added tokens are averaged as they are.

    Args:
        adapters: tensors by name, as `adapter_tensors` gives them; at least one.
        shares: of each in the mean, 1 in all; equal ones where not given.

    Returns:
        The names and shapes of the first one, in float32, with the factors that it alone lacks.

    Raises:
        ValueError: no adapters, adapters of other norms or heads than the first's, or shares that do not fit them.
    """
    if not adapters:
        raise ValueError("expected at least one adapter, got none")
    if shares is None:
        shares = [1 / len(adapters)] * len(adapters)
    if len(shares) != len(adapters) or abs(sum(shares) - 1) > 1e-6:
        raise ValueError(f"shares: expected one for each of {len(adapters)} adapters, 1 in all, got {shares}")
    for place, other in enumerate(adapters):
        _check_alike(f"adapter {place}", other, "the first one", adapters[0])
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


def check_mean_with(start: Path, model: torch.nn.Module) -> None:
    """Refuses what a training goes on from where no mean of it and of what the training makes can be taken.

    Args:
        start: its folder.
        model: under its adapter, before the training.

    Raises:
        ValueError: an adapter that is missing, or has other norms or heads than the model.
    """
    # rows of added tokens come to the model's tensors when they are saved
    given = [name for name in read_tensors(start / ADAPTER) if not name.endswith(ADDED)]
    _check_alike(f"start_share: {start / ADAPTER}", given, "this training's adapter", adapter_tensors(model))


def _check_alike(what: str, names: Iterable[str], other: str, wanted: Iterable[str]) -> None:
    """Refuses an adapter of other tensors than another one's, but for factors: those that add nothing are not kept."""
    if unlike := sorted(name for name in set(names) ^ set(wanted) if ".lora_" not in name):
        raise ValueError(f"{what}: expected the tensors of {other}, differs in {unlike[:3]}")


def _mean_factors(downs: Sequence[Tensor], ups: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Factors (rank, in) and (out, rank) whose product is nearest to the sum of `up @ down`."""
    rank = len(downs[0])
    # the sum is one product of stacked factors; its singular values are those of a small matrix between their bases
    left, small_left = torch.linalg.qr(torch.cat(list(ups), 1))
    right, small_right = torch.linalg.qr(torch.cat([down.float() for down in downs]).T)
    u, values, v = torch.linalg.svd(small_left @ small_right.T)
    root = values[:rank].sqrt()
    return root[:, None] * (v[:rank] @ right.T), left @ u[:, :rank] * root


def average_checkpoints(
    folders: Sequence[Path], out: Path, shares: Sequence[float] | None = None, temperature: float = 1.0
) -> None:
    """Writes to `out` the checkpoint whose adapter is the mean of the folders'; all else is the first one's.

    Args:
        folders: checkpoints of `training/classifier`, each an adapter on the same encoder.
        out: the folder to write to.
        shares: of each in the mean; equal ones where not given.
        temperature: what the mean's logits are divided by; above 1 for flatter scores.

    Raises:
        ValueError: an adapter that is missing, damaged or unlike the first one.
    """
    mean = mean_adapter([read_tensors(folder / ADAPTER) for folder in folders], shares)
    for name in ("classifier.weight", "classifier.bias"):  # whose output is the logit
        mean[name] = mean[name] / temperature
    save_tensors(out / ADAPTER, {name: t.to(torch.float16).contiguous() for name, t in mean.items()})
    if (folders[0] / "names.json").is_file():
        shutil.copyfile(folders[0] / "names.json", out / "names.json")
    sections = json.loads((folders[0] / "config.json").read_text(encoding="utf-8"))
    for settings in sections.values():
        if path := settings["encoder"].get("path"):  # of the encoder, seen from the checkpoint
            settings["encoder"]["path"] = os.path.relpath((folders[0] / path).resolve(), out.resolve())
    write_text(out / "config.json", json.dumps(sections, indent=2) + "\n")
