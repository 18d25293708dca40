"""Rows with columns that Parquet cannot represent, alone or with other rows, are converted or reported as bad."""

import json
from pathlib import Path
from typing import Any

import pytest

from openmeva.training.scale.parts import Size
from tests.training.scale.test_runs import counted, rows_in


def kept(rows: list[dict[str, Any]], out: Path, size: int) -> tuple[list[dict[str, Any]], list[str]]:
    """The output rows of a run, and the reasons for its bad rows."""
    stories = [{"story": "Ben ran.", **row} for row in rows]
    counted(stories, out, size=Size(rows=size), bad="keep")
    output = [{name: value for name, value in row.items() if name in rows[0]} for row in rows_in(out)]
    return output, [json.loads(line)["reason"] for line in (out / "bad.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("size", [1, 10])
def test_empty_objects_become_texts_unless_other_rows_have_fields(size: int, tmp_path: Path) -> None:
    empty: list[dict[str, Any]] = [
        {"a": {}, "b": [{"c": {}}]},
        {"a": None, "b": [{"c": None}]},
        {"a": {}, "b": []},
    ]
    output, bad = kept(empty, tmp_path / "empty", size)
    assert [row["a"] for row in output] == ["{}", None, "{}"]
    assert [json.loads(row["b"]) for row in output] == [row["b"] for row in empty]
    filled, bad_too = kept([*empty, {"a": {"x": 1}, "b": [{"c": {"y": 2}}]}], tmp_path / "filled", size)
    assert [row["a"] for row in filled] == [{"x": None}, None, {"x": None}, {"x": 1}]
    assert [row["b"] for row in filled] == [[{"c": {"y": None}}], [{"c": None}], [], [{"c": {"y": 2}}]]
    assert bad == bad_too == []


@pytest.mark.parametrize("size", [1, 10])
@pytest.mark.parametrize("held", [lambda n: n, lambda n: {"n": n}, lambda n: [n]], ids=["n", "a.n", "list"])
def test_fractions_mixed_with_integers_beyond_float_precision_are_rejected(
    held: Any, size: int, tmp_path: Path
) -> None:
    for index, (numbers, good) in enumerate(
        {
            (2**60 + 1, 1.5, 3): [2**60 + 1, 3],
            (1.5, -(2**60), 3): [1.5, 3],
            (2**53, 1.5): [2**53, 1.5],
        }.items()
    ):
        output, bad = kept([{"x": held(n)} for n in numbers], tmp_path / str(index), size)
        assert [row["x"] for row in output] == [held(n) for n in good]
        assert len(bad) == len(numbers) - len(good)
        assert all("has fractions, and integers above 2**53" in reason for reason in bad)


@pytest.mark.parametrize("size", [1, 2, 10])
def test_integers_beyond_64_bits_are_kept(size: int, tmp_path: Path) -> None:
    numbers = [3, 2**63 + 5, None, -(2**63), 2**64 - 1, 10**30]
    output, bad = kept([{"id": number} for number in numbers], tmp_path / "out", size)
    assert ([row["id"] for row in output], bad) == (numbers, [])
    mixed, bad = kept([{"id": number} for number in (2**63 + 5, 1.5, 3)], tmp_path / "mixed", size)
    assert [row["id"] for row in mixed] == [2**63 + 5, 3]
    assert ["fractions" in reason for reason in bad] == [True]
    large, bad = kept([{"id": number} for number in (3, 10**40)], tmp_path / "large", size)
    assert ([row["id"] for row in large], len(bad)) == ([3], 1)
