"""Trains with several seeds; the metrics load the weight average of the adapters."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from openmeva.training.classifier.averaging import average_with_start
from openmeva.training.common.adapters import Adapter
from openmeva.training.common.backbone import find_backbone
from openmeva.training.common.checkpoint import save_manifest, weights_file
from openmeva.training.common.config import as_mapping
from openmeva.training.files import checksum
from openmeva.training.paths import resolve_path
from openmeva.training.processes import one_writer


class SeedsConfig(Protocol):
    """Settings of a training with several seeds: see `plot_coherence/config.py`."""

    @property
    def name(self) -> str: ...
    @property
    def base(self) -> str: ...
    @property
    def adapter(self) -> Adapter | None: ...
    @property
    def start(self) -> str | None: ...
    @property
    def seeds(self) -> tuple[int, ...]: ...
    @property
    def start_share(self) -> float: ...


def check_can_average_seeds(config: SeedsConfig) -> None:
    """Checks that the runs of several seeds differ and are saved as adapters, which alone are averaged.

    Raises:
        ValueError: a seed occurs twice, or the runs are saved whole.
    """
    if len(set(config.seeds)) < len(config.seeds):
        raise ValueError(f"seeds: expected each once, got {list(config.seeds)}")
    if config.seeds and not (config.adapter and find_backbone(config.base).supports_adapter):
        raise ValueError(
            f"seeds: expected an adapter on an encoder to average, {config.name} saves whole models"
        )


def train_seeds(
    config: SeedsConfig,
    train_one: Callable[[int, Path], dict[str, Any]],
    mean_validation: Callable[[Sequence[Any]], Any],
    out: Path,
    run: Path,
    temperature: float = 1.0,
) -> dict[str, Any]:
    """Trains with each of `config.seeds` into `run/NAME-seed-N`; writes the weight average of the adapters and its manifest.

    Args:
        config: of the whole training.
        train_one: trains with one seed into a folder, and returns its manifest.
        mean_validation: combines the `validation` entries of the seeds' manifests.
        out: the checkpoint's folder.
        run: parent folder of the seeds' folders.
        temperature: divisor of the mean's logits.

    Returns:
        The manifest of the first seed, with the combined validation, the total minutes, `resumed` if any run was resumed,
        and the checksum of each seed's weights. `make benchmark` prints results of the average itself.

    Raises:
        ValueError: as `check_can_average_seeds`.
    """
    check_can_average_seeds(config)
    folders = [run / f"{config.name}-seed-{seed}" for seed in config.seeds]
    manifests = [train_one(seed, folder) for seed, folder in zip(config.seeds, folders, strict=True)]
    weights = {
        str(seed): checksum(weights_file(folder)) for seed, folder in zip(config.seeds, folders, strict=True)
    }
    start = resolve_path(config.start) if config.start else None
    manifest = {
        **manifests[0],
        "config": as_mapping(config),
        "validation": mean_validation([seed_manifest["validation"] for seed_manifest in manifests]),
        "minutes": round(sum(seed_manifest["minutes"] for seed_manifest in manifests), 1),
        "seeds": weights,
    }
    if any(seed_manifest.get("resumed") for seed_manifest in manifests):
        manifest["resumed"] = True
        manifest.pop("groups_per_second", None)
    with one_writer() as writes:
        if writes:
            average_with_start(folders, start, config.start_share, out, temperature)
            save_manifest(out, manifest)
    return manifest
