"""The mean of several seeds' adapters, as one adapter.

Runs that go on from the same weights and differ in their seed alone end near each other; the mean of what they add to
the encoder often judges better than each, at the cost of one (model soups: Wortsman et al., ICML 2022). What they go on
from may be one of them: so what a second training taught comes in, and what it unlearned stays (Wortsman et al., CVPR 2022).
"""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from openmeva.metrics.core.checkpoint import ADAPTER, read_tensors
from openmeva.training.files import save_tensors, write_text


def mean_adapter(
    adapters: Sequence[dict[str, Tensor]], shares: Sequence[float] | None = None
) -> dict[str, Tensor]:
    """One adapter that adds nearly the mean of what several add.

    The mean of products of rank r has a greater rank; its best approximation of rank r is kept, the first adapter's where they
    differ (Eckart and Young 1936).
    Norms, heads and vectors of added tokens are averaged as they are.

    Args:
        adapters: tensors by name, as `adapter_tensors` gives them; at least one.
        shares: of each in the mean, 1 in all; equal ones where not given.

    Returns:
        The names and shapes of the first one, in float32.

    Raises:
        ValueError: no adapters, adapters of other tensors than the first's, or shares that do not fit them.
    """
    if not adapters:
        raise ValueError("expected at least one adapter, got none")
    if shares is None:
        shares = [1 / len(adapters)] * len(adapters)
    if len(shares) != len(adapters) or abs(sum(shares) - 1) > 1e-6:
        raise ValueError(f"shares: expected one for each of {len(adapters)} adapters, 1 in all, got {shares}")
    names = set(adapters[0])
    for place, other in enumerate(adapters):
        if unlike := sorted(names ^ set(other)):
            raise ValueError(
                f"adapter {place}: expected the tensors of the first one, differs in {unlike[:3]}"
            )
    mean = {}
    for name in sorted(names):
        if name.endswith(".lora_A"):
            ups = f"{name.removesuffix('.lora_A')}.lora_B"
            mean[name], mean[ups] = _mean_factors(
                [a[name] for a in adapters],
                [a[ups].float() * s for a, s in zip(adapters, shares, strict=True)],
            )
        elif not name.endswith(".lora_B"):
            mean[name] = torch.stack(
                [a[name].float() * s for a, s in zip(adapters, shares, strict=True)]
            ).sum(0)
    return mean


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
