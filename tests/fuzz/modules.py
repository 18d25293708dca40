"""Every evaluate module, and the properties that it must have for any input."""

import inspect
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import evaluate
from hypothesis import strategies as st

from openmeva.training.paths import ROOT
from tests.fuzz.inputs import WRONG_OPTIONS, long_texts, texts, weighted, with_words, wrong_values
from tests.fuzz.module_table import Module
from tests.fuzz.outcome import REFUSED, SCORED, Checked

GOOD = "She ran home. The dog ate."
ORDINARY = 2000  # characters of most texts
OTHER_OPTIONS: tuple[dict[str, Any], ...] = ({"dtype": "bfloat16"}, {"explain": True})
TOLERANCES = {"float32": 1e-5, "bfloat16": 0.1}
"""Tolerance between scores of a text alone and in a batch, where the lengths of other texts affect rounding.

Rounding shows more here than in use: the tiny models' random weights are ten times those of trained ones.
"""
_NAMED = re.compile(r"^(predictions|contexts|references)(, row (\d+))?(, [\w ]+)?: ")


def load(module: Module, folder: Path) -> Any:
    """The module, with a tiny checkpoint if it has weights, and its rows in a separate folder."""
    config = str(module.write(folder / "checkpoint")) if module.write else None
    path = str(ROOT / "metrics" / module.name)
    return evaluate.load(path, config, cache_dir=str(folder / "cache"))


def inputs(module: Module, metric: Any, longest: int) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of a module: mostly columns of texts, sometimes invalid ones or invalid options."""
    parameters = inspect.signature(metric._compute).parameters

    def columns(count: int, text: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
        rows = st.lists(text, min_size=count, max_size=count)
        lists = st.lists(st.lists(text, min_size=1, max_size=2), min_size=count, max_size=count)
        kinds = {"contexts": rows, "references": rows if module.name == "ruber_bert" else lists}
        return st.fixed_dictionaries({"predictions": rows, **{n: kinds[n] for n in module.columns}})

    text = texts(min(longest, ORDINARY // 10 if module.shipped else ORDINARY))
    readable = with_words(text)
    valid = st.integers(1, 6).flatmap(lambda count: columns(count, readable))
    any_text = st.integers(1, 3).flatmap(lambda count: columns(count, text))
    long = columns(1, with_words(long_texts(1, max(1, longest // 50 if module.shipped else longest))))
    names = st.sampled_from(["predictions", *module.columns])
    corrupted = st.builds(lambda given, name, value: {**given, name: value}, valid, names, wrong_values())
    option = st.sampled_from(
        [(name, value) for name, values in WRONG_OPTIONS.items() if name in parameters for value in values]
    )
    with_option = st.builds(
        lambda pair: {"predictions": [GOOD], **{n: [GOOD] for n in module.columns}, pair[0]: pair[1]}, option
    )
    further = [
        {name: value} for name, value in (("dtype", "bfloat16"), ("explain", True)) if name in parameters
    ]
    with_other_options = [(20, st.builds(dict.__or__, valid, st.sampled_from(further)))] if further else []
    kinds = ((160, valid), (40, any_text), (16, corrupted), (16, with_option), (1, long))
    return weighted(*kinds, *with_other_options)


def check(module: Module, metric: Any, given: dict[str, Any]) -> Checked:
    """Scores `given`; an AssertionError, or any error except a ValueError, is a failure."""
    columns = {"predictions", *module.columns}
    further = {name: value for name, value in given.items() if name not in columns}
    has_wrong_option = bool(further) and further not in OTHER_OPTIONS
    given = {**module.options, "show_progress": False, **given}
    try:
        result = metric.compute(**given)
    except ValueError as error:
        _check_refusal(module, metric, given, str(error))
        _check_no_rows_remain(metric)
        return Checked(REFUSED, str(error))
    _check_no_rows_remain(metric)
    assert not has_wrong_option, "an option of a wrong type was accepted"
    assert len(result[module.keys[0]]) == len(given["predictions"])
    for key in module.keys:
        for value in result[key]:
            assert isinstance(value, float)
            assert math.isfinite(value), f"{key}: {value}"
            assert module.low <= value <= module.high, f"{key}: {value}"
    output = json.dumps(result, allow_nan=False)
    _check_batch_independence(module, metric, given, result)
    return Checked(SCORED, output, len(given["predictions"]))


def _check_refusal(module: Module, metric: Any, given: dict[str, Any], message: str) -> None:
    """The message begins with the problem; the row that it names is also refused alone."""
    if any(message.startswith(f"{name}: ") or message.startswith(f"{name}, ") for name in WRONG_OPTIONS):
        return
    found = _NAMED.match(message)
    assert found or message.startswith("expected dtype "), f"the message names no input: {message}"
    columns = [given.get(name) for name in ("predictions", *module.columns)]
    if found and found[2] and all(isinstance(column, list) for column in columns):
        row = int(found[3])
        alone = {
            name: value[row : row + 1] if name in ("predictions", *module.columns) else value
            for name, value in given.items()
        }
        try:
            metric.compute(**alone)
        except ValueError:
            return
        raise AssertionError(f"row {row} is valid by itself: {message}")


def _check_batch_independence(
    module: Module, metric: Any, given: dict[str, Any], result: dict[str, Any]
) -> None:
    """Scores are the same after a failed call, in reverse order in batches of two, and for each text alone."""
    try:
        metric.compute(**{**given, "predictions": [*given["predictions"][:-1], 3]})
    except ValueError:
        pass
    else:
        raise AssertionError("a number was scored")
    rows = {n: v for n, v in given.items() if n in ("predictions", *module.columns) and v is not None}
    size = {"batch_size": 2} if "batch_size" in inspect.signature(metric._compute).parameters else {}
    reversed_result = metric.compute(
        **{**given, **{name: values[::-1] for name, values in rows.items()}, **size}
    )
    for row in range(len(given["predictions"])):
        alone = metric.compute(**{**given, **{name: values[row : row + 1] for name, values in rows.items()}})
        for key in module.keys:
            for other in (reversed_result[key][::-1][row], alone[key][0]):
                check_close(result[key][row], other, given.get("dtype"), key)
    _check_no_rows_remain(metric)


def check_close(first: float, second: float, dtype: str | None, key: str) -> None:
    """Two scores of a text differ by no more than `TOLERANCES`, relative to the score if that is above 1."""
    bound = TOLERANCES[dtype or "float32"] * max(1.0, abs(first))
    assert abs(first - second) <= bound, f"{key}: {first} and {second}"


def _check_no_rows_remain(metric: Any) -> None:
    assert len(metric) == 0
    left = [name for _, _, names in os.walk(metric.data_dir) for name in names if name.endswith(".arrow")]
    assert left == []
