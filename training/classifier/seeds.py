"""A training with each of several seeds, whose adapters' mean is what the metrics load."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from openmeva.training.classifier.averaging import average_checkpoints
from openmeva.training.common.adapters import Adapter
from openmeva.training.common.checkpoint import save_manifest, weights_file
from openmeva.training.common.config import as_mapping
from openmeva.training.files import checksum
from openmeva.training.paths import located
from openmeva.training.processes import one_writer


class Seeded(Protocol):
    """Settings of such a training: see `plot_coherence/config.py`."""

    @property
    def name(self) -> str: ...
    @property
    def adapter(self) -> Adapter | None: ...
    @property
    def start(self) -> str | None: ...
    @property
    def seeds(self) -> tuple[int, ...]: ...
    @property
    def start_share(self) -> float: ...


def train_seeds(
    config: Seeded,
    train_one: Callable[[int, Path], dict[str, Any]],
    mean_validation: Callable[[Sequence[Any]], Any],
    out: Path,
    run: Path,
    temperature: float = 1.0,
) -> dict[str, Any]:
    """Trains with each of `config.seeds` into `run/NAME-seed-N`, and writes the mean of the adapters and its manifest.

    Args:
        config: of the whole.
        train_one: trains with a seed into a folder, and returns the manifest.
        mean_validation: the manifest's `validation`, of those of the seeds.
        out: the checkpoint's folder.
        run: where the seeds' folders lie.
        temperature: what the mean's logits are divided by.

    Returns:
        The manifest: the first seed's, with the validation of all, their minutes together, whether any was `resumed`, and
        each one's checksum. How the mean itself does is printed by `make benchmark`.

    Raises:
        ValueError: a configuration without an adapter, of whose weights no mean is taken.
    """
    if not config.adapter:
        raise ValueError(f"seeds: expected an adapter, whose mean is taken; {config.name} trains all weights")
    folders = [run / f"{config.name}-seed-{seed}" for seed in config.seeds]
    manifests = [train_one(seed, folder) for seed, folder in zip(config.seeds, folders, strict=True)]
    weights = {
        str(seed): checksum(weights_file(folder)) for seed, folder in zip(config.seeds, folders, strict=True)
    }
    shares = [(1 - config.start_share) / len(folders)] * len(folders)
    if config.start and config.start_share:
        folders.append(located(config.start))
        shares.append(config.start_share)
    manifest = {
        **manifests[0],
        "config": as_mapping(config),
        "validation": mean_validation([each["validation"] for each in manifests]),
        "minutes": round(sum(each["minutes"] for each in manifests), 1),
        "seeds": weights,
    }
    if any(each.get("resumed") for each in manifests):
        manifest["resumed"] = True
        manifest.pop("groups_a_second", None)
    with one_writer() as writes:
        if writes:
            average_checkpoints(folders, out, shares, temperature)
            save_manifest(out, manifest)
    return manifest
