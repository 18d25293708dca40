"""Parts of a training: configurations that another one goes on from (`first`) or is taught by, and where their weights lie."""

from pathlib import Path
from typing import Any, Protocol, TypeVar

from openmeva.training.classifier.config import Teacher
from openmeva.training.common.adapters import Adapter
from openmeva.training.common.checkpoint import MANIFEST, read_manifest
from openmeva.training.common.config import as_mapping, config_file, differences, parse, read_config
from openmeva.training.files import checksum
from openmeva.training.paths import CONFIGS, METRICS, WORK, located


class Chained(Protocol):
    """Settings of such a training: see `plot_coherence/config.py`."""

    @property
    def metric(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def base(self) -> str: ...
    @property
    def adapter(self) -> Adapter | None: ...
    @property
    def start(self) -> str | None: ...
    @property
    def first(self) -> str | None: ...
    @property
    def teacher(self) -> Teacher | None: ...


Part = TypeVar("Part", bound=Chained)


def weights_folder(kind: type[Chained], config: Chained) -> Path:
    """Where the weights of a configuration go: to the place in runs/ where another one looks for them, or beside the metric.

    Args:
        kind: of the metric's configurations.
        config: one of them.
    """
    for file in sorted((CONFIGS / config.metric).glob("*.yaml")):
        other = read_config(kind, file)
        teacher = other.teacher or Teacher(weights="")
        for part, place in ((other.first, other.start), (teacher.config, teacher.weights)):
            if not part or not place or Path(place).parts[0] != "runs":
                continue
            if read_config(kind, config_file(config.metric, part)).name == config.name:
                return located(place)
    return WORK / "metrics" / config.metric / "weights" / config.name


def first_part(kind: type[Part], config: Part, data: Path) -> Part | None:
    """The configuration that is trained before this one, which goes on from it; None where that is there, or there is none.

    Args:
        kind: of both.
        config: with `first` and `start`.
        data: the folder that the corpora lie in.

    Raises:
        ValueError: one on another encoder, or of a higher rank; or as `to_be_trained`.
    """
    first = to_be_trained(kind, config.metric, config.first, config.start, data)
    if first is None:
        return None
    told = f"of {config.first}, which {config.name} goes on from"
    if first.base != config.base:
        raise ValueError(f"base: expected {first.base}, that {told}, got {config.base}")
    if first.adapter and config.adapter and first.adapter.rank > config.adapter.rank:
        raise ValueError(
            f"adapter.rank: expected {first.adapter.rank} or more, that {told}, got {config.adapter.rank}"
        )
    return first


def to_be_trained(
    kind: type[Part], metric: str, part: str | None, weights: str | None, data: Path
) -> Part | None:
    """A part's configuration, where its weights are not there yet; those that come with the project are taken as they are.

    Args:
        kind: of the configuration.
        metric: the folder of its file, below training/configs.
        part: the file or its name; None: there is none.
        weights: the folder of the weights.
        data: the folder that the corpora lie in.

    Raises:
        ValueError: weights of another configuration, or of other data (each difference is named).
    """
    if not part or not weights:
        return None
    folder = located(weights)
    known = read_manifest(folder)
    if known and folder.is_relative_to(METRICS):
        return None
    wanted = read_config(kind, config_file(metric, part))
    if known is None:
        return wanted
    before = {"config": _recorded(kind, known), "data": known.get("data", {})}
    now = {"config": as_mapping(wanted), "data": _as_now(before["data"], data)}
    for one in (before, now):
        one["config"].pop("note", None)  # trains nothing
    before["data"] = {name: before["data"][name] for name in now["data"]}
    if others := differences(before, now):
        told = "\n  ".join(others)
        raise ValueError(
            f"{folder}: expected weights of {part} and of this data, got others:\n  {told}\n"
            f"Remove the folder to train them anew, or take {part} out of the configuration to have them as they are."
        )
    return None


def _recorded(kind: type[Chained], manifest: dict[str, Any]) -> dict[str, Any]:
    """The configuration in a manifest: a setting that came after the training had its default then."""
    config: dict[str, Any] = manifest.get("config", {})
    try:
        return as_mapping(parse(kind, config, MANIFEST))
    except ValueError:  # of a version with other settings
        return dict(config)


def _as_now(names: dict[str, str], data: Path) -> dict[str, str | None]:
    """SHA-256 of the same files now, None of one that is gone; without stages' files that are gone, which are made again."""
    found: dict[str, str | None] = {}
    for name in names:
        place = next((file for file in (data / name, located(name)) if file.is_file()), None)
        if place or Path(name).parts[0] != "runs":
            found[name] = checksum(place) if place else None
    return found
