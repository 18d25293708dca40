"""A metric of the user's own: scores in files, a Python function, or a module of evaluate."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openmeva.training.benchmark.data.contexts import contexts_of, rows_for_metric
from openmeva.training.benchmark.data.registry import MetricEntry
from openmeva.training.benchmark.data.score_files import name_metrics, read_scores
from openmeva.training.benchmark.data.sets import TestSet
from openmeva.training.benchmark.own.outputs import (
    Scores,
    one_score_each,
    recommended,
    score_lists,
    single_scores,
)
from openmeva.training.benchmark.scoring.scores import signature_or_empty
from openmeva.training.files import STANDARD_STREAM, checksum
from openmeva.training.scoring.loading import load, metric_names

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class OwnMetric:
    """A source of scores.

    Attributes:
        origin: printed in the report: a file with its checksum, a function, or a module.
        score: returns the scores of a test set by title, one per story, as the metric gives them; raises ValueError.
        signature: returns the metric's signature for its latest scores; empty if it has none.
    """

    origin: str
    score: Callable[[TestSet, Rows], Scores]
    signature: Callable[[], str] = str


def metric_from_file(path: Path, column: str = "", say: Callable[[str], None] | None = None) -> OwnMetric:
    """Scores in a file; a metric is named after its column, that of `score` is `your metric`.

    Args:
        path: the file.
        column: the only column to take; default: `score_columns`.
        say: called with a line on columns that were left out.

    Raises:
        ValueError: no such file, or standard input, which cannot be read twice.
    """
    if not path.is_file():
        problem = "got standard input" if str(path) == STANDARD_STREAM else f"found none: {path}"
        raise ValueError(f"expected a file of scores, {problem}")

    def score(test_set: TestSet, rows: Rows) -> Scores:
        columns = read_scores(path, rows, test_set.title, column, say)
        return {title: list(columns[name]) for title, name in name_metrics(columns, f"{path}: ").items()}

    name = f"{path.name}:{column}" if column else path.name
    return OwnMetric(f"{name} (SHA-256 {checksum(path)[:16]})", score)


def metric_from_function(callable_: Callable[..., Any], title: str | None = None) -> OwnMetric:
    """A function of stories: `list[str] -> list[float]`, or a dict of such lists for several scores.

    If it has parameters `contexts` or `references`, it gets the stories' prompts and references as lists. A score may
    be None: the story is then excluded. A method `signature` says what the scores depend on.
    """
    name = title or str(getattr(callable_, "__name__", type(callable_).__name__))
    parameters = inspect.signature(callable_).parameters
    inputs = tuple(column for column in ("contexts", "references") if column in parameters)
    needed = tuple(column for column in inputs if parameters[column].default is inspect.Parameter.empty)

    def score(test_set: TestSet, rows: Rows) -> Scores:
        stories, columns = _columns(name, test_set, rows, inputs, needed)
        try:
            result = callable_(stories, **columns)
        except Exception as error:
            raise ValueError(f"{name} failed on {test_set.title}: {_error_message(error)}") from error
        by_title = result if isinstance(result, Mapping) else {name: result}
        unnamed = [key for key in by_title if not isinstance(key, str)]
        if unnamed or not by_title:
            problem = f"the name {unnamed[0]!r}" if unnamed else "none"
            raise ValueError(
                f"{name}: expected a list of scores, or a dict of lists with strings as keys, got {problem}"
            )
        return {key: one_score_each(values, len(rows), key) for key, values in by_title.items()}

    return OwnMetric(f"Python function {name}", score, lambda: signature_or_empty(callable_, {}))


def metric_from_function_name(name: str) -> OwnMetric:
    """`module:function`; the module may be in the current folder.

    Raises:
        ValueError: no such module or function, or a module that fails on import (names the line).
    """
    module_name, _, attribute = name.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent and f"{module_name}.".startswith(f"{absent}."):
            raise ValueError(
                f"expected MODULE:FUNCTION, found no module {module_name!r} (looked here and where Python does)"
            ) from error
        raise ValueError(f"{module_name} cannot be imported: {_error_message(error)}") from error
    function = getattr(module, attribute, None)
    if not callable(function):
        names = [key for key in vars(module) if callable(getattr(module, key)) and not key.startswith("_")]
        raise ValueError(f"{module_name} has no function {attribute!r}, only {', '.join(names) or 'none'}")
    own = metric_from_function(function)
    return OwnMetric(f"Python function {name}", own.score, own.signature)


def metric_from_module(name: str, options: Mapping[str, Any] | None = None) -> OwnMetric:
    """A metric of this project by its name, or an evaluate module by its name or folder.

    Every list in its result with one number per story is a list of scores; None is a story without a score. Of a metric
    of this project, these are `scores`, or the outputs of `metric.yaml` where higher is better. A module that returns one
    number for all stories is called once per story.

    Args:
        name: as in `openmeva score` or, for other modules, as in `evaluate.load`.
        options: arguments of its `compute`, and `config_name` for its configuration.
    """
    import evaluate

    arguments = dict(options or {})
    try:
        load_named = load if name in metric_names() else evaluate.load
        metric = load_named(name, arguments.pop("config_name", None))
    except Exception as error:
        raise ValueError(f"evaluate.load({name!r}): {error}") from error
    inputs, needed = _inputs(metric)
    title = Path(name).name

    def score(test_set: TestSet, rows: Rows) -> Scores:
        stories, columns = _columns(title, test_set, rows, inputs, needed)
        try:
            result = metric.compute(predictions=stories, **columns, **arguments)
        except Exception as error:
            raise ValueError(
                f"{title} failed on {test_set.title}: {type(error).__name__}: {error}"
            ) from error
        scores = score_lists(recommended(name, result), len(rows), title)
        if scores:
            return scores
        if name in metric_names():  # these have a list of scores; here it has none but None
            reason = next(iter(result.get("reasons") or ()), "") or "all scores are None"
            raise ValueError(f"{title}: no story of {test_set.title} has a score: {reason}")
        each = [
            metric.compute(
                predictions=[story], **{key: [values[index]] for key, values in columns.items()}, **arguments
            )
            for index, story in enumerate(stories)
        ]
        return single_scores(each, title)

    return OwnMetric(f"evaluate module {name}", score, lambda: signature_or_empty(metric, arguments))


def _inputs(metric: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Inputs of an evaluate module in addition to predictions, and those of them that are required."""
    import evaluate

    features = metric.features[0] if isinstance(metric.features, list) else metric.features
    parameters = dict(inspect.signature(metric._compute).parameters)
    inherits_compute = type(metric).compute is evaluate.EvaluationModule.compute
    parameters |= {} if inherits_compute else inspect.signature(metric.compute).parameters
    accepted = tuple(
        column for column in ("contexts", "references") if column in features or column in parameters
    )
    empty = inspect.Parameter.empty
    return accepted, tuple(
        column
        for column in accepted
        if (
            column in features
            if inherits_compute
            else column in parameters and parameters[column].default is empty
        )
    )


def _columns(
    name: str, test_set: TestSet, rows: Rows, inputs: Sequence[str], needed: Sequence[str]
) -> tuple[list[str], dict[str, list[Any]]]:
    """Stories, and the further columns available; contexts as the benchmark passes them to its own metrics.

    A reference is a text, or a list of texts where the file has several.
    """
    entry = MetricEntry(name, name, {}, tuple(inputs), needs_contexts="contexts" in needed)
    metric_rows = rows_for_metric(entry, test_set, rows)
    if metric_rows is None:
        raise ValueError(f"{name}: needs contexts, and {test_set.title} has none")
    references = [row.get("reference") for row in metric_rows]
    available = {"contexts": contexts_of(metric_rows), "references": references if all(references) else None}
    columns = {key: list(available[key] or ()) for key in inputs if available[key]}
    missing = [key for key in needed if key not in columns]
    if missing:
        raise ValueError(f"{name}: needs {', '.join(missing)}, and {test_set.title} has none")
    return [row["story"] for row in metric_rows], columns


def _error_message(error: BaseException) -> str:
    """The message of an error, and its place in the user's code if known."""
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error}"  # its message names the file and the line
    frames = traceback.extract_tb(error.__traceback__)
    frame = next(entry for entry in reversed(frames) if not entry.filename.startswith("<frozen"))
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno})"
