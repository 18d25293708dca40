"""The description of a metric in `metrics/<name>/metric.yaml`, used by the benchmark, Spaces, publishing and cards."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml

METRICS = Path(__file__).resolve().parents[1]
COLUMNS = ("contexts", "references")
CORPORA = ("roc", "wp")
DEFAULT_METRIC = "plot_coherence"
"""The default metric of commands and Spaces."""
T = TypeVar("T")


@dataclass(frozen=True)
class Configuration:
    """A configuration of a metric, as `evaluate.load` takes it.

    Attributes:
        hub: Hub id of its weights; empty if it has none.
        corpora: `roc`, `wp`: the corpora for which the benchmark and the Spaces load it.
    """

    hub: str = ""
    corpora: tuple[str, ...] = ()


@dataclass(frozen=True)
class Output:
    """A list of numbers in the metric's result, one per story, and how it is displayed.

    Attributes:
        title: as displayed.
        better: `higher` or `lower`.
        range: minimum and maximum; empty if unbounded.
        meaning: one line, if it differs from the metric's.
    """

    title: str
    better: str
    range: tuple[float, ...] = ()
    meaning: str = ""


@dataclass(frozen=True)
class BenchmarkEntry:
    """One way in which the benchmark runs the metric.

    Attributes:
        title: as printed; published results of that name are printed next to it.
        rows: title of a table row to key of the result; default: one row, `title`, of `scores`.
        configs: corpus to configuration, if it is not the one that lists the corpus.
        inputs: columns that it is given, if not all that the metric takes.
        options: further arguments of `compute`.
        sections: the rows in the further tables; default: all.
        explanations: whether the benchmark evaluates the metric's explanations.
        on_request: whether it runs only if requested by name, because it takes minutes on each set.
        with_references: another entry of the metric that computes these rows in the same pass if a set has references.
    """

    title: str
    rows: Mapping[str, str] = field(default_factory=dict)
    configs: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[str, ...] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    sections: tuple[str, ...] = ()
    explanations: bool = False
    on_request: bool = False
    with_references: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper: `title` as cited in text, `url`, and the `key` of its BibTeX entry in the card."""

    title: str
    url: str
    key: str


@dataclass(frozen=True)
class MetricDescription:
    """The description of a metric.

    Attributes:
        name: of its folder, file and module.
        folder: its path.
        title: as displayed.
        meaning: one line for readers who do not know the paper.
        blind: one more, on what the metric does not detect.
        papers: the first is the metric's own.
        configurations: by name.
        default: the configuration that is loaded by default.
        order: position in lists, lowest first.
        required, optional: columns in addition to `predictions`, out of `contexts` and `references`.
        joins_context: whether the configuration decides if a context is joined to the story (`roc`) or is not part
            of it (`wp`).
        outputs: by key of the result; empty for a module that scores no stories.
        explains: whether `compute(explain=True)` returns the `gain` of leaving out each sentence.
        benchmark: by name, the metric's own name first.
        whole_model: name of the linear layer on the first token whose output is the score's logit: the published
            weights then hold the whole model in addition to the adapter. Empty: only the adapter.
        name_taken: whether evaluate has a metric of that name; this one is then installed only as `openmeva/<name>`.
    """

    name: str
    folder: Path
    title: str
    meaning: str
    papers: tuple[Paper, ...]
    configurations: Mapping[str, Configuration]
    default: str
    blind: str = ""
    order: int = 1000
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    joins_context: bool = False
    outputs: Mapping[str, Output] = field(default_factory=dict)
    explains: bool = False
    benchmark: Mapping[str, BenchmarkEntry] = field(default_factory=dict)
    whole_model: str = ""
    name_taken: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in addition to `predictions`."""
        return tuple(column for column in COLUMNS if column in (*self.required, *self.optional))

    @property
    def has_scores(self) -> bool:
        """Whether the result has `scores`, one number per story, according to the outputs and the benchmark's rows."""
        rows = [entry.rows.values() or ("scores",) for entry in self.benchmark.values()]
        return any("scores" in keys for keys in (self.outputs, *rows))


def read_metrics(folder: Path = METRICS) -> dict[str, MetricDescription]:
    """The metrics in a folder by name, in their order; a metric without its module is skipped.

    Raises:
        ValueError: as `read_metric`.
    """
    metrics = [read_metric(path) for path in folder.glob("*/metric.yaml")]
    metrics = [metric for metric in metrics if (metric.folder / f"{metric.name}.py").is_file()]
    return {metric.name: metric for metric in sorted(metrics, key=lambda metric: (metric.order, metric.name))}


def read_metric(path: Path) -> MetricDescription:
    """The metric that a file describes.

    Raises:
        ValueError: a missing or unknown key (the most similar known key is named), or a value that is not among those
            expected.
    """
    return _parsed(path, path.read_text(encoding="utf-8"))


@lru_cache(maxsize=100)  # laying out a repository reads every file dozens of times
def _parsed(path: Path, text: str) -> MetricDescription:
    content = yaml.safe_load(text)
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected keys and values, got {type(content).__name__}")
    label = str(path)
    parts: dict[str, Any] = {
        "papers": tuple(_build(Paper, one, f"{label}, papers") for one in content.get("papers") or ()),
        "configurations": _build_all(Configuration, content, "configurations", label),
        "outputs": _build_all(Output, content, "outputs", label),
        "benchmark": _build_all(BenchmarkEntry, content, "benchmark", label),
    }
    location = {"name": path.parent.name, "folder": path.parent}
    metric = _build(MetricDescription, {**content, **parts, **location}, label)
    _check(metric, label)
    return metric


def _build_all(kind: type[T], content: Mapping[str, Any], key: str, label: str) -> dict[str, T]:
    entries = content.get(key) or {}
    if not isinstance(entries, dict):
        raise ValueError(f"{label}, {key}: expected names and their keys, got {type(entries).__name__}")
    return {name: _build(kind, values or {}, f"{label}, {key}, {name}") for name, values in entries.items()}


def _build(kind: type[T], values: Mapping[str, Any], label: str) -> T:
    """An instance of a dataclass; lists become tuples."""
    known_fields = {spec.name: spec for spec in fields(kind)}  # type: ignore[arg-type]
    for key in values:
        if key not in known_fields:
            near = difflib.get_close_matches(str(key), known_fields, 1)
            raise ValueError(
                f"{label}: unknown key {key!r}"
                + (f", did you mean {near[0]!r}?" if near else f", expected any of {', '.join(known_fields)}")
            )
    missing = [
        name
        for name, spec in known_fields.items()
        if spec.default is MISSING and spec.default_factory is MISSING and name not in values
    ]
    if missing:
        raise ValueError(f"{label}: expected {', '.join(missing)}")
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


def _check(metric: MetricDescription, label: str) -> None:
    """Raises a ValueError for a value that is not among the allowed ones."""
    names = tuple(metric.configurations)
    _check_allowed(f"{label}, default", (metric.default,), names)
    _check_allowed(f"{label}, required and optional", (*metric.required, *metric.optional), COLUMNS)
    for name, configuration in metric.configurations.items():
        _check_allowed(f"{label}, configurations, {name}, corpora", configuration.corpora, CORPORA)
    for corpus in CORPORA:
        usual = [name for name, candidate in metric.configurations.items() if corpus in candidate.corpora]
        if len(usual) > 1:
            raise ValueError(f"{label}, configurations: expected one for {corpus}, got {', '.join(usual)}")
    for key, output in metric.outputs.items():
        _check_allowed(f"{label}, outputs, {key}, better", (output.better,), ("higher", "lower"))
        if len(output.range) not in (0, 2):
            raise ValueError(f"{label}, outputs, {key}, range: expected two ends, got {output.range}")
    for name, entry in metric.benchmark.items():
        _check_allowed(f"{label}, benchmark, {name}, inputs", entry.inputs or (), metric.columns)
        _check_allowed(f"{label}, benchmark, {name}, configs", tuple(entry.configs.values()), names)
        _check_allowed(
            f"{label}, benchmark, {name}, sections", entry.sections, tuple(entry.rows or (entry.title,))
        )


def _check_allowed(label: str, values: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    for value in values:
        if value not in allowed:
            raise ValueError(f"{label}: expected any of {', '.join(allowed) or 'nothing'}, got {value!r}")
