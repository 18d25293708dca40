"""The metrics that the Spaces show: what to call them by, and what their numbers mean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from openmeva.training.benchmark.registry import MetricEntry, read_registry

CATALOGUE = Path(__file__).with_name("catalogue.yaml")
CORPORA = {
    "roc": "Short everyday story (about five sentences)",
    "wp": "Longer story written to a prompt",
}


@dataclass(frozen=True)
class Number:
    """One number of a metric's result.

    Attributes:
        title: as shown.
        key: of the list in compute's result.
        meaning: one line for a reader who does not know the metric.
        higher: whether more is better.
        low, high: ends of the range, `None` where it has none.
    """

    title: str
    key: str
    meaning: str
    higher: bool
    low: float | None
    high: float | None


@dataclass(frozen=True)
class CatalogueEntry:
    """A metric as the Spaces show it; `call` says how it is run, `explains` whether it says what sentences cost."""

    name: str
    meaning: str
    numbers: tuple[Number, ...]
    paper_title: str
    paper_url: str
    call: MetricEntry
    explains: bool = False

    @property
    def title(self) -> str:
        """The metric's name in print."""
        return self.call.title

    @property
    def referenced(self) -> bool:
        """Whether the metric compares the story with a reference."""
        return "references" in self.call.inputs


def read_catalogue(path: Path = CATALOGUE) -> dict[str, CatalogueEntry]:
    """Entries by name, in the file's order: those whose metric is registered and whose module is there.

    Raises:
        ValueError: an entry that lacks a field or has another direction than `higher` or `lower`.
    """
    registry = read_registry()
    entries = {}
    for name, fields in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        if set(fields) - {"explains"} != {"meaning", "shows", "paper"}:
            raise ValueError(f"{path}, {name}: expected meaning, shows and paper, got {', '.join(fields)}")
        numbers = tuple(
            _number(f"{path}, {name}", title, one, fields["meaning"])
            for title, one in fields["shows"].items()
        )
        call = registry.get(name)
        if call is None or not (call.folder / f"{call.folder.name}.py").is_file():
            continue
        paper = fields["paper"]
        entries[name] = CatalogueEntry(
            name, fields["meaning"], numbers, paper["title"], paper["url"], call, bool(fields.get("explains"))
        )
    return entries


def _number(where: str, title: str, fields: dict[str, Any], meaning: str) -> Number:
    if fields.get("better") not in ("higher", "lower"):
        raise ValueError(f"{where}, {title}: expected better: higher or lower, got {fields.get('better')!r}")
    low, high = fields.get("range") or (None, None)
    return Number(
        title, fields["key"], fields.get("meaning", meaning), fields["better"] == "higher", low, high
    )
