"""The metrics that the benchmark can run, read from `metrics.yaml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from openmeva.training.paths import ROOT

REGISTRY = Path(__file__).with_name("metrics.yaml")


@dataclass(frozen=True)
class MetricEntry:
    """One line of the registry; the fields are explained at the head of `metrics.yaml`."""

    name: str
    title: str
    configs: dict[str, str]
    inputs: tuple[str, ...] = ()
    joins_context: bool = False
    needs_contexts: bool = False
    outputs: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    explain: bool = False
    sections: tuple[str, ...] = ()
    module: str = ""

    @property
    def folder(self) -> Path:
        """Where the module lies."""
        return ROOT / (self.module or f"metrics/{self.name}")

    @property
    def rows(self) -> dict[str, str]:
        """Row of the tables to key of compute's result."""
        return self.outputs or {self.title: "scores"}


def read_registry(path: Path = REGISTRY) -> dict[str, MetricEntry]:
    """All entries by name.

    Raises:
        ValueError: an entry with unknown or missing fields, or inputs other than contexts and references.
    """
    entries = {}
    for name, fields in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        known = set(MetricEntry.__dataclass_fields__) - {"name"}
        if not isinstance(fields, dict) or not {"title", "configs"} <= set(fields) <= known:
            raise ValueError(f"{path}, {name}: expected title, configs and any of {', '.join(sorted(known))}")
        inputs = tuple(fields.pop("inputs", ()))
        if not set(inputs) <= {"contexts", "references"}:
            raise ValueError(f"{path}, {name}: expected inputs among contexts and references, got {inputs}")
        sections = tuple(fields.pop("sections", ()))
        entries[name] = MetricEntry(name=name, inputs=inputs, sections=sections, **fields)
        unknown = [title for title in sections if title not in entries[name].rows]
        if unknown:
            raise ValueError(f"{path}, {name}: expected sections among its rows, got {', '.join(unknown)}")
    return entries


def choose(names: list[str] | None, entries: dict[str, MetricEntry]) -> list[MetricEntry]:
    """The entries named, or, without names, all whose module is in the checkout.

    Raises:
        ValueError: an unknown name (lists the known ones).
    """
    unknown = [name for name in names or [] if name not in entries]
    if unknown:
        raise ValueError(f"unknown metric {', '.join(unknown)}, expected any of {', '.join(entries)}")
    if names:
        return [entries[name] for name in names]
    return [entry for entry in entries.values() if (entry.folder / f"{entry.folder.name}.py").exists()]
