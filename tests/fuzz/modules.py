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
OTHER_WAYS: tuple[dict[str, Any], ...] = ({"dtype": "bfloat16"}, {"explain": True})
NEAR = {"float32": 1e-5, "bfloat16": 0.1}
"""Tolerance between scores of a text alone and in a batch, where the lengths of other texts affect rounding.

Rounding shows more here than in use: the tiny models' random weights are ten times those of trained ones.
"""
_NAMED = re.compile(r"^(predictions|contexts|references)(, row (\d+))?(, [\w ]+)?: ")


def load(module: Module, folder: Path) -> Any:
    """The module, with a tiny checkpoint if it has weights, and its rows in a separate folder."""
    config = str(module.write(folder / "checkpoint")) if module.write else None
    place = str(ROOT / "metrics" / module.name)
    return evaluate.load(place, config, cache_dir=str(folder / "cache"))


def inputs(module: Module, metric: Any, longest: int) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of a module: mostly columns of texts, sometimes invalid ones or invalid options."""
    taken = inspect.signature(metric._compute).parameters

    def columns(count: int, text: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
        rows = st.lists(text, min_size=count, max_size=count)
        lists = st.lists(st.lists(text, min_size=1, max_size=2), min_size=count, max_size=count)
        kinds = {"contexts": rows, "references": rows if module.name == "ruber_bert" else lists}
        return st.fixed_dictionaries({"predictions": rows, **{n: kinds[n] for n in module.columns}})

    odd = texts(min(longest, ORDINARY // 10 if module.shipped else ORDINARY))
    readable = with_words(odd)
    right = st.integers(1, 6).flatmap(lambda count: columns(count, readable))
    any_text = st.integers(1, 3).flatmap(lambda count: columns(count, odd))
    long = columns(1, with_words(long_texts(1, max(1, longest // 50 if module.shipped else longest))))
    names = st.sampled_from(["predictions", *module.columns])
    spoilt = st.builds(lambda given, name, value: {**given, name: value}, right, names, wrong_values())
    option = st.sampled_from(
        [(name, value) for name, values in WRONG_OPTIONS.items() if name in taken for value in values]
    )
    with_option = st.builds(
        lambda pair: {"predictions": [GOOD], **{n: [GOOD] for n in module.columns}, pair[0]: pair[1]}, option
    )
    further = [{name: value} for name, value in (("dtype", "bfloat16"), ("explain", True)) if name in taken]
    in_other_ways = [(20, st.builds(dict.__or__, right, st.sampled_from(further)))] if further else []
    kinds = ((160, right), (40, any_text), (16, spoilt), (16, with_option), (1, long))
    return weighted(*kinds, *in_other_ways)


def check(module: Module, metric: Any, given: dict[str, Any]) -> Checked:
    """Scores `given`; an AssertionError, or any error except a ValueError, is a failure."""
    columns = {"predictions", *module.columns}
    further = {name: value for name, value in given.items() if name not in columns}
    wrong_option = bool(further) and further not in OTHER_WAYS
    given = {**module.options, "show_progress": False, **given}
    try:
        result = metric.compute(**given)
    except ValueError as error:
        _check_refusal(module, metric, given, str(error))
        _check_nothing_is_left(metric)
        return Checked(REFUSED, str(error))
    _check_nothing_is_left(metric)
    assert not wrong_option, "an option of a wrong type was taken"
    assert len(result[module.keys[0]]) == len(given["predictions"])
    for key in module.keys:
        for value in result[key]:
            assert isinstance(value, float)
            assert math.isfinite(value), f"{key}: {value}"
            assert module.low <= value <= module.high, f"{key}: {value}"
    said = json.dumps(result, allow_nan=False)
    _check_company(module, metric, given, result)
    return Checked(SCORED, said, len(given["predictions"]))


def _check_refusal(module: Module, metric: Any, given: dict[str, Any], message: str) -> None:
    """The message begins with the problem; the row that it names is also refused alone."""
    if any(message.startswith(f"{name}: ") or message.startswith(f"{name}, ") for name in WRONG_OPTIONS):
        return
    found = _NAMED.match(message)
    assert found or message.startswith("expected dtype "), f"names nothing: {message}"
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
        raise AssertionError(f"row {row} is no fault by itself: {message}")


def _check_company(module: Module, metric: Any, given: dict[str, Any], result: dict[str, Any]) -> None:
    """Scores are the same after a failed call, in reverse order in batches of two, and for each text alone."""
    try:
        metric.compute(**{**given, "predictions": [*given["predictions"][:-1], 3]})
    except ValueError:
        pass
    else:
        raise AssertionError("a number was scored")
    rows = {n: v for n, v in given.items() if n in ("predictions", *module.columns) and v is not None}
    size = {"batch_size": 2} if "batch_size" in inspect.signature(metric._compute).parameters else {}
    turned = metric.compute(**{**given, **{name: values[::-1] for name, values in rows.items()}, **size})
    for row in range(len(given["predictions"])):
        alone = metric.compute(**{**given, **{name: values[row : row + 1] for name, values in rows.items()}})
        for key in module.keys:
            for other in (turned[key][::-1][row], alone[key][0]):
                check_near(result[key][row], other, given.get("dtype"), key)
    _check_nothing_is_left(metric)


def check_near(one: float, other: float, dtype: str | None, what: str) -> None:
    """Two scores of a text differ by no more than `NEAR`, relative to the score if that is above 1."""
    bound = NEAR[dtype or "float32"] * max(1.0, abs(one))
    assert abs(one - other) <= bound, f"{what}: {one} and {other}"


def _check_nothing_is_left(metric: Any) -> None:
    assert len(metric) == 0
    left = [name for _, _, names in os.walk(metric.data_dir) for name in names if name.endswith(".arrow")]
    assert left == []
