"""The repositories that are published, and their folders: from `hub.yaml`, and from `metric.yaml` of each metric."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from openmeva.metrics.core.description import read_metrics
from openmeva.metrics.core.files import ADAPTER
from openmeva.training.hub.whole_model import is_one_layer

KINDS = ("model", "dataset", "space")
DESCRIPTION = Path(__file__).with_name("hub.yaml")


@dataclass(frozen=True)
class Source:
    """A folder of the project that becomes a repository.

    Attributes:
        kind: `model`, `dataset` or `space`.
        name: the repository's name, without its organisation.
        folder: path of the folder.
        files: patterns of its files in addition to `README.md`; empty for datasets, whose card names them.
        loads_as: `whole` or `adapter` for the project's weights, else empty.
        module: whether it is a module of evaluate.
        metric: for an adapter, the section of its `config.json`.
        demo: whether it is a demo, whose files `spaces/layout.py` lists.
    """

    kind: str
    name: str
    folder: Path
    files: tuple[str, ...] = ()
    loads_as: str = ""
    module: bool = False
    metric: str = ""
    demo: bool = False


@dataclass(frozen=True)
class Description:
    """`hub.yaml`, with its patterns resolved against a checkout.

    Attributes:
        organisation: the publisher.
        sources: the folders; weights come before the modules that load them.
        redistributable: dataset to its configurations that may be redistributed.
        whole_models: metric to the linear layer whose output gives the score by a sigmoid (see `metric.yaml`).
        taken: metrics whose names are also names of evaluate's own metrics.
        source: address of the project's repository, which every card then names; blank where none is given.

    Raises:
        ValueError: a source that is not a web address.
    """

    organisation: str
    sources: tuple[Source, ...]
    redistributable: dict[str, tuple[str, ...]]
    whole_models: dict[str, str]
    taken: frozenset[str]
    source: str = ""

    def __post_init__(self) -> None:
        if self.source and not re.fullmatch(r"https?://[^\s()]+", self.source):
            raise ValueError(f"source: expected the address of a repository, https://…, got {self.source!r}")

    @property
    def names(self) -> frozenset[str]:
        """Names of all repositories."""
        return frozenset(source.name for source in self.sources)

    def has_whole_model(self, source: Source) -> bool:
        """Whether the repository of an adapter also holds the whole model: only if that alone gives the score."""
        return (
            source.metric in self.whole_models
            and (source.folder / ADAPTER).is_file()
            and is_one_layer(source.folder, source.metric)
        )

    def of_kind(self, kind: str) -> list[Source]:
        """The sources of a kind, in order."""
        return [source for source in self.sources if source.kind == kind]


def read_description(root: Path, path: Path = DESCRIPTION) -> Description:
    """The description at `path`, its patterns resolved under `root`.

    Raises:
        ValueError: an unknown kind, two folders of the same kind and name, a source that is not a web address, or
            errors of `read_metrics`.
    """
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    sources: list[Source] = []
    for entry in content["repositories"]:
        if entry.get("kind") not in KINDS:
            raise ValueError(f"{path}: expected a kind of {', '.join(KINDS)}, got {entry.get('kind')!r}")
        sources += _resolve(root, entry)
    metrics = read_metrics(root / "metrics")
    seen: dict[tuple[str, str], Path] = {}
    for source in sources:
        key = (source.kind, source.name)
        if key in seen:
            raise ValueError(
                f"{path}: {seen[key]} and {source.folder} both become {source.kind} {source.name}"
            )
        seen[key] = source.folder
    return Description(
        content["organisation"],
        tuple(sorted(sources, key=lambda source: KINDS.index(source.kind))),  # weights before what loads them
        {name: tuple(configurations) for name, configurations in content["redistributable"].items()},
        {name: metric.whole_model for name, metric in metrics.items() if metric.whole_model},
        frozenset(name for name, metric in metrics.items() if metric.name_taken),
        content.get("source") or "",
    )


def _resolve(root: Path, entry: dict[str, Any]) -> list[Source]:
    pattern = entry["folders"]
    module = entry.get("module", False)
    sources = []
    for folder in sorted(root.glob(pattern)):
        parts = [
            name for name, part in zip(folder.parts[-pattern.count("/") - 1 :], pattern.split("/"), strict=True)
            if part == "*"
        ]  # fmt: skip
        if not folder.is_dir() or any(part.startswith((".", "_")) for part in parts):
            continue
        if module and not (folder / f"{folder.name}.py").is_file():
            continue  # metrics/weights
        if entry.get("demo") and not (folder / "app.py").exists():
            continue  # modules shared by the Spaces
        if entry.get("loads_as") == "adapter" and not (folder / "config.json").is_file():
            continue  # a card of weights that are not shipped
        words = parts if module else [part.replace("_", "-") for part in parts]
        name = entry["name"].format(*words).removesuffix("-default")
        sources.append(
            Source(
                entry["kind"],
                name,
                folder,
                tuple(entry.get("files", ())),
                entry.get("loads_as", ""),
                module,
                parts[0] if entry.get("loads_as") == "adapter" else "",
                entry.get("demo", False),
            )
        )
    return sources
