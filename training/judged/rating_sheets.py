"""Layouts of rating sheets: a list of ratings in a row, a column for each rater, or a row for each rating."""

import json
import math
import re
from collections.abc import Hashable, Sequence
from typing import Any

from openmeva.metrics.core.inputs import is_missing, parse_number
from openmeva.training.common.fields import parse_json_list
from openmeva.training.files import Row

_DECIMAL_COMMAS = re.compile(r"\d,\d+\s+\d")  # "4,5 3,5"
_SEPARATORS = re.compile(r"\s*[,;]\s*|\s+")
_NUMBERED = re.compile(r"\s*(rating|rater|annotator)[ _-]?(\d+)\s*", re.IGNORECASE)
_NOT_RATED = ("", "na", "n/a", "nan", "none", "null")  # as tables of other programs write it
_OF_A_STORY = ("story", "prompt", "source_model", "score", "reference")
_OF_A_RATING = ("rating", "rater", "annotator", "error_types")
FORMAT = (
    "'ratings' (a list such as [4, 5, 3]; in a CSV cell '4 5 3'), 'score', columns rating_1, rating_2 … or one row per "
    "'rating'"
)


def is_blank(value: Any) -> bool:
    """Whether a value is missing, or a text of whitespace only."""
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def is_unrated(value: Any) -> bool:
    """Whether the value of a rating says that there is none.

    >>> is_unrated(None), is_unrated("NA"), is_unrated(float("nan")), is_unrated("0")
    (True, True, True, False)
    """
    return is_missing(value) or (isinstance(value, str) and value.strip().lower() in _NOT_RATED)


def list_of(cell: Any, name: str, row: Row) -> list[Any]:
    """The list in the column `name`: a list, or a cell of JSON or of values between blanks, commas or semicolons.

    Raises:
        ValueError: no list, or numbers with decimal commas (names the row).
    """
    items = cell
    if isinstance(cell, str):
        text = cell.strip()
        items = parse_json_list(text)
        if items is None and name == "ratings" and text.startswith("[") and text.endswith("]"):
            text = text[1:-1].strip()  # pandas writes a list as Python does: [4.0, nan]
        if items is None and not text.startswith("["):
            if "," in text and (";" in text or _DECIMAL_COMMAS.search(text)):
                raise ValueError(
                    f"{row.where}: expected values in {name!r} separated by blanks, commas or semicolons, with decimal "
                    f"points, got {cell[:60]!r}"
                )
            items = _SEPARATORS.split(text)
    if not isinstance(items, list):
        raise ValueError(f"{row.where}: expected a list in {name!r}, got {cell!r:.60}")
    return items


def ratings_in(row: Row) -> dict[str, list[Any]]:
    """`ratings` of a row and, if known, `raters` and `error_types`; missing ratings are left out with theirs.

    Ratings are the list `ratings` or, without one, numbered columns (`rating_1`, `rater_1`, `annotator_1`) in the order
    of their numbers. Columns of the last two kinds name the raters. Next to `rating_1`, they contain the raters' names.

    Raises:
        ValueError: no list, or `ratings` without any (names the row).
    """
    lists = {
        name: list_of(row.values[name], name, row)
        for name in ("ratings", "raters", "error_types")
        if not is_blank(row.values.get(name))
    }
    listed = "ratings" in lists
    if not listed:
        lists = {**_numbered(row), **lists}
    ratings = lists.get("ratings", [])
    rated = [not is_unrated(rating) for rating in ratings]
    if listed and not any(rated):
        cell = row.values["ratings"]
        shown = cell if isinstance(cell, str) else json.dumps(cell, default=str)
        raise ValueError(f"{row.where}: expected one or more ratings, got {shown[:60]}")
    if not any(rated):
        lists.pop("ratings", None)
        return lists
    return {
        name: [item for item, keep in zip(items, rated, strict=True) if keep]
        if len(items) == len(ratings)  # else it may be the list of those who did rate
        else items
        for name, items in lists.items()
    }


def _numbered(row: Row) -> dict[str, list[Any]]:
    """`ratings` of the numbered columns and, if known, `raters`."""

    def values(names: Sequence[str]) -> list[Any]:
        cells = [(name, row.values[name]) for name in names]
        return [None if is_unrated(cell) else number_of(cell, name, row) for name, cell in cells]

    kinds: dict[str, dict[int, str]] = {}
    for name in row.values:
        if match := _NUMBERED.fullmatch(name):
            kinds.setdefault(match[1].lower(), {})[int(match[2])] = name
    ratings = kinds.pop("rating", None)
    others = {number: name for columns in kinds.values() for number, name in columns.items()}
    if ratings is None:
        names = [others[number] for number in sorted(others)]
        return {"ratings": values(names), "raters": names} if names else {}
    numbers = sorted(ratings)
    lists = {"ratings": values([ratings[number] for number in numbers])}
    if others.keys() == ratings.keys():
        lists["raters"] = [row.values[others[number]] for number in numbers]
    return lists


def merge_ratings(rows: Sequence[Row]) -> list[Row]:
    """One row per story, in the order of their first rows, from rows of one `rating` each.

    Rows of one story have the same `story_id`. Without this column it is an `id` that occurs more than once, always
    with the same story; without that, the same story, prompt and source model. `rater` (or `annotator`) and
    `error_types` (a list of names) are those of the rating. Of other columns, the values that all rows of a story share
    are kept. Rows without a rating add none.

    Args:
        rows: with values that are not blank; `rating` is a number.

    Raises:
        ValueError: rows of a story differ in the story, prompt, source model, score or reference, a rater rated a story
            twice, or only some ratings have a rater (names the rows).
    """
    keys = _story_keys(rows)
    groups: dict[Hashable, list[Row]] = {}
    for key, row in zip(keys, rows, strict=True):
        groups.setdefault(key, []).append(row)
    rated = [row for row in rows if "rating" in row.values]
    named = any(_rater(row) is not None for row in rated)
    with_errors = any("error_types" in row.values for row in rows)
    merged = []
    for group in groups.values():
        values = _shared(group)
        ratings = [row for row in group if "rating" in row.values]
        if ratings:
            values["ratings"] = [row.values["rating"] for row in ratings]
        if ratings and named:
            values["raters"] = _different_raters(ratings)
        if ratings and with_errors:
            values["error_types"] = [row.values.get("error_types", []) for row in ratings]
        merged.append(group[0]._replace(values=values))
    return merged


def _story_keys(rows: Sequence[Row]) -> list[Hashable]:
    if any("story_id" in row.values for row in rows):
        check_complete(rows, "story_id")
        return [str(row.values["story_id"]) for row in rows]
    texts = [" ".join(row.values["story"].split()) for row in rows]
    ids = [str(row.values["id"]) for row in rows if "id" in row.values]
    if len(set(ids)) < len(ids) == len(rows) and len({*zip(ids, texts, strict=True)}) == len(set(ids)):
        return [*ids]
    return [
        (text, str(row.values.get("prompt")), row.values.get("source_model"))
        for text, row in zip(texts, rows, strict=True)
    ]


def _shared(group: Sequence[Row]) -> dict[str, Any]:
    """The values of the columns of a story, and of others in which its rows do not differ."""
    first = group[0]
    values = {name: value for name, value in first.values.items() if name not in _OF_A_RATING}
    for row in group[1:]:
        for name in _OF_A_STORY:
            if name not in row.values:
                continue
            value = row.values[name]
            if _words(values.setdefault(name, value)) != _words(value):
                raise ValueError(
                    f"{row.where}: expected the {name!r} of {first.where}, which has the same story, "
                    f"{values[name]!r:.60}, got {value!r:.60}"
                )
        values = {
            name: value
            for name, value in values.items()
            if name in _OF_A_STORY or row.values.get(name) == value
        }
    return values


def _words(value: Any) -> Any:
    return value.split() if isinstance(value, str) else value


def _rater(row: Row) -> Any:
    return row.values.get("rater", row.values.get("annotator"))


def _different_raters(rows: Sequence[Row]) -> list[str]:
    """The rater of each rating of a story."""
    seen: dict[str, Row] = {}
    for row in rows:
        rater = _rater(row)
        if rater is None:
            raise ValueError(f"{row.where}: expected 'rater', which other rows have, got none")
        if str(rater) in seen:
            raise ValueError(
                f"{row.where}: expected one rating of a story by each rater, got one by {str(rater)!r:.60} as in "
                f"{seen[str(rater)].where}"
            )
        seen[str(rater)] = row
    return list(seen)


def check_complete(rows: Sequence[Row], name: str) -> None:
    """Checks that all rows have a column, or none.

    Raises:
        ValueError: only some have it (names the first that does not).
    """
    without = [row for row in rows if name not in row.values]
    if without and len(without) < len(rows):
        raise ValueError(f"{without[0].where}: expected {name!r}, which other rows have, got none")


def number_of(value: Any, name: str, row: Row) -> float:
    """A value of the column `name` as a finite number; otherwise a ValueError that names the row."""
    number = parse_number(value)
    if number is None:
        raise ValueError(f"{row.where}: expected a number in {name!r}, got {value!r:.60}")
    if not math.isfinite(number):
        raise ValueError(f"{row.where}: expected a finite number in {name!r}, got {number}")
    return number
