"""Cached scores of a metric: each text is scored once; the cache key covers all that a score depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import evaluate

from openmeva.metrics.core.checkpoint import read_settings
from openmeva.metrics.core.files import check_folder
from openmeva.metrics.core.inputs import RowError
from openmeva.metrics.core.language_model import language_model_weights
from openmeva.metrics.core.module import MODEL_LIBRARIES, signature_with
from openmeva.metrics.core.runtime import precision
from openmeva.training.benchmark.data.contexts import contexts_of
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.scoring.checkpoints import checkpoint_digest
from openmeva.training.common.closure import import_closure
from openmeva.training.files import checksum, write_text
from openmeva.training.paths import CACHE, IN_CHECKOUT

Rows = Sequence[dict[str, Any]]
SCORES_CACHE = CACHE / "scores"  # the default folder of the cache
_OTHER_LIBRARIES = ("nltk", "POT", "rouge-score", "sacrebleu")  # that compute scores
_CHUNK = 500  # texts scored between two writes; an interrupted run loses at most these


def check_cache(cache: Path) -> None:
    """Checks, before anything is scored, that the cache folder is writable.

    Raises:
        ValueError: it is not.
    """
    check_folder(
        cache, "cache of scores" if IN_CHECKOUT else "cache of scores (OPENMEVA_CACHE names another)"
    )


def module_checksum(entry: MetricEntry, config: str) -> str:
    """SHA-256 over the code that the metric's module imports, a configuration's weights, and the weights that metrics share.

    Weights of the metric's other configurations are excluded.
    """
    root = entry.folder.parents[1]
    others = [entry.folder / "weights" / name for name in entry.configurations if name != config]
    main = entry.folder / f"{entry.folder.name}.py"
    files = import_closure([main], root) if main.is_file() else set()  # evaluate reports its absence
    for folder in (entry.folder, entry.folder.parent / "weights"):
        files |= {
            path
            for path in folder.rglob("*")
            if path.is_file()
            and path.suffix not in (".py", ".pyc", ".md", ".yaml")
            and not any(other_weights in path.parents for other_weights in others)
        }
    digest = hashlib.sha256()
    for path in sorted(files):
        status = path.stat()
        digest.update(
            f"{path.relative_to(root)}\0{_checksum(path, status.st_size, status.st_mtime_ns)}\n".encode()
        )
    return digest.hexdigest()


@lru_cache(maxsize=10_000)
def _checksum(path: Path, size: int, changed: int) -> str:
    return checksum(path)


def cached_scores(
    entry: MetricEntry,
    config: str,
    rows: Rows,
    cache: Path,
    batch_size: int | None = None,
    explain: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """The metric's result on the rows: its lists with one entry per story, and its signature.

    Each text is scored once, together with its context and reference if the metric takes them. Earlier scores are
    read from `cache`, whatever set the text was in, if the metric is the same (code, weights, configuration,
    options, libraries, precision). The cache holds only JSON.

    Args:
        entry, config: the metric and its configuration.
        rows: `story`, and the other inputs of the metric.
        cache: a folder; each metric has its own folder in it.
        batch_size: passed to the metric.
        explain: whether to compute explanations.
        say: called with a line on how many stories remain to be scored.

    Raises:
        ValueError: the rows lack an input that the metric needs; or what the metric itself raises.
    """
    inputs = _inputs(entry, rows)
    texts = [
        json.dumps([row["story"], *values])
        for row, *values in zip(rows, *(inputs[name] for name in sorted(inputs)), strict=True)
    ]
    digests = [hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts]
    parts = [
        module_checksum(entry, config),
        config,
        sorted(inputs),
        entry.options,
        explain,
        _cached_keys(entry),
    ]
    parts.append(precision("auto"))  # bfloat16 if the device supports it; scores of both are not mixed
    if Path(config).is_absolute():  # weights outside the module
        parts.append(checkpoint_digest(Path(config)))
    parts += [f"{name} {version(name)}" for name in (*MODEL_LIBRARIES, *_OTHER_LIBRARIES)]
    parts += _language_models(entry.folder / "weights" / config, entry.folder.name)
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]
    folder = cache / f"{entry.name}-{Path(config).name}-{key}"
    cached, signature = _read(folder)
    # In AUTOS an original is among the rows of several aspects: equal rows are scored once.
    index_by_digest = {digest: index for index, digest in enumerate(digests) if digest not in cached}
    missing = sorted(index_by_digest.values())
    say(f"{len(rows):,} stories, {len(missing):,} to score")
    metric: Any = _loaded(str(entry.folder), config, key) if missing else None
    for chunk in _chunks(missing):
        options = dict(entry.options, **({"explain": True} if explain else {}))
        if batch_size is not None:
            options["batch_size"] = batch_size
        try:
            output = metric.compute(
                predictions=[rows[index]["story"] for index in chunk],
                **{name: [values[index] for index in chunk] for name, values in inputs.items()},
                **options,
            )
        except RowError as error:
            raise RowError(error.column, chunk[error.row], error.reason) from error
        signature = signature_or_empty(metric, options)
        fresh = dict(
            zip((digests[index] for index in chunk), _by_text(entry, output, len(chunk)), strict=True)
        )
        cached |= fresh
        written = json.dumps({"signature": signature, "texts": fresh})
        write_text(folder / f"{hashlib.sha256(written.encode()).hexdigest()[:20]}.json", written)
    names = cached[digests[0]] if digests else {}
    result: dict[str, Any] = {name: [cached[digest][name] for digest in digests] for name in names}
    return {**result, "signature": signature}


def result_of(entry: MetricEntry, corpus: str, **inputs: Any) -> dict[str, Any]:
    """The result of the metric's configuration for a corpus, with the options of its entry; not cached.

    Args:
        entry: the metric.
        corpus: a key of its `configs`.
        inputs: arguments of `compute`, such as `predictions`.
    """
    metric: Any = evaluate.load(str(entry.folder), entry.configs[corpus])
    result: dict[str, Any] = metric.compute(**inputs, **entry.options)
    return result


def _language_models(weights: Path, metric: str) -> list[str]:
    """Checksum of the third-party language model that a checkpoint of the metric refers to, wherever it is installed.

    Encoders are not included: their checkpoints name the SHA-256.
    """
    if not (weights / "config.json").is_file():
        return []
    try:
        reference = read_settings(weights, metric).get("backbone")
    except ValueError:
        return []  # the metric itself reports a damaged file
    paths = [language_model_weights(reference, weights)] if reference else []
    return [_checksum(path, path.stat().st_size, path.stat().st_mtime_ns) for path in paths]


@lru_cache(maxsize=1)
def _loaded(folder: str, config: str, key: str) -> Any:
    """The metric, kept in memory for the next set; `key` identifies its code and weights."""
    return evaluate.load(folder, config)


def _chunks(indices: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(indices), _CHUNK):
        yield indices[start : start + _CHUNK]


def _read(folder: Path) -> tuple[dict[str, dict[str, Any]], str]:
    """Earlier scores by text, and the metric's signature."""
    cached: dict[str, dict[str, Any]] = {}
    signature = ""
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        cached |= content["texts"]
        signature = content["signature"]
    return cached, signature


def _cached_keys(entry: MetricEntry) -> list[str]:
    """Keys of the metric's result that are cached."""
    return sorted({*entry.rows.values(), *entry.shared_outputs})


def _by_text(entry: MetricEntry, result: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The metric's result by text: the entries of its lists that have one entry per text."""
    lists = {
        name: values for name, values in result.items() if isinstance(values, list) and len(values) == count
    }
    lacking = [key for key in _cached_keys(entry) if key not in lists]
    if lacking:
        raise ValueError(
            f"{entry.name}: expected {', '.join(lacking)}, one per story, got {', '.join(result)}"
        )
    outputs = {name: lists[name] for name in (*_cached_keys(entry), "explanations") if name in lists}
    return [{name: values[index] for name, values in outputs.items()} for index in range(count)]


def _inputs(entry: MetricEntry, rows: Rows) -> dict[str, list[Any]]:
    """The columns that the metric takes in addition to the stories; without contexts if the set has none."""
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


def signature_or_empty(metric: Any, options: Mapping[str, Any]) -> str:
    """The metric's signature (what its scores depend on) under these options of `compute`; empty if it has none."""
    signature = getattr(metric, "signature", None)
    return signature_with(metric, options) if callable(signature) else str(signature or "")
