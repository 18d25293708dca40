"""Metrics by name: loaded, or only checked, without weights: names, options, columns."""

import importlib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from openmeva.metrics.core.description import METRICS, read_metrics
from openmeva.metrics.core.inputs import RowError, check_options
from openmeva.training.scoring.columns import COLUMNS

# Options of `compute`, and their values, with which a score depends on all stories of the call
_OF_ALL_STORIES: dict[str, dict[str, Any]] = {
    "ruber_bert": {"normalization": "batch"},
    "embedding_similarity": {"idf": True},
}


def metric_names() -> list[str]:
    """The metrics that score stories."""
    return sorted(name for name, metric in read_metrics().items() if metric.outputs)


def load(name: str, config: str | None = None) -> Any:
    """The evaluate module of the metric `name`; raises a ValueError if there is no such metric."""
    check_name(name)
    import evaluate

    return evaluate.load(str(METRICS / name), config)


def check_name(name: str) -> None:
    """Raises a ValueError if there is no metric `name`."""
    if name not in metric_names():
        names = ", ".join(metric_names())
        raise ValueError(f"unknown metric {name!r}{_of_the_benchmark(name)}, expected one of {names}")


def _of_the_benchmark(name: str) -> str:
    """Which metric a row of the benchmark is; empty for other names.

    >>> _of_the_benchmark("union_base")
    ' (a row of the benchmark: union with the configuration roc_base or wp_base)'
    """
    for metric in read_metrics().values():
        if entry := metric.benchmark.get(name):
            configurations = " or ".join(dict.fromkeys(entry.configs.values()))
            chosen = f" with the configuration {configurations}" if configurations else ""
            return f" (a row of the benchmark: {metric.name}{chosen})"
    return ""


def check_option_names(name: str, kind: Any, options: Iterable[str]) -> None:
    """Raises a ValueError for an option that `compute` of the metric lacks; `kind` is its module or class."""
    for option in options:
        if option not in inspect.signature(kind._compute).parameters:
            if option == "explain":  # also of the command `explain`, which has no such option
                explaining = ", ".join(key for key, metric in read_metrics().items() if metric.explains)
                raise ValueError(f"{name} does not explain its scores, as {explaining} do")
            raise ValueError(f"--{option.replace('_', '-')}: {name} has no such option")


def check_settings(
    metrics: Sequence[str], config: str | None, options: Mapping[str, Any], here: bool
) -> None:
    """Refuses settings that `Scorer` would refuse, as far as possible without weights.

    Args:
        metrics, config, options: see `Scorer`; `explain` is one of the options.
        here: whether the device is on this machine.

    Raises:
        ValueError: an unknown metric, several metrics with `config`, or an option that a metric does not accept.
    """
    check_config(metrics, config)
    for name in metrics:
        check_name(name)
    given_options = {option: value for option, value in options.items() if value is not None}
    check_options(given_options)
    for name in metrics if given_options else ():
        check_option_names(name, module_class(name), given_options)
    if given_options.keys() & {"device", "dtype"}:
        from openmeva.metrics.core.runtime import choose_device, choose_dtype

        device = choose_device(given_options.get("device") if here else "cpu")
        choose_dtype(given_options.get("dtype", "auto"), device)


def check_no_batch_options(metrics: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuses options with which a score depends on all stories of a call, where they come in batches.

    Raises:
        ValueError: such an option (it is named).
    """
    for name in metrics:
        for option, value in _OF_ALL_STORIES.get(name, {}).items():
            if options.get(option) == value:
                raise ValueError(
                    f"{name}: expected another {option} than {value!r}, with which a score depends on all stories: "
                    f"they are scored in batches here"
                )


def check_config(metrics: Sequence[str], config: str | None) -> None:
    """Raises a ValueError if a configuration is given for several metrics."""
    if config is not None and len(metrics) > 1:
        raise ValueError("config belongs to one metric: expected a single metric with it")


def check_columns(name: str, columns: Mapping[str, Sequence[Any]]) -> None:
    """Refuses columns that the metric `name` would refuse, without loading its weights.

    Raises:
        ValueError: a required column is missing.
        RowError: a row has the wrong form.
    """
    try:
        module_class(name)()._check_batch(*map(columns.get, COLUMNS.values()))
    except RowError:
        raise
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def module_class(name: str) -> Any:
    """The class of a metric's module, without loading weights."""
    module = importlib.import_module(f"openmeva.metrics.{name}.{name}")
    return next(
        kind
        for kind in vars(module).values()
        if inspect.isclass(kind) and kind.__module__ == module.__name__ and hasattr(kind, "_compute")
    )
