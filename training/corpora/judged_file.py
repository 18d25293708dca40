"""Judged stories of a user's own file, in any of the file formats."""

import math
import re
from pathlib import Path
from typing import Any

from openmeva.metrics.core.inputs import field_of, parse_json_list, parse_number
from openmeva.metrics.openmeva.judged import is_missing
from openmeva.training.files import Row, read_rows, text_of

_DECIMAL_COMMAS = re.compile(r"\d,\d+\s+\d")  # "4,5 3,5"
_LISTS = ("ratings", "raters", "error_types")


def read_judged_file(path: str | Path) -> list[dict[str, Any]]:
    """Rows of `story` with `ratings` (a list) or `score`, and other columns of `JudgedStory` if present.

    In a CSV or TSV file, a list is a cell of JSON (`[4, 5, 3]`) or of values separated by blanks, commas or
    semicolons (`4 5 3`). Without a `prompt`, a `context` counts as the prompt. If no row has a `story_id`, an `id`
    counts as the `story_id`, provided that the ids are present and unique.

    Raises:
        ValueError: no rows; or a row without a text in `story`, without ratings and score, or with one that is not
            a number (with its line).
    """
    rows = []
    for row in read_rows(path):
        if not text_of(row).strip():
            raise ValueError(f"{row.where}: expected a story, got a blank one")
        values = {name: value for name, value in row.values.items() if value not in (None, "")}
        for name in _LISTS:
            if name in values:
                values[name] = _list(values[name], name, row)
        if "ratings" in values:
            values["ratings"] = [number_of(rating, "ratings", row) for rating in values["ratings"]]
        if "score" in values:
            values["score"] = number_of(values["score"], "score", row)
        if "score" not in values and "ratings" not in values:
            raise ValueError(f"{row.where}: expected 'ratings' or 'score', got {', '.join(row.values)}")
        reference = field_of(values, "reference")
        if is_missing(reference) or reference == []:
            values.pop("reference", None)
        else:
            values["reference"] = reference
        if "prompt" not in values and "context" in values:
            values["prompt"] = values["context"]
        rows.append(values)
    # a story with a blank prompt is the only one of its prompt
    if any("prompt" in values for values in rows):
        rows = [{"prompt": "", **values} for values in rows]
    ids = {str(values["id"]) for values in rows if not is_missing(values.get("id"))}
    if len(ids) == len(rows) and not any("story_id" in values for values in rows):
        rows = [{**values, "story_id": values["id"]} for values in rows]
    return rows


def _list(cell: Any, name: str, row: Row) -> list[Any]:
    items = cell
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        items = parse_json_list(cell)
    elif isinstance(cell, str) and "," in cell and (";" in cell or _DECIMAL_COMMAS.search(cell)):
        raise ValueError(
            f"{row.where}: expected values in {name!r} separated by blanks, commas or semicolons, with decimal points, "
            f"got {cell[:60]!r}"
        )
    elif isinstance(cell, str):
        items = cell.replace(",", " ").replace(";", " ").split()
    if not isinstance(items, list) or not items:
        raise ValueError(f"{row.where}: expected a list in {name!r}, got {str(cell)[:60]!r}")
    return items


def number_of(value: Any, name: str, row: Row) -> float:
    """A value of the column `name` as a finite number; otherwise a ValueError that names the row."""
    number = parse_number(value)
    if number is None:
        raise ValueError(f"{row.where}: expected a number in {name!r}, got {value!r:.60}")
    if not math.isfinite(number):
        raise ValueError(f"{row.where}: expected a finite number in {name!r}, got {number}")
    return number
