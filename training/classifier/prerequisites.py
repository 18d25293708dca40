"""Stages of a training: configurations that train the initial weights (`first`) or the teacher, and their weights' folders."""

from pathlib import Path
from typing import Any, Protocol, TypeVar

from openmeva.training.classifier.config import Teacher
from openmeva.training.common.adapters import Adapter
from openmeva.training.common.checkpoint import MANIFEST, read_manifest, without_idle_settings
from openmeva.training.common.config import as_mapping, config_file, differences, parse, read_config
from openmeva.training.files import checksum
from openmeva.training.paths import CONFIGS, METRICS, WORK, resolve_path


class StagedConfig(Protocol):
    """Settings of a training with such stages: see `plot_coherence/config.py`."""

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
    def max_length(self) -> int: ...
    @property
    def window(self) -> int | None: ...
    @property
    def first(self) -> str | None: ...
    @property
    def teacher(self) -> Teacher | None: ...
    @property
    def distillation_weight(self) -> float: ...
    @property
    def states_weight(self) -> float: ...


StageConfig = TypeVar("StageConfig", bound=StagedConfig)


def weights_folder(kind: type[StagedConfig], config: StagedConfig) -> Path:
    """The folder of a configuration's weights: where another configuration reads them from runs/, else the metric's folder.

    Args:
        kind: dataclass of the metric's configurations.
        config: one of them.
    """
    for file in sorted((CONFIGS / config.metric).glob("*.yaml")):
        reader = read_config(kind, file)
        teacher = reader.teacher or Teacher(weights="")
        for stage, folder in ((reader.first, reader.start), (teacher.config, teacher.weights)):
            if not stage or not folder or Path(folder).parts[0] != "runs":
                continue
            if read_config(kind, config_file(config.metric, stage)).name == config.name:
                return resolve_path(folder)
    return WORK / "metrics" / config.metric / "weights" / config.name


def untrained_first_stage(kind: type[StageConfig], config: StageConfig, data: Path) -> StageConfig | None:
    """The configuration that must be trained first for the initial weights; None if they exist or there is none.

    Args:
        kind: dataclass of both configurations.
        config: with `first` and `start`.
        data: folder of the corpora.

    Raises:
        ValueError: the first configuration has another encoder or a higher rank; or as in `untrained_stage`.
    """
    first = untrained_stage(kind, config.metric, config.first, config.start, data)
    if first is None:
        return None
    reason = f"as in {config.first}, which trains the initial weights of {config.name}"
    if first.base != config.base:
        raise ValueError(f"base: expected {first.base}, {reason}, got {config.base}")
    if first.adapter and config.adapter and first.adapter.rank > config.adapter.rank:
        raise ValueError(
            f"adapter.rank: expected {first.adapter.rank} or more, {reason}, got {config.adapter.rank}"
        )
    return first


def untrained_teacher(kind: type[StageConfig], config: StageConfig, data: Path) -> StageConfig | None:
    """The configuration of the teacher that must be trained first; None if its weights exist or there is no teacher.

    Args:
        kind: dataclass of both configurations.
        config: of the student.
        data: folder of the corpora.

    Raises:
        ValueError: as in `untrained_stage`.
    """
    teacher = config.teacher
    return untrained_stage(kind, config.metric, teacher.config, teacher.weights, data) if teacher else None


def check_teacher(config: StagedConfig) -> None:
    """Checks that there is a teacher if and only if the loss has a term for its outputs.

    Raises:
        ValueError: a teacher without a weight of the loss, or a weight without a teacher.
    """
    if (config.teacher is None) != (not config.distillation_weight and not config.states_weight):
        raise ValueError(
            "expected a teacher and a distillation_weight or states_weight above 0, or neither, "
            f"got teacher {config.teacher}, {config.distillation_weight:g} and {config.states_weight:g}"
        )


def untrained_stage(
    kind: type[StageConfig], metric: str, stage: str | None, weights: str | None, data: Path
) -> StageConfig | None:
    """The configuration of a stage if its weights must still be trained, else None. Shipped weights are used unchecked.

    Args:
        kind: dataclass of the configuration.
        metric: folder of its file, below training/configs.
        stage: the file or its name; None: there is no such stage.
        weights: folder of the weights.
        data: folder of the corpora.

    Raises:
        ValueError: the existing weights are of another configuration or other data (each difference is named).
    """
    if not stage or not weights:
        return None
    folder = resolve_path(weights)
    manifest = read_manifest(folder)
    if manifest and folder.is_relative_to(METRICS):
        return None
    config = read_config(kind, config_file(metric, stage))
    if manifest is None:
        return config
    before = {"config": _recorded_config(kind, manifest), "data": manifest.get("data", {})}
    now = {"config": as_mapping(config), "data": _current_checksums(before["data"], data)}
    for record in (before, now):
        record["config"] = without_idle_settings(record["config"])
    before["data"] = {name: before["data"][name] for name in now["data"]}
    if changed := differences(before, now):
        changes = "\n  ".join(changed)
        raise ValueError(
            f"{folder}: expected weights of {stage} and of this data, got others:\n  {changes}\n"
            f"Remove the folder to retrain them, or remove {stage} from the configuration to use them unchecked."
        )
    return None


def _recorded_config(kind: type[StagedConfig], manifest: dict[str, Any]) -> dict[str, Any]:
    """The configuration in a manifest; settings added after the training get their defaults."""
    config: dict[str, Any] = manifest.get("config", {})
    try:
        return as_mapping(parse(kind, config, MANIFEST))
    except ValueError:  # from a version with other settings
        return dict(config)


def _current_checksums(names: dict[str, str], data: Path) -> dict[str, str | None]:
    """Current SHA-256 of the same files, None for a missing one; missing files of stages are skipped: they are made again."""
    checksums: dict[str, str | None] = {}
    for name in names:
        path = next((file for file in (data / name, resolve_path(name)) if file.is_file()), None)
        if path or Path(name).parts[0] != "runs":
            checksums[name] = checksum(path) if path else None
    return checksums
