"""Rows whose columns Parquet has no form for, alone or with those of other rows, go in or are kept apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.scale.parts import Size
from tests.training.scale.test_runs import counted, rows_in


def kept(rows: list[dict[str, Any]], out: Path, size: int) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of a run, and why others were kept apart."""
    told = [{"story": "Ben ran.", **row} for row in rows]
    counted(told, out, size=Size(rows=size), bad="keep")
    found = [{name: value for name, value in row.items() if name in rows[0]} for row in rows_in(out)]
    return found, [json.loads(line)["reason"] for line in (out / "bad.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("size", [1, 10])
def test_objects_without_fields_are_texts_unless_others_fill_them(size: int, tmp_path: Path) -> None:
    empty: list[dict[str, Any]] = [
        {"a": {}, "b": [{"c": {}}]},
        {"a": None, "b": [{"c": None}]},
        {"a": {}, "b": []},
    ]
    found, bad = kept(empty, tmp_path / "empty", size)
    assert [row["a"] for row in found] == ["{}", None, "{}"]
    assert [json.loads(row["b"]) for row in found] == [row["b"] for row in empty]
    filled, bad_too = kept([*empty, {"a": {"x": 1}, "b": [{"c": {"y": 2}}]}], tmp_path / "filled", size)
    assert [row["a"] for row in filled] == [{"x": None}, None, {"x": None}, {"x": 1}]
    assert [row["b"] for row in filled] == [[{"c": {"y": None}}], [{"c": None}], [], [{"c": {"y": 2}}]]
    assert bad == bad_too == []


@pytest.mark.parametrize("size", [1, 10])
@pytest.mark.parametrize("held", [lambda n: n, lambda n: {"n": n}, lambda n: [n]], ids=["n", "a.n", "list"])
def test_fractions_beside_numbers_that_no_float_holds_are_refused(
    held: Any, size: int, tmp_path: Path
) -> None:
    for place, (numbers, good) in enumerate(
        {
            (2**60 + 1, 1.5, 3): [2**60 + 1, 3],
            (1.5, -(2**60), 3): [1.5, 3],
            (2**53, 1.5): [2**53, 1.5],
        }.items()
    ):
        found, bad = kept([{"x": held(n)} for n in numbers], tmp_path / str(place), size)
        assert [row["x"] for row in found] == [held(n) for n in good]
        assert len(bad) == len(numbers) - len(good)
        assert all("has fractions, and integers above 2**53" in reason for reason in bad)
