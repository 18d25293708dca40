"""Scores of a metric, computed once a text and kept by what they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import evaluate

from openmeva.metrics.core.files import check_folder
from openmeva.metrics.core.module import MODEL_LIBRARIES, signature_with
from openmeva.metrics.core.runtime import precision
from openmeva.training.benchmark.checkpoints import checkpoint_digest
from openmeva.training.benchmark.contexts import contexts_of
from openmeva.training.benchmark.registry import MetricEntry
from openmeva.training.files import checksum, write_text
from openmeva.training.paths import CACHE, IN_CHECKOUT, METRICS

Rows = Sequence[dict[str, Any]]
SCORES = CACHE / "scores"  # where they are kept unless another folder is asked for
_CHUNK = 500  # texts that are scored before they are written; a run that is stopped loses no more


def check_cache(cache: Path) -> None:
    """Refuses, before anything is scored, a folder that scores could not be kept in.

    Raises:
        ValueError: nothing can be written to it.
    """
    check_folder(
        cache, "cache of scores" if IN_CHECKOUT else "cache of scores (OPENMEVA_CACHE names another)"
    )


def module_checksum(entry: MetricEntry, config: str) -> str:
    """SHA-256 over the metric's code, the weights of a configuration, and the code and weights that metrics share.

    Weights of the metric's other configurations are left out.
    """
    digest = hashlib.sha256()
    others = [entry.folder / "weights" / name for name in entry.configurations if name != config]
    for folder in (entry.folder, METRICS / "core", entry.folder.parent / "weights"):
        for path in sorted(folder.rglob("*")) if folder.exists() else []:
            left_out = "__pycache__" in path.parts or path.suffix in (".md", ".yaml")
            if path.is_file() and not left_out and not any(other in path.parents for other in others):
                status = path.stat()
                known = _checksum(path, status.st_size, status.st_mtime_ns)
                digest.update(f"{path.relative_to(folder)}\0{known}\n".encode())
    return digest.hexdigest()


@lru_cache(maxsize=10_000)
def _checksum(path: Path, size: int, changed: int) -> str:
    return checksum(path)


def score(
    entry: MetricEntry,
    config: str,
    rows: Rows,
    cache: Path,
    batch_size: int | None = None,
    explain: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """The metric's result on the rows: its lists of one entry a story, and its signature.

    Each text is scored once, with its context and reference where the metric takes them: what was scored before is
    read from `cache`, of whichever set it was, where the metric (code, weights, configuration, options, libraries,
    precision) is the same. Nothing but JSON is kept there.

    Args:
        entry, config: the metric.
        rows: `story`, and what the metric takes beside it.
        cache: a folder; each metric has one below it.
        batch_size: handed to the metric.
        explain: whether its explanations are wanted.
        say: called with a line on what is left to do.

    Raises:
        ValueError: the rows lack an input that the metric needs; or what the metric itself raises.
    """
    inputs = _inputs(entry, rows)
    texts = [
        json.dumps([row["story"], *values])
        for row, *values in zip(rows, *(inputs[name] for name in sorted(inputs)), strict=True)
    ]
    digests = [hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts]
    parts = [module_checksum(entry, config), config, sorted(inputs), entry.options, explain, _kept(entry)]
    parts.append(precision("auto"))  # bfloat16 where the device has it: scores of both are not mixed
    if Path(config).is_absolute():  # weights that lie elsewhere
        parts.append(checkpoint_digest(Path(config)))
    parts += [f"{name} {version(name)}" for name in MODEL_LIBRARIES]
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]
    folder = cache / f"{entry.name}-{Path(config).name}-{key}"
    known, signature = _read(folder)
    # In AUTOS an original stands among the rows of several aspects: equal rows are scored once.
    places = {digest: place for place, digest in enumerate(digests) if digest not in known}
    wanted = sorted(places.values())
    say(f"{len(rows):,} stories, {len(wanted):,} to score")
    metric: Any = _loaded(str(entry.folder), config, key) if wanted else None
    for chunk in _chunks(wanted):
        options = dict(entry.options, **({"explain": True} if explain else {}))
        if batch_size is not None:
            options["batch_size"] = batch_size
        found = metric.compute(
            predictions=[rows[place]["story"] for place in chunk],
            **{name: [values[place] for place in chunk] for name, values in inputs.items()},
            **options,
        )
        signature = stated_signature(metric, options)
        fresh = dict(
            zip((digests[place] for place in chunk), _by_text(entry, found, len(chunk)), strict=True)
        )
        known |= fresh
        written = json.dumps({"signature": signature, "texts": fresh})
        write_text(folder / f"{hashlib.sha256(written.encode()).hexdigest()[:20]}.json", written)
    names = known[digests[0]] if digests else {}
    result: dict[str, Any] = {name: [known[digest][name] for digest in digests] for name in names}
    return {**result, "signature": signature}


@lru_cache(maxsize=1)
def _loaded(folder: str, config: str, key: str) -> Any:
    """The metric, kept for the next set; `key` says of which code and weights."""
    return evaluate.load(folder, config)


def _chunks(places: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(places), _CHUNK):
        yield places[start : start + _CHUNK]


def _read(folder: Path) -> tuple[dict[str, dict[str, Any]], str]:
    """What was scored before, by text; and the metric's signature."""
    known: dict[str, dict[str, Any]] = {}
    signature = ""
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        known |= content["texts"]
        signature = content["signature"]
    return known, signature


def _kept(entry: MetricEntry) -> list[str]:
    """Keys of the metric's result that are kept."""
    return sorted({*entry.rows.values(), *entry.also})


def _by_text(entry: MetricEntry, found: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Of a metric's result the lists of one entry a text, by text."""
    lists = {
        name: values for name, values in found.items() if isinstance(values, list) and len(values) == count
    }
    lacking = [key for key in _kept(entry) if key not in lists]
    if lacking:
        raise ValueError(f"{entry.name}: expected {', '.join(lacking)}, one a story, got {', '.join(found)}")
    kept = {name: lists[name] for name in (*_kept(entry), "explanations") if name in lists}
    return [{name: values[place] for name, values in kept.items()} for place in range(count)]


def _inputs(entry: MetricEntry, rows: Rows) -> dict[str, list[Any]]:
    """The columns that the metric takes beside the stories; contexts are left out where the set has none."""
    inputs: dict[str, list[Any]] = {}
    contexts = contexts_of(rows)
    if "contexts" in entry.inputs and contexts is not None:
        inputs["contexts"] = contexts
    if "references" in entry.inputs:
        references = [row.get("reference") for row in rows]
        if not all(references):
            raise ValueError(f"{entry.name} needs references, and the set has none")
        inputs["references"] = references
    return inputs


def stated_signature(metric: Any, options: Mapping[str, Any]) -> str:
    """What a metric says that its scores depend on, given the options of its `compute`; empty where it says nothing."""
    found = getattr(metric, "signature", None)
    return signature_with(metric, options) if callable(found) else str(found or "")
