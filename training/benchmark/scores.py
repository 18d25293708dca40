"""Scores of a metric on a test set, computed once and kept by what they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import evaluate

from openmeva.training.benchmark.contexts import context_of
from openmeva.training.benchmark.registry import MetricEntry
from openmeva.training.files import write_text
from openmeva.training.paths import METRICS

Rows = Sequence[dict[str, Any]]


def checksum(rows: Rows) -> str:
    """SHA-256 of what a metric may see of the rows: prompt, story, reference."""
    seen = [[context_of(row), row["story"], row.get("reference")] for row in rows]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()


def module_checksum(entry: MetricEntry) -> str:
    """SHA-256 over the metric's code, its weights, and the code and weights that metrics share."""
    digest = hashlib.sha256()
    for folder in (entry.folder, METRICS / "core", entry.folder.parent / "weights"):
        for path in sorted(folder.rglob("*")) if folder.exists() else []:
            if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".md", ".yaml"):
                digest.update(str(path.relative_to(folder)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def score(
    entry: MetricEntry,
    config: str,
    rows: Rows,
    cache: Path,
    batch_size: int | None = None,
    explain: bool = False,
) -> dict[str, Any]:
    """The metric's result on the rows: its lists of one entry a story, and its signature.

    A result is read from `cache` where metric (code, weights, configuration, options), rows and inputs are
    the same as when it was written. Nothing but JSON is kept there.

    Raises:
        ValueError: the rows lack an input that the metric needs; or what the metric itself raises.
    """
    inputs = _inputs(entry, rows)
    # In AUTOS an original stands among the rows of several aspects: equal rows are scored once.
    columns = [
        json.dumps(seen) for seen in zip((row["story"] for row in rows), *inputs.values(), strict=True)
    ]
    places = {seen: place for place, seen in reversed(list(enumerate(columns)))}
    chosen = sorted(places.values())
    key = hashlib.sha256(
        json.dumps(
            [module_checksum(entry), config, checksum(rows), sorted(inputs), entry.options, explain]
        ).encode()
    ).hexdigest()
    kept = cache / f"{entry.name}-{config}-{key[:20]}.json"
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    metric = evaluate.load(str(entry.folder), config)
    options = dict(entry.options, **({"explain": True} if explain else {}))
    if batch_size is not None:
        options["batch_size"] = batch_size
    found = metric.compute(
        predictions=[rows[at]["story"] for at in chosen],
        **{name: [values[at] for at in chosen] for name, values in inputs.items()},
        **options,
    )
    answers = {at: number for number, at in enumerate(chosen)}
    result: dict[str, Any] = {
        name: [values[answers[places[seen]]] for seen in columns]
        for name, values in found.items()
        if isinstance(values, list) and len(values) == len(chosen)
    }
    lacking = [key for key in entry.rows.values() if key not in result]
    if lacking:
        raise ValueError(f"{entry.name}: expected {', '.join(lacking)}, one a story, got {', '.join(found)}")
    result["signature"] = _signature(metric)
    write_text(kept, json.dumps(result))
    return result


def _inputs(entry: MetricEntry, rows: Rows) -> dict[str, list[Any]]:
    """The columns that the metric takes beside the stories; contexts are left out where the set has none."""
    inputs: dict[str, list[Any]] = {}
    contexts = [context_of(row) for row in rows]
    if "contexts" in entry.inputs and all(contexts):
        inputs["contexts"] = contexts
    if "references" in entry.inputs:
        references = [row.get("reference") for row in rows]
        if not all(references):
            raise ValueError(f"{entry.name} needs references, and the set has none")
        inputs["references"] = references
    return inputs


def _signature(metric: Any) -> str:
    found = getattr(metric, "signature", None)
    return str(found() if callable(found) else found)
